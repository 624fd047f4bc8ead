package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.live.ClusterRoles;

/// Something that happens just while a jig runs.
final class SimRoleFault {
  private static final long SECOND = 1_000_000_000L;
  private static final long SOON = 50_000_000L;
  private static final int ROLE = 17; // is removed
  private static final int BINDING = 18;
  private static final int NODE = 19; // is unbound
  private static final int TORN = 20; // are the files of several nodes
  private static final List<Integer> GOES = List.of(ROLE, ROLE, BINDING, NODE, TORN);

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
    var drawn = random.nextInt(17);
    // by a stream of its own, so that the others are what they were
    var other = cluster.random("role-goes", "", "", (int) after).nextInt(12);
    var kind = other < GOES.size() ? GOES.get(other) : drawn;
    if (new SimRoleOrders(cluster, changes, after).arm(this::removed)) {
      return;
    }
    cluster
        .checks()
        .roles()
        .runs()
        .onceOneRuns(
            noderole -> cluster.queue().after(after, () -> strike(noderole, kind)));
  }

  private void strike(String noderole, int kind) {
    var at = noderole.indexOf('@');
    var node = cluster.node(noderole.substring(at + 1));
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
      case ROLE -> removed(noderole.substring(0, at));
      case BINDING -> ask(new SimRoleGoing(roles()).unbound(it -> it.toString().equals(noderole)));
      case TORN -> torn();
      case NODE -> ask(new SimRoleGoing(roles()).unbound(it -> it.node().text().equals(node.name())));
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

  /// The power fails everywhere and leaves damaged roles on all nodes but one, which is the last to come back. It is one whose
  /// roles were not damaged before: who has lost them all, stays without them until a person begins anew.
  private void torn() {
    var chosen = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    var whole =
        hasRoles(chosen)
            ? chosen
            : cluster.nodes().stream().filter(SimRoleFault::hasRoles).findFirst().orElse(null);
    if (whole == null) {
      return;
    }
    for (var node : cluster.nodes()) {
      cluster.checks().roles().diskLoses(node);
    }
    for (var node : cluster.nodes()) {
      node.powerOff();
      var content = node.file("cibd", "roles.xml");
      if (node != whole && content != null) {
        cluster.note(node + ": roles.xml is cut short");
        node.file("cibd", "roles.xml", Arrays.copyOf(content, content.length / 2));
      }
      node.powerOnAfter((node == whole ? 15 : 2) * SECOND);
    }
  }

  static boolean hasRoles(SimNode node) {
    var content = node.file("cibd", "roles.xml");
    if (content == null) {
      return false;
    }
    try {
      XmlReader.parse(content);
      return true;
    } catch (XmlException _) {
      return false;
    }
  }

  private @Nullable ClusterRoles roles() {
    return cluster.checks().roles().newest();
  }

  /// A role goes, and with it what requires it; mostly all is back soon.
  private void removed(String role) {
    if (!changes.isWriting()) {
      return; // the faults have ended meanwhile
    }
    var gone = new SimRoleGoing(roles());
    ask(gone.removed(role));
    cluster
        .queue()
        .after(
            random.nextLong(9 * SECOND),
            () -> {
              if (changes.isWriting()) {
                ask(changes.defined(gone.roles()) + changes.proposal() + "<commit/>");
              }
            });
  }

  private void ask(String steps) {
    var node = changes.someNode();
    if (node != null && !steps.isEmpty()) {
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
