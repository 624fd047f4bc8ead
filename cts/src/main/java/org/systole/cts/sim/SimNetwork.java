package org.systole.cts.sim;

import java.util.TreeSet;
import java.util.Set;

/// The network between the nodes, and who can reach whom over it.
final class SimNetwork {
  private final SimCluster cluster;

  /// Directed pairs "from>to" that are cut.
  private final Set<String> cut = new TreeSet<>();

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Cuts or mends one direction.
  void link(SimNode from, SimNode to, boolean up) {
    var pair = from.name() + ">" + to.name();
    if (up) {
      cut.remove(pair);
    } else {
      cut.add(pair);
    }
  }

  void mendAll() {
    cut.clear();
  }

  boolean reaches(SimNode from, SimNode to) {
    return from == to || !cut.contains(from.name() + ">" + to.name());
  }

  void vanished(SimNode node) {
    cluster.note(node.name() + " vanished from the network");
  }

  void resumed(SimNode node) {
    cluster.note(node.name() + " is heard on the network again");
  }
}
