package org.systole.cts.sim;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which fencers have certainly heard of which nodes' watchdogs. A fencer tells of its node's while it
/// is in a membership with others; none of them writes it down, so those that have come since a node
/// left do not know.
final class SimGuardsHeard {
  /// In this many seconds of one membership, with both fencers well, one has heard of the other's node.
  private static final int SURELY = 15;

  private final SimCluster cluster;
  private final Map<String, Integer> together = new TreeMap<>(); // seconds, by fencers
  private final Map<Long, Set<String>> heard = new TreeMap<>(); // nodes, by the fencer's pid

  SimGuardsHeard(SimCluster cluster) {
    this.cluster = cluster;
  }

  void everySecond() {
    for (var node : cluster.nodes()) {
      var fencer = well(node);
      for (var other : cluster.nodes()) {
        var its = well(other);
        if (fencer != null && its != null && other != node) {
          meet(fencer, its);
        }
      }
    }
  }

  private void meet(SimProcess fencer, SimProcess other) {
    var key = fencer.pid() + " " + other.pid();
    var known = cluster.order().members(fencer.node()).contains(other.node().name());
    var seconds = known ? together.merge(key, 1, Integer::sum) : 0;
    if (!known) {
      together.remove(key);
    } else if (seconds >= SURELY) {
      heard.computeIfAbsent(fencer.pid(), _ -> new TreeSet<>()).add(other.node().name());
    }
  }

  private static @Nullable SimProcess well(SimNode node) {
    var fencer = node.process("fenced");
    return fencer != null && !fencer.isStopped() ? fencer : null;
  }

  /// Whether a fencer knows that a node has a watchdog.
  boolean knows(SimProcess fencer, String node) {
    return heard.getOrDefault(fencer.pid(), Set.of()).contains(node);
  }
}
