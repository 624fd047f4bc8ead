package org.systole.tools.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.tools.cli.Typing;

/// The providers of host HA that this node has, which are those of the hosts where these were installed alike.
public final class Providers {
  private static final String OWN_AGENT = "ha-";
  private static final Path OCF_AGENTS = Path.of("/usr/lib/ocf/resource.d");

  private final List<Path> roots;

  public Providers(Layout layout) {
    roots = List.of(layout.share().resolve("systole/ocf/resource.d"), OCF_AGENTS);
  }

  /// Those that ship, by their short names.
  SortedSet<String> own() {
    var there = new TreeSet<String>();
    for (var root : roots) {
      try (var files = Files.list(root.resolve("systole"))) {
        files
            .map(it -> it.getFileName().toString())
            .filter(it -> it.startsWith(OWN_AGENT))
            .forEach(it -> there.add(it.substring(OWN_AGENT.length())));
      } catch (IOException e) {
        continue; // there are none
      }
    }
    return there;
  }

  /// Why a name can be none of a provider that ships; null if it is one, or is the whole name of an agent.
  @Nullable String unknown(String name) {
    var there = own();
    if (name.isEmpty() || name.indexOf(':') >= 0 || there.isEmpty() || there.contains(name)) {
      return null;
    }
    var meant = Typing.near(name, there);
    return "there is no provider %s%s: there are %s; another agent is named whole, such as ocf:acme:host"
        .formatted(name, meant == null ? "" : " (is %s meant?)".formatted(meant), String.join(", ", there));
  }

  /// What is to be said of a provider that this node does not have; null where it has it.
  public @Nullable String doubt(String name) {
    var parts = name.split(":", -1);
    if (parts.length != 3) {
      return unknown(name);
    }
    if (roots.stream().anyMatch(it -> Files.isRegularFile(it.resolve(parts[1]).resolve(parts[2])))) {
      return null;
    }
    return "ha.provider: this node has no agent %s; whether the hosts have it, crm_hostha --try HOST tells. Those that ship are %s"
        .formatted(name, String.join(", ", own()));
  }
}
