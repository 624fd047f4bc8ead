package org.systole.scheduler.unpack;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.operations.BundleAddresses;

/// The names of the remote and guest nodes that resources make. An entry of the nodes section may have such a name in another
/// case of letters, as nobody but a person writes it: it is that node's all the same, for node names are the same in any case.
final class ConnectedNames {
  private final @Nullable Element resources;
  private final Set<String> names = new HashSet<>();
  private final Map<String, String> folded = new HashMap<>();
  private boolean read;

  ConnectedNames(@Nullable Element resources) {
    this.resources = resources;
  }

  /// The name of the node that an entry of that name is of.
  String of(String entry) {
    if (!read) {
      read = true;
      if (resources != null) {
        read(resources);
      }
    }
    return names.contains(entry) ? entry : folded.getOrDefault(fold(entry), entry);
  }

  private void read(Element within) {
    for (var each : within.children()) {
      if (!each.is("primitive")) {
        read(each);
        continue;
      }
      note(BundleAddresses.isConnection(each) ? each.id() : null);
      each.children("meta_attributes").stream()
          .flatMap(it -> it.children("nvpair").stream())
          .filter(it -> "remote-node".equals(it.get("name")))
          .forEach(it -> note(it.get("value")));
    }
  }

  private void note(@Nullable String name) {
    if (name != null) {
      names.add(name);
      folded.putIfAbsent(fold(name), name);
    }
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
