package org.systole.controld.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Addresses;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// What a bundle makes by itself. Its containers are called by the program that runs them, as `web-podman-0`, their addresses as
/// `web-ip-10.0.0.7`. One that has fewer replicas now has the others no more: they are removed as any other resource.
public final class BundleParts {
  private static final List<String> PROGRAMS = List.of("docker", "podman");
  private static final int MOST_REPLICAS = 1_000;

  private BundleParts() {}

  /// How many replicas a bundle is to have.
  public static int replicas(Element bundle) {
    return bundle.children().stream()
        .mapToInt(it -> Numbers.parseInt(it.has("replicas") ? it.get("replicas") : it.get("promoted-max"), 1))
        .max()
        .orElse(1);
  }

  /// Whether a container or an address of that name is one of a bundle's.
  static boolean has(Element bundle, String name) {
    var prefix = bundle.get("id", "") + "-";
    var network = bundle.first("network");
    return name.startsWith(prefix)
        && (PROGRAMS.stream().anyMatch(it -> bundle.first(it) != null && isContainer(name, prefix + it + "-", replicas(bundle)))
            || network != null && isAddress(name, prefix + "ip-", network.get("ip-range-start"), replicas(bundle)));
  }

  private static boolean isContainer(String name, String prefix, int replicas) {
    var number = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    return number.matches("[0-9]{1,4}") && Numbers.whole(number, replicas) < replicas;
  }

  private static boolean isAddress(String name, String prefix, @Nullable String first, int replicas) {
    if (!name.startsWith(prefix)) {
      return false;
    }
    var address = first;
    for (var left = Math.min(replicas, MOST_REPLICAS); left > 0 && address != null; left--) {
      if (isCalled(name, prefix + address)) {
        return true;
      }
      address = Addresses.following(address);
    }
    return false;
  }

  /// What no id may have is a dot in that, as the colons of some addresses.
  private static boolean isCalled(String name, String text) {
    return name.equals(text) || name.length() == text.length() && name.equals(text.replaceAll("[^\\p{L}\\p{Nd}_.:-]", "."));
  }
}
