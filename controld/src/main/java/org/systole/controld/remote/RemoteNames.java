package org.systole.controld.remote;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// The names of the remote and guest nodes that the CIB has, in any case of letters: the scheduler takes nodes whose names differ in
/// nothing else for one. They are looked for once in each configuration and status.
public final class RemoteNames {
  private @Nullable Element resources;
  private @Nullable Element status;
  private final Set<String> configured = new TreeSet<>();
  private final Set<String> bundles = new TreeSet<>();
  private final Set<String> seen = new TreeSet<>();

  /// Whether a remote or guest node is called so: the configuration has a connection of that name or implies one, or the status
  /// has an entry.
  public boolean has(@Nullable Element cib, String name) {
    read(cib);
    var wanted = fold(name);
    var number = wanted.lastIndexOf('-');
    return configured.contains(wanted)
        || seen.contains(wanted)
        || number >= 0
            && bundles.contains(wanted.substring(0, number))
            && wanted.substring(number + 1).matches("[0-9]+");
  }

  private void read(@Nullable Element cib) {
    var nowResources = cib == null ? null : cib.path("configuration", "resources");
    if (nowResources != resources) {
      resources = nowResources;
      configured.clear();
      bundles.clear();
      if (nowResources != null) {
        nowResources.children().forEach(it -> readConfigured(nowResources, it));
      }
    }
    var nowStatus = cib == null ? null : cib.first("status");
    if (nowStatus != status) {
      status = nowStatus;
      seen.clear();
      if (nowStatus != null) {
        nowStatus.children("node_state").stream()
            .filter(RemoteRecords::isRemote)
            .forEach(it -> seen.add(fold(it.get("id", ""))));
      }
    }
  }

  private void readConfigured(Element all, Element within) {
    if (within.is("bundle")) {
      bundles.add(fold(within.get("id", "")));
    } else if (within.is("primitive")) {
      if (RemoteRecords.isConnection(all, within)) {
        configured.add(fold(within.get("id", "")));
      }
      RemoteRecords.guestNames(within).forEach(it -> configured.add(fold(it)));
    }
    if (!within.is("primitive")) {
      within.children().forEach(it -> readConfigured(all, it));
    }
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
