package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Processes;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonText;
import org.systole.roles.live.DcWork;
import org.systole.roles.model.NodeRoleState;

/// The checks of the jigs that executors run, and of what they are given, can fail.
final class SimJigRunsTest extends RolesSeen {
  @Test
  void twoJigsOfAnExecutorAtOneTimeAreNoticed() {
    beginAll();
    checks.see(desk.roles());
    var executor = executor("node1");
    runs(executor, "a@node1", 1);
    checks.said(executor, "warning: Jig script failed for a@node1 (run 1): so");
    runs(executor("node2"), desk.roles().document().nodes().isEmpty() ? "" : "gate@node2", 1);
    assertEquals(List.of(), cluster.failures());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 2));
    runs(executor, "a@node1", 2);
    assertEquals(List.of(), cluster.failures());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 3));
    runs(executor, "a@node1", 3);
    assertEquals(Set.of(SimCheck.TWO_JIGS), cluster.checksFailed());
  }

  @Test
  void aRunThatIsBegunTwiceOrWithoutBeingWrittenIsNoticed() {
    beginAll();
    checks.see(desk.roles());
    runs(executor("node1"), "a@node1", 1);
    assertEquals(List.of(), cluster.failures());
    runs(executor("node1"), "a@node1", 1);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
    runs(executor("node1"), "a@node1", 2);
    assertEquals(Set.of(SimCheck.RAN_AGAIN, SimCheck.ROLE_TOO_EARLY), cluster.checksFailed());
  }

  @Test
  void aDestructiveRoleThatRunsAgainUnallowedIsNoticed() {
    for (var run = 1; run <= 3; run++) {
      checks.see(with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, run));
    }
    runs(executor("node2"), "once@node2", 1);
    checks.runs().asked(
        SimRolePlan.xml("<steps><retry role=\"once\" node=\"node2\" again=\"true\"/></steps>"));
    runs(executor("node2"), "once@node2", 2);
    assertEquals(List.of(), cluster.failures());
    runs(executor("node2"), "once@node2", 3);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aDestructiveRoleThatRunsAgainOnANodeThatWasDeletedIsNoticed() {
    checks.see(with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 1));
    runs(executor("node2"), "once@node2", 1);
    checks.runs().asked(SimRolePlan.xml("<steps><delete-node node=\"node2\" force=\"true\"/></steps>"));
    checks.see(with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 2));
    runs(executor("node2"), "once@node2", 2);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aRoleThatIsMadeDestructiveCountsTheRunsBefore() {
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 1));
    runs(executor("node1"), "a@node1", 1);
    steps("<role id=\"a\" jig=\"script\" destructive=\"true\"/>");
    checks.see(desk.roles());
    checks.runs().asked(
        SimRolePlan.xml("<steps><retry role=\"a\" node=\"node1\" again=\"true\"/></steps>"));
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 2));
    runs(executor("node1"), "a@node1", 2);
    assertEquals(List.of(), cluster.failures());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 3));
    runs(executor("node1"), "a@node1", 3);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aRoleThatIsMadeDestructiveWhileItsNodeIsDeletedCountsTheRunsBefore() {
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 1));
    runs(executor("node1"), "a@node1", 1);
    steps("<delete-node node=\"node1\" force=\"true\"/>");
    checks.see(desk.roles());
    steps("<role id=\"a\" jig=\"script\" destructive=\"true\"/>");
    checks.see(desk.roles());
    dc(DcWork.member(NODE1, 2), DcWork.member(NODE2, 1));
    steps("<propose/><bind role=\"a\" node=\"node1\"/><commit/>");
    checks.see(desk.roles());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 2));
    assertEquals(List.of(), cluster.failures());
    runs(executor("node1"), "a@node1", 2);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aRunThatIsBegunWhenItIsOverIsNoticed() {
    beginAll();
    checks.see(desk.roles());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TODO, 1)); // its node was held for lost
    cluster.run(Duration.ofSeconds(5));
    runs(executor("node1"), "a@node1", 1);
    assertEquals(List.of(), cluster.failures(), "it was on its way");
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 2));
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TODO, 2));
    cluster.run(Duration.ofSeconds(6));
    checks.runs().wentOn(cluster.node("node1"));
    cluster.run(Duration.ofSeconds(2));
    checks.said(executor("node1"), "notice: Jig script is done for a@node1 (run 1)");
    runs(executor("node1"), "a@node1", 2);
    assertEquals(List.of(), cluster.failures(), "its executor stood still");
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 3));
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TODO, 3));
    cluster.run(Duration.ofSeconds(6));
    runs(executor("node1"), "a@node1", 3);
    assertEquals(Set.of(SimCheck.RAN_LATE), cluster.checksFailed());
  }

  /// That it ended just then is seen a moment later, or never if the node is lost.
  @Test
  void aRunThatIsBegunInMaintenanceIsNoticedUnlessTheNodeIsLost() {
    assertEquals(Set.of(SimCheck.RAN_LATE), begunInMaintenance(false, _ -> {}));
    assertEquals(Set.of(), begunInMaintenance(false, SimNode::powerOff));
  }

  /// As where two sides meet, and one was in maintenance.
  @Test
  void aRunThatIsBegunWhereMaintenanceHasEndedForAMomentIsNotLate() {
    assertEquals(Set.of(), begunInMaintenance(true, _ -> {}));
  }

  private static Set<SimCheck> begunInMaintenance(boolean interrupted, Consumer<SimNode> then) {
    var live = RealDaemons.cluster(1, 3);
    live.loadCib(SimCibs.standard(3));
    live.powerOnAll();
    assertTrue(live.settle(Duration.ofMinutes(2)), live.unsettled()::toString);
    var runs = live.checks().roles().runs();
    var promises = new SimPromises(live);
    var node = live.node("node1");
    var changes = new SimChanges(live, promises);
    changes.ask(node, SimChanges.nodeAttribute(node, "maintenance", "on"));
    for (var second = 0; second < 10; second++) {
      live.run(Duration.ofSeconds(1));
      runs.everySecond();
    }
    if (interrupted) {
      changes.ask(node, SimChanges.nodeAttribute(node, "maintenance", "off"));
      live.run(Duration.ofMillis(400));
    }
    runs.said(Objects.requireNonNull(node.process("execd")), "notice: Jig script runs for a@node1 (run 1)");
    then.accept(node);
    if (interrupted) {
      changes.ask(node, SimChanges.nodeAttribute(node, "maintenance", "on"));
      live.run(Duration.ofMillis(400));
      runs.everySecond();
    }
    live.run(Duration.ofSeconds(3));
    return live.checksFailed();
  }

  private void given(String noderole, int run, String input) {
    var node = cluster.node("node1");
    var environment = Map.of("SYSTOLE_NODEROLE", noderole, "SYSTOLE_RUN", "" + run);
    var program = new Processes.Program(List.of(SimJigs.STEPS), environment, input + "\nmore", Duration.ZERO, 1);
    checks.stepsStart(node, node.spawn(SimJigs.STEPS), program);
    node.processes().forEach(it -> it.end(0, 0));
  }

  @Test
  void aJigThatIsGivenOtherDataThanTheDocumentSaysIsNoticed() {
    steps("<propose/><set role=\"a\">{\"a\":{\"x\":1,\"y\":[2]},\"b\":{\"z\":1}}</set>"
        + "<set role=\"b\" node=\"node1\">{\"b\":{\"z\":null,\"password\":\"lrm://\"},\"a\":{\"y\":3}}</set><commit/>");
    checks.see(with(desk.roles(), "b@node1", NodeRoleState.TRANSITION, 1));
    var secret = JsonText.write(new Json.Text(SimJigs.SECRET));
    given("b@node1", 1, "{\"a\":{\"x\":1,\"y\":3},\"b\":{\"password\":" + secret + ",\"z\":null}}");
    assertEquals(Set.of(), dataFaults());
    given("b@node1", 1, "{\"a\":{\"x\":1,\"y\":3},\"b\":{\"password\":" + secret + ",\"z\":1}}");
    assertEquals(Set.of(SimCheck.GIVEN), dataFaults());
  }

  private Set<SimCheck> dataFaults() {
    return cluster.checksFailed().contains(SimCheck.GIVEN) ? Set.of(SimCheck.GIVEN) : Set.of();
  }

  @Test
  void twoProgramsOfJigsOnANodeAreNoticed() {
    var node = cluster.node("node1");
    checks.runs().stepsStart(node, node.spawn(SimJigs.STEPS));
    assertEquals(List.of(), cluster.failures());
    checks.runs().stepsStart(node, node.spawn(SimJigs.STEPS));
    assertEquals(Set.of(SimCheck.TWO_JIGS), cluster.checksFailed());
  }

  @Test
  void aDestructiveRunThatIsStoppedIsNoticed() {
    checks.see(with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 1));
    checks.said(executor("node2"), "warning: Jig script failed for once@node2 (run 1): it took too long");
    checks.said(executor("node1"), "warning: Jig script failed for a@node1 (run 1): it was cancelled");
    assertEquals(List.of(), cluster.failures());
    checks.said(
        executor("node2"), "warning: Jig script failed for once@node2 (run 1): another run was begun: next@node2");
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }
}
