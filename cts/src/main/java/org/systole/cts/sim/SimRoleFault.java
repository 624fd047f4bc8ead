package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Something that happens just while a jig runs.
final class SimRoleFault {
  private static final long SECOND = 1_000_000_000L;
  private static final long SOON = 50_000_000L;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimRoleChanges changes;

  SimRoleFault(SimCluster cluster, RandomGenerator random, SimRoleChanges changes) {
    this.cluster = cluster;
    this.random = random;
    this.changes = changes;
  }

  /// It comes soon after the next start of a jig.
  void arm() {
    var after = random.nextLong(random.nextBoolean() ? SOON : 3 * SECOND);
    var kind = random.nextInt(17);
    cluster
        .checks()
        .roles()
        .onceOneRuns(
            node -> cluster.queue().after(after, () -> strike(cluster.node(node), kind)));
  }

  private void strike(SimNode node, int kind) {
    if (!changes.isWriting()) {
      return; // the faults have ended meanwhile
    }
    cluster.note("while a jig runs on " + node);
    switch (kind) {
      case 0 -> off(node);
      case 1 -> off(dc(node));
      case 2, 3 -> node.kill("execd");
      case 4 -> dc(node).kill("cibd");
      case 5 -> dc(node).kill("controld");
      case 6 -> node.kill("controld");
      case 7 -> node.kill("pacemakerd");
      case 8 -> dc(node).kill("attrd");
      case 9 -> {
        node.pause();
        cluster.queue().after(random.nextLong(8 * SECOND), node::resume);
      }
      case 10 -> ask(changes.proposal() + "<commit/>");
      case 11 -> ask("<delete-node node=\"%s\" force=\"true\"/>".formatted(node));
      case 12 -> ask(changes.rollBack());
      case 13 -> ask("<jig id=\"script\" active=\"false\"/>");
      case 14 -> ask("<unavailable node=\"%s\"/>".formatted(node));
      default -> apart();
    }
  }

  private SimNode dc(SimNode otherwise) {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(otherwise);
  }

  private void off(SimNode node) {
    node.powerOff();
    node.powerOnAfter(SECOND + random.nextLong(20 * SECOND));
  }

  private void ask(String steps) {
    var node = changes.someNode();
    if (node != null) {
      changes.ask(node, steps);
    }
  }

  /// The cluster is cut in two, and each side has somebody with a proposal.
  private void apart() {
    var one = new ArrayList<String>();
    var two = new ArrayList<String>();
    for (var each : cluster.nodes()) {
      (one.size() <= two.size() && random.nextBoolean() ? one : two).add(each.name());
    }
    if (one.isEmpty()) {
      one.add(two.removeLast());
    }
    cluster.partition(List.of(one, two));
    for (var side : List.of(one, two)) {
      var steps = changes.proposal() + "<commit/>";
      cluster
          .queue()
          .after(
              random.nextLong(6 * SECOND),
              () -> {
                var node = cluster.node(side.getFirst());
                if (node.isPowered() && node.isRunning()) {
                  changes.ask(node, steps);
                }
              });
    }
    cluster.queue().after(4 * SECOND + random.nextLong(10 * SECOND), cluster::heal);
  }
}
