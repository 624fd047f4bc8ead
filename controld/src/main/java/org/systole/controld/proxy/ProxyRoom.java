package org.systole.controld.proxy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/// The memory that the commands of all remote nodes of a member may take together: what they ask, and what they are
/// to be told. Each node has limits of its own; many that go up to theirs at the same time would be too much. Then
/// all commands of the node that takes most are ended.
///
/// Lives on the owner's loop.
public final class ProxyRoom {
  /// In bytes, of the 512 MiB that a controller has.
  static final long MAX = 192L << 20;

  private final Map<Proxies, Long> held = new LinkedHashMap<>();
  private long all;
  private boolean relieving;

  /// A node takes so much now.
  void holds(Proxies node, long now) {
    var before = now == 0 ? held.remove(node) : held.put(node, now);
    all += now - (before == null ? 0 : before);
    if (all > MAX && !relieving) {
      relieving = true;
      relieve();
      relieving = false;
    }
  }

  private void relieve() {
    for (var each : new ArrayList<>(held.keySet())) {
      each.account(); // daemons have taken something meanwhile
    }
    var most = new ArrayList<>(held.entrySet());
    most.sort(Map.Entry.<Proxies, Long>comparingByValue(Comparator.reverseOrder()));
    for (var each : most.stream().map(Map.Entry::getKey).toList()) {
      if (all <= MAX) {
        return;
      }
      each.endAll("all nodes together ask for too much, and it for most");
    }
  }
}
