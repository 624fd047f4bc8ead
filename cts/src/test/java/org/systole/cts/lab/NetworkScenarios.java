package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.tools.demo.LocalNode;

/// Nodes that cannot reach each other.
final class NetworkScenarios {
  private static final int SLOW_FENCING_SECONDS = 20;

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
        Scenario.of("one-way-to-dc", "a node's packets to the DC are lost", it -> oneWay(it, true)),
        Scenario.of(
            "one-way-from-dc", "the DC's packets to a node are lost", it -> oneWay(it, false)),
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

  /// The minority must not wait for somebody to shoot it.
  private static void slowFencing(Run run) throws IOException {
    var victim = run.lab().node(run.lab().evidence().holders("first").first());
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
    oneOfThemGoes(run, one, other);
  }

  private static void oneWay(Run run, boolean toDc) throws IOException {
    var dc = run.lab().node(run.dc());
    var other = run.others(dc).getFirst();
    var from = toDc ? other : dc;
    var to = toDc ? dc : other;
    run.mayFence(from);
    run.mayFence(to);
    run.fault(() -> run.lab().network().cutOneWay(Run.id(from), Run.id(to)));
    oneOfThemGoes(run, from, to);
  }

  /// The third node reaches both; who of the two stays with it, has to act alone with it.
  private static void oneOfThemGoes(Run run, LocalNode one, LocalNode other) throws IOException {
    var third = run.lab().otherThan(one.name(), other.name());
    run.await(
        "detection",
        third,
        "one of %s and %s is no longer online".formatted(one.name(), other.name()),
        it -> it.online().size() < 3);
    run.await(
        "recovery",
        third,
        "everything active on two nodes, all of them known",
        it ->
            it.dc() != null
                && it.online().size() >= 2
                && it.status().nodes.stream().noneMatch(node -> node.unclean)
                && Health.EXCLUSIVE.stream()
                    .allMatch(rsc -> Health.runsOnOneOf(run.lab(), rsc, it.online())));
    run.lab().network().heal();
  }

  private static void twoNodes(Run run) throws IOException {
    var nodes = run.lab().nodes();
    var first = nodes.getFirst();
    var second = nodes.getLast();
    run.mustFence(second); // fencing node1 waits longer
    run.fault(() -> run.lab().network().cut(Run.id(first), Run.id(second)));
    run.awaitDetection(first, second);
    run.awaitRecovery(List.of(first));
    // started again it must wait for all, and not shoot back
    run.await("rebooted", second.name() + " is up again", () -> isUp(second));
    run.lab().network().heal();
  }

  private static boolean isUp(LocalNode node) {
    return LabProcesses.of(node, "controld").size() == 1;
  }
}
