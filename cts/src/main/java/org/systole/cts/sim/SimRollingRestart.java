package org.systole.cts.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/// Stops and starts the cluster software of one node after the other, as an administrator does for
/// an update.
final class SimRollingRestart {
  private static final long LOOK = 500_000_000L;
  private static final int LOOKS_MAX = 120;

  private final SimCluster cluster;
  private final Deque<SimNode> left;
  private int looks;

  SimRollingRestart(SimCluster cluster) {
    this.cluster = cluster;
    this.left = new ArrayDeque<>(cluster.nodes());
  }

  void begin() {
    cluster.note("rolling restart");
    cluster.busy(1);
    next();
  }

  private void next() {
    var node = left.poll();
    if (node == null) {
      cluster.busy(-1);
    } else {
      looks = 0;
      node.shutdown();
      cluster.queue().after(LOOK, () -> look(node));
    }
  }

  private void look(SimNode node) {
    if (node.isPowered() && node.isRunning() && ++looks < LOOKS_MAX) {
      cluster.queue().after(LOOK, () -> look(node));
      return;
    }
    if (node.isPowered() && !node.isRunning()) {
      node.startClusterSoon();
    }
    cluster.queue().after(10 * LOOK, this::next);
  }
}
