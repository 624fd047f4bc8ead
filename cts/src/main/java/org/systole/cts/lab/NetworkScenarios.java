package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Nodes that cannot reach each other.
final class NetworkScenarios {
  private static final int SLOW_FENCING_SECONDS = 12;
  private static final int TOKENS = 3;

  private NetworkScenarios() {}

  static List<Scenario> all() {
    return List.of(
        Scenario.of("partition-dc", "the DC is cut off from two others", it -> cutOff(it, true)),
        Scenario.of("partition-node", "another node is cut off", it -> cutOff(it, false)),
        Scenario.of(
            "partition-slow-fencing",
            "a node cut off stops its resources itself before it is fenced",
            NetworkScenarios::slowFencing),
        Scenario.of(
            "link-cut-dc",
            "only the link between the DC and one other of three is cut",
            it -> linkCut(it, true)),
        Scenario.of(
            "link-cut-others", "only the link between the two others is", it -> linkCut(it, false)),
        Scenario.of(
            "one-way-to-dc",
            "a node's packets to the DC are lost",
            it -> oneWay(it, it.dc(), true)),
        Scenario.of(
            "one-way-from-dc",
            "the DC's packets to a node are lost",
            it -> oneWay(it, it.dc(), false)),
        Scenario.of(
            "one-way-to-leader",
            "a node's packets to the one that leads the membership are lost",
            it -> oneWay(it, it.leader(), true)),
        Scenario.of(
            "one-way-from-leader",
            "the packets to a node of the one that leads the membership are lost",
            it -> oneWay(it, it.leader(), false)),
        new Scenario(
            "two-nodes",
            "two nodes with two_node and wait_for_all are cut apart",
            Shape.TWO,
            false,
            NetworkScenarios::twoNodes));
  }

  private static void cutOff(Run run, boolean dc) throws IOException {
    var victim = run.victim(dc);
    var majority = run.others(victim);
    run.mustFence(victim);
    run.fault(() -> run.lab().network().partition(List.of(Run.id(victim))));
    run.awaitDetection(majority.getFirst(), victim);
    run.awaitRecovery(majority);
    run.lab().network().heal();
  }

  /// The minority must not wait until it is fenced.
  private static void slowFencing(Run run) throws IOException {
    var victim = run.victim(false);
    var majority = run.others(victim);
    run.mustFence(victim);
    run.lab().evidence().delayFencing(SLOW_FENCING_SECONDS);
    try {
      run.fault(() -> run.lab().network().partition(List.of(Run.id(victim))));
      run.awaitDetection(majority.getFirst(), victim);
      run.await("stopped", "the end of all on " + victim.name(), () -> holdsNothing(run, victim));
      LabFailure.unless(
          run.lab().evidence().fenced(run.since()).isEmpty(),
          victim.name() + " stopped its resources too late: it was fenced before");
      run.awaitRecovery(majority);
    } finally {
      run.lab().evidence().delayFencing(0);
      run.lab().network().heal();
    }
  }

  private static boolean holdsNothing(Run run, LocalNode node) {
    return Health.EXCLUSIVE.stream()
        .noneMatch(it -> Health.runsOnOneOf(run.lab(), it, List.of(node.name())));
  }

  private static void linkCut(Run run, boolean withDc) throws IOException {
    var dc = run.lab().node(run.dc());
    var others = run.others(dc);
    var one = withDc ? dc : others.getFirst();
    var other = others.getLast();
    run.mayFence(one);
    run.mayFence(other);
    run.fault(() -> run.lab().network().cut(Run.id(one), Run.id(other)));
    settles(run, one, other);
  }

  private static void oneWay(Run run, String name, boolean towards) throws IOException {
    var node = run.lab().node(name);
    var other = run.others(node).getFirst();
    var from = towards ? other : node;
    var to = towards ? node : other;
    run.mayFence(from);
    run.mayFence(to);
    run.fault(() -> run.lab().network().cutOneWay(Run.id(from), Run.id(to)));
    settles(run, from, to);
  }

  /// The third node reaches both. Either one of the two leaves the cluster, or it goes on with all
  /// three; who is in it has to be able to do its part.
  private static void settles(Run run, LocalNode one, LocalNode other) throws IOException {
    var third = run.lab().otherThan(one.name(), other.name());
    var patience = run.patience(TOKENS * run.lab().shape().tokenMillis());
    run.await(
        "detection",
        "time enough, or one of %s and %s gone".formatted(one.name(), other.name()),
        () -> patience.getAsBoolean() || run.lab().now(third).online().size() < 3);
    var members = new ArrayList<String>();
    run.await(
        "recovery",
        third,
        "everything active on those online, all of them known",
        it -> {
          members.clear();
          members.addAll(it.online());
          return it.dc() != null
              && it.online().size() >= 2
              && it.status().nodes().stream().noneMatch(node -> node.unclean())
              && Health.EXCLUSIVE.stream()
                  .allMatch(rsc -> Health.runsOnOneOf(run.lab(), rsc, members));
        });
    run.note(members.size() + " nodes went on");
    for (var member : members) {
      move(run, third, run.lab().node(member));
    }
    run.lab().network().heal();
    Lab.succeed(third, "crm_resource", "-r", "first", "--clear");
  }

  private static void move(Run run, LocalNode by, LocalNode to) throws IOException {
    Lab.succeed(by, "crm_resource", "-r", "first", "--clear");
    Lab.succeed(by, "crm_resource", "-r", "first", "--move", "-N", to.name(), "-f");
    run.await(
        "moved to " + to.name(),
        "first on " + to.name(),
        () -> Health.runsOnOneOf(run.lab(), "first", List.of(to.name())));
  }

  private static void twoNodes(Run run) throws IOException {
    var nodes = run.lab().nodes();
    var first = nodes.getFirst();
    var second = run.loaded(nodes.getLast());
    run.mustFence(second); // fencing node1 waits longer
    run.fault(() -> run.lab().network().cut(Run.id(first), Run.id(second)));
    run.awaitDetection(first, second);
    run.awaitRecovery(List.of(first));
    // started again it must wait for all, and not shoot back
    run.await("fenced", second.name() + " fenced", () -> isFenced(run, second));
    run.await("rebooted", second.name() + " is up again", () -> isUp(second));
    run.lab().network().heal();
  }

  private static boolean isFenced(Run run, LocalNode node) {
    try {
      return run.lab().evidence().fenced(run.since()).containsKey(node.name());
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isUp(LocalNode node) {
    return LabProcesses.of(node, "controld").size() == 1;
  }
}
