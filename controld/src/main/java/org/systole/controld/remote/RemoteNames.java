package org.systole.controld.remote;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.controld.operations.BundleParts;

/// The names of the remote and guest nodes that the CIB has. They are found in any case of letters: the scheduler takes nodes whose
/// names differ in nothing else for one. They are looked for once in each configuration, and in each status if anybody asks.
public final class RemoteNames {
  private @Nullable Element resources;
  private @Nullable Element status;
  private final Map<String, String> configured = new TreeMap<>(); // all by what they are without regard to case
  private final Map<String, String> bundles = new TreeMap<>();
  private final Map<String, Integer> replicas = new TreeMap<>(); // of bundles
  private final Map<String, String> seen = new TreeMap<>();

  /// Whether a remote or guest node is called so.
  public boolean has(@Nullable Element cib, String name) {
    return find(cib, name) != null;
  }

  /// The name of the remote or guest node that is called so, as the CIB has it: the configuration has a connection of that
  /// name or implies one, or the status has an entry. Null if there is none.
  public @Nullable NodeName of(@Nullable Element cib, NodeName name) {
    return NodeName.of(find(cib, name.text()));
  }

  private @Nullable String find(@Nullable Element cib, String name) {
    var made = made(cib, name);
    if (made != null) {
      return made;
    }
    readSeen(cib);
    return seen.get(fold(name));
  }

  /// Whether a remote or guest node is called so, and is more than a replica that the bundle might have some day: that would be called otherwise
  /// where a member has the name.
  public boolean isKept(@Nullable Element cib, String name) {
    var made = made(cib, name);
    if (made == null || configured.containsKey(fold(name))) {
      return has(cib, name);
    }
    readSeen(cib);
    var number = made.lastIndexOf('-');
    return seen.containsKey(fold(name))
        || Numbers.whole(made.substring(number + 1), Long.MAX_VALUE) < replicas.getOrDefault(fold(made.substring(0, number)), 0);
  }

  /// Whether the configuration has a connection to a node that is called so, or implies one.
  boolean isMade(@Nullable Element cib, String name) {
    return made(cib, name) != null;
  }

  /// Whether the configuration has any connection to a node, or implies one.
  boolean isAnyMade(@Nullable Element cib) {
    readConfigured(cib);
    return !configured.isEmpty() || !bundles.isEmpty();
  }

  private @Nullable String made(@Nullable Element cib, String name) {
    readConfigured(cib);
    var wanted = fold(name);
    var node = configured.get(wanted);
    if (node != null) {
      return node;
    }
    var number = wanted.lastIndexOf('-');
    var bundle = number < 0 ? null : bundles.get(wanted.substring(0, number));
    return bundle != null && isNumber(wanted, number + 1)
        ? bundle + wanted.substring(number)
        : null;
  }

  private static boolean isNumber(String text, int from) {
    for (var at = from; at < text.length(); at++) {
      if (text.charAt(at) < '0' || text.charAt(at) > '9') {
        return false;
      }
    }
    return from < text.length();
  }

  private void readConfigured(@Nullable Element cib) {
    var nowResources = cib == null ? null : cib.path("configuration", "resources");
    if (nowResources != resources) {
      resources = nowResources;
      configured.clear();
      bundles.clear();
      replicas.clear();
      if (nowResources != null) {
        nowResources.children().forEach(it -> noteConfigured(nowResources, it));
      }
    }
  }

  private void readSeen(@Nullable Element cib) {
    var nowStatus = cib == null ? null : cib.first("status");
    if (nowStatus != status) {
      status = nowStatus;
      seen.clear();
      if (nowStatus != null) {
        nowStatus.children("node_state").stream()
            .filter(RemoteRecords::isRemote)
            .forEach(it -> note(seen, it.get("id", "")));
      }
    }
  }

  private void noteConfigured(Element all, Element within) {
    if (within.is("bundle")) {
      note(bundles, within.get("id", ""));
      replicas.putIfAbsent(fold(within.get("id", "")), BundleParts.replicas(within));
    } else if (within.is("primitive")) {
      if (RemoteRecords.isConnection(all, within)) {
        note(configured, within.get("id", ""));
      }
      RemoteRecords.guestNames(within).forEach(it -> note(configured, it));
    }
    if (!within.is("primitive")) {
      within.children().forEach(it -> noteConfigured(all, it));
    }
  }

  /// Of two that differ in nothing else the first one is the node, as for the scheduler.
  private static void note(Map<String, String> names, String name) {
    names.putIfAbsent(fold(name), name);
  }

  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
