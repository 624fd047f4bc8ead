package org.systole.cts.sim;

import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.view.LiveRoles;

/// What happens just as a run is written and has not begun, and what happens to gates: seldom by itself, and only at
/// these moments of any consequence.
final class SimRoleOrders {
  private static final long SECOND = 1_000_000_000L;
  private static final long LOOK = 40_000_000L; // no executor is there sooner
  private static final int LATE_OF = 6;
  private static final int GATES_OF = 10;
  private static final int GONE_OF = 8;
  private static final String BRIEF = "brief";
  private static final long AT_ONCE = 30_000_000L; // no step is done sooner

  private final SimCluster cluster;
  private final SimRoleChanges changes;
  private final RandomGenerator random;

  /// @param number a draw, by which its own stream of chance differs from others
  SimRoleOrders(SimCluster cluster, SimRoleChanges changes, long number) {
    this.cluster = cluster;
    this.changes = changes;
    this.random = cluster.random("role-orders", "", "", number);
  }

  /// @param remove removes a role with all that requires it, and defines them again later
  /// @return whether something is to happen, instead of anything else
  boolean arm(Consumer<String> remove) {
    if (random.nextInt(LATE_OF) == 0) {
      cluster
          .checks()
          .roles()
          .runs()
          .onceOneIsWritten(id -> cluster.queue().after(0, () -> ordered(id)));
      return true;
    }
    if (random.nextInt(GATES_OF) == 0 && cluster.checks().roles().plan().gate()) {
      cluster.queue().after(random.nextLong(SECOND), this::shutAll);
      return true;
    }
    if (random.nextInt(GONE_OF) == 0) {
      removedWhileItRuns(remove);
      return true;
    }
    return false;
  }

  /// A role goes while its jig runs: that of the next run, if it may go without what the gate waits for.
  private void removedWhileItRuns(Consumer<String> remove) {
    cluster
        .checks()
        .roles()
        .runs()
        .onceOneRuns(
            noderole -> {
              var role = noderole.substring(0, noderole.indexOf('@'));
              if (mayGo(role)) {
                cluster.queue().after(random.nextLong(AT_ONCE), () -> remove.accept(role));
              } else {
                cluster.queue().after(0, this::comesAndGoes);
              }
            });
  }

  /// What may go by itself is seldom what runs, so there is one more for a moment: nothing requires it, and its jig runs
  /// when it goes.
  private void comesAndGoes() {
    var newest = roles();
    if (newest == null || !changes.isWriting()) {
      return;
    }
    var live = new LiveRoles(newest.document()).all().values();
    var free =
        cluster.nodes().stream()
            .map(SimNode::name)
            .filter(it -> live.stream().noneMatch(of -> of.id().node().text().equals(it) && of.state() == NodeRoleState.ERROR))
            .toList();
    if (free.isEmpty()) {
      return; // it would wait there
    }
    var node = free.get(random.nextInt(free.size()));
    cluster
        .checks()
        .roles()
        .runs()
        .onceItRuns(
            BRIEF + "@" + node,
            () -> cluster.queue().after(random.nextLong(AT_ONCE), () -> ask(new SimRoleGoing(roles()).removed(BRIEF))));
    ask(
        "<role id=\"%s\" jig=\"script\" timeout=\"10s\"/>%s<propose/><bind role=\"%s\" node=\"%s\"/><commit/>"
            .formatted(BRIEF, new SimRoleGoing(newest).discarded(), BRIEF, node));
  }

  private boolean mayGo(String role) {
    var newest = roles();
    var id = RoleId.of(role);
    var known = newest == null || id == null ? null : newest.document().roles().get(id);
    return known != null && !known.is(RoleFlag.DESTRUCTIVE) && !new SimRoleGoing(newest).removed(role).isEmpty();
  }

  /// The node's executor goes for a while, and before it is back nobody wants the run any more, or the node is in
  /// maintenance.
  private void ordered(NodeRoleId id) {
    var node = cluster.nodeOrNull(id.node().text());
    if (node == null || !changes.isWriting()) {
      return;
    }
    cluster.note("before a jig runs on " + node);
    var away = 2 * SECOND + random.nextLong(12 * SECOND);
    keepAway(node, cluster.queue().now() + away);
    var meanwhile = SECOND / 2 + random.nextLong(2 * SECOND);
    if (random.nextBoolean()) {
      var back = away + random.nextLong(15 * SECOND);
      cluster.queue().after(meanwhile, () -> maintain(node, "true"));
      cluster.queue().after(meanwhile + back, () -> maintain(node, "false"));
    } else {
      cluster
          .queue()
          .after(meanwhile, () -> ask(new SimRoleGoing(roles()).unbound(it -> it.equals(id))));
    }
  }

  private void keepAway(SimNode node, long until) {
    if (cluster.queue().now() < until && changes.isWriting()) {
      node.kill("execd");
      cluster.queue().after(LOOK, () -> keepAway(node, until));
    }
  }

  private void maintain(SimNode node, String value) {
    var asker = changes.someNode();
    if (asker != null && changes.isWriting()) {
      var change = SimChanges.nodeAttribute(node, "maintenance", value);
      cluster
          .story()
          .deed(
              "change %s %s".formatted(asker.name(), SimDeeds.told(change)),
              () -> cluster.update(asker.name(), List.of(change), _ -> {}));
    }
  }

  /// All gates shut, and stay so while a node is lost: whoever fences it has to be there all the same.
  private void shutAll() {
    var newest = roles();
    if (newest == null || !changes.isWriting()) {
      return;
    }
    cluster.note("all gates shut");
    var steps = new StringBuilder("<jig id=\"script\" active=\"false\"/>");
    for (var it : new LiveRoles(newest.document()).all().keySet()) {
      if (it.role().text().equals(SimRolePlan.GATE)) {
        steps.append("<retry role=\"%s\" node=\"%s\"/>".formatted(it.role(), it.node()));
      }
    }
    ask(steps.toString());
    var lost = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    cluster
        .queue()
        .after(
            3 * SECOND + random.nextLong(8 * SECOND),
            () -> {
              if (changes.isWriting()) {
                lost.powerOff();
                lost.powerOnAfter(20 * SECOND + random.nextLong(20 * SECOND));
              }
            });
    cluster
        .queue()
        .after(
            45 * SECOND,
            () -> {
              if (changes.isWriting()) {
                ask("<jig id=\"script\" active=\"true\"/>");
              }
            });
  }

  private @Nullable ClusterRoles roles() {
    return cluster.checks().roles().newest();
  }

  private void ask(String steps) {
    var node = changes.someNode();
    if (node != null && !steps.isEmpty() && changes.isWriting()) {
      changes.ask(node, steps);
    }
  }
}
