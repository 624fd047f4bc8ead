package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes.Program;
import org.systole.roles.model.NodeRoleState;

/// The check of the join gate can fail.
final class SimGateTest extends RolesSeen {
  private static final String FAILED =
      "notice: Fencing (reboot) of node2 by nobody for pacemaker-controld.7@node1 failed: No fence device";

  @Test
  void aGateThatTakesTheFenceDevicesIsNoticed() {
    var fencer = new SimProcess(cluster.node("node1"), "fenced", cluster.nextPid());
    checks.said(fencer, FAILED);
    cluster.run(Duration.ofSeconds(16));
    checks.said(fencer, FAILED.replace("No fence device", "Timed Out"));
    checks.said(fencer, FAILED.replace("@node1", "@node3")); // only told of it
    assertEquals(List.of(), cluster.failures());
    checks.said(fencer, FAILED);
    assertEquals(Set.of(SimCheck.NO_DEVICE), cluster.checksFailed());
  }

  @Test
  void whereOnlyWatchdogsFenceNobodyKnowsOfThatOfANodeNotSeenSince() {
    SimGuards.ALONE.into(cluster);
    var fencer = cluster.node("node1").spawn("fenced");
    checks.said(fencer, "notice: Fence device watchdog (fence_watchdog) is known");
    cluster.run(Duration.ofSeconds(20));
    checks.said(fencer, FAILED);
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void whereOnlyWatchdogsFenceThatOfANodeThatHasBeenAMemberIsKnown() {
    SimGuards.ALONE.into(cluster);
    var fencer = cluster.node("node1").spawn("fenced");
    var other = cluster.node("node2").spawn("fenced");
    checks.said(fencer, "notice: Fence device watchdog (fence_watchdog) is known");
    members(1, 2);
    cluster.run(Duration.ofSeconds(20));
    other.end(0, 9);
    members(1);
    cluster.run(Duration.ofSeconds(20));
    checks.said(fencer, FAILED.replace("node2 by", "node3 by"));
    assertEquals(List.of(), cluster.failures());
    checks.said(fencer, FAILED);
    assertEquals(Set.of(SimCheck.NO_DEVICE), cluster.checksFailed());
  }

  @Test
  void aResourceThatIsStartedWhereTheGateIsShutIsNoticed() {
    var node = cluster.node("node2");
    var open = with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0);
    checks.see(open);
    checks.gate().starts(node, "a");
    assertEquals(List.of(), cluster.failures());
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(80));
    checks.gate().starts(node, "a");
    assertEquals(List.of(), cluster.failures(), "a plan may be under way");
    cluster.run(Duration.ofSeconds(11));
    checks.gate().starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void whatFailedBehindAShutGateMayBeStartedAgainWhereItWas() {
    var node = cluster.node("node2");
    checks.gate().comes(node);
    checks.see(with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0));
    List.of("a", "b:0", "c", "d", "e").forEach(it -> checks.gate().starts(node, it));
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(91));
    List.of("d", "e").forEach(it -> node.force(it, "started")); // c has left
    var scheduler = cluster.node("node1").spawn("schedulerd");
    checks.said(scheduler, "notice: Actions: Recover    a       ( node2 ) | transition=3-21808d8b");
    checks.said(scheduler, "notice: Actions: Recover    b:0     ( Promoted node2 )");
    checks.said(scheduler, "notice: Actions: Recover    c       ( node1 -> node2 )");
    checks.said(scheduler, "notice: Actions: Recover    d       ( node1 -> node2 )");
    checks.said(scheduler, "notice: Actions: Recover    e       ( Promoted -> Started node2 )");
    List.of("a", "b", "d", "e").forEach(it -> checks.gate().starts(node, it));
    cluster.run(Duration.ofSeconds(4));
    assertEquals(List.of(), cluster.failures());
    checks.gate().starts(node, "c");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  /// A machine on node1, and node2, to which it is moved live.
  private void move() {
    var guest = cluster.outside().guests().getFirst();
    assertTrue(cluster.node("node1").agents().move(guest, "vm", "vm", cluster.node("node2")));
  }

  private void machineOnNode1() {
    cluster.outside().guest("inside", "vm");
    List.of("pacemakerd", "remoted").forEach(it -> cluster.daemon(it, (_, _, _, _) -> {}));
    List.of("node1", "node2").forEach(it -> cluster.node(it).powerOn());
    cluster.run(Duration.ofSeconds(10)); // until they have come
    cluster.node("node1").force("vm", "started");
  }

  /// Life 1594.
  @Test
  void whatWasMovedLiveThroughAnOpenGateMayBeStartedAgainWhereItIs() {
    machineOnNode1();
    checks.see(with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0));
    move();
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(91));
    checks.said(
        cluster.node("node1").spawn("schedulerd"), "notice: Actions: Recover    vm       ( node2 )");
    checks.gate().starts(cluster.node("node2"), "vm");
    cluster.run(Duration.ofSeconds(4));
    assertFalse(cluster.checksFailed().contains(SimCheck.PAST_THE_GATE), cluster.failures()::toString);
  }

  @Test
  void whatIsMovedLivePastAShutGateIsNoticed() {
    machineOnNode1();
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(91));
    move();
    cluster.run(Duration.ofSeconds(4));
    assertTrue(cluster.checksFailed().contains(SimCheck.PAST_THE_GATE), cluster.failures()::toString);
  }

  @Test
  void whatHasNotRunThereIsNotStartedAgainWhereItWas() {
    var node = cluster.node("node2");
    checks.see(desk.roles());
    checks.gate().comes(node);
    checks.said(
        cluster.node("node1").spawn("schedulerd"), "notice: Actions: Recover    a       ( node2 )");
    checks.gate().starts(node, "a"); // only its probe has failed
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  /// Odd life 310. What says so is an answer of the agent, and not that it could not look.
  @Test
  void whatIsFoundFailedInThePromotedRoleMayBeStartedAgainWhereItIs() {
    List.of("pacemakerd", "execd").forEach(it -> cluster.daemon(it, (_, _, _, _) -> {}));
    var node = cluster.node("node2");
    node.powerOn();
    cluster.run(Duration.ofSeconds(10)); // until it has come
    checks.see(desk.roles());
    var scheduler = cluster.node("node1").spawn("schedulerd");
    for (var type : List.of("Stateful", "Dummy")) {
      answers(node, type, "9");
      checks.said(scheduler, "notice: Actions: Recover    %s       (   Promoted -> Unpromoted node2 )".formatted(type));
      checks.gate().starts(node, type);
      cluster.run(Duration.ofSeconds(4));
      var found = type.equals("Stateful");
      assertEquals(found ? Set.of() : Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
    }
  }

  /// A probe.
  private void answers(SimNode node, String type, String status) {
    node.agentFault(type, "monitor", List.of("fails", status));
    var probe =
        new Program(
            List.of("/usr/lib/ocf/resource.d/pacemaker/" + type, "monitor"),
            Map.of("OCF_RESOURCE_INSTANCE", type),
            "",
            Duration.ofSeconds(20),
            1_000);
    assertTrue(node.agents().start(node.spawn("agent"), probe, (_, _) -> {}));
    cluster.run(Duration.ofSeconds(4));
  }

  @Test
  void aPlanFromBeforeTheNodeCameDoesNotCountAtTheGate() {
    var node = cluster.node("node2");
    checks.see(desk.roles());
    checks.said(
        cluster.node("node1").spawn("schedulerd"), "notice: Actions: Recover    a       ( node2 )");
    cluster.run(Duration.ofSeconds(1));
    checks.gate().comes(node);
    checks.gate().starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void aGateThatIsOpenFromAnEarlierLifeOfTheNodeDoesNotCount() {
    var node = cluster.node("node2");
    checks.see(with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0));
    cluster.run(Duration.ofSeconds(1));
    checks.gate().comes(node);
    checks.gate().starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  /// What node1 hears.
  private void members(int... ids) {
    var members = Arrays.stream(ids).mapToObj(it -> new Member(new NodeId(it), new NodeName("node" + it), 1));
    cluster.order().told("node1", new Membership(1000L + ids.length, members.toList(), true));
  }
}
