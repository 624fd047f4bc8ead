package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.Md5;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.engine.Annealer;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.DcWork;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// The checks of roles can fail.
final class SimRoleChecksTest {
  private static final NodeName NODE1 = new NodeName("node1");
  private static final NodeName NODE2 = new NodeName("node2");

  private final SimCluster cluster = new SimCluster(1, 3);
  private final SimRoleChecks checks = cluster.checks().roles();
  private final RolesDesk desk = desk();

  SimRoleChecksTest() {
    checks.plan(
        new SimRolePlan(
            true, false, false, List.of(SimRolePlan.xml("<role id=\"gate\" jig=\"script\"/>"))));
    dc(DcWork.member(NODE1, 1), DcWork.member(NODE2, 1));
    steps(
        "<role id=\"a\" jig=\"script\"/><role id=\"b\" jig=\"script\"><requires role=\"a\"/></role>"
            + "<role id=\"once\" jig=\"script\" destructive=\"true\"/><role id=\"gate\" jig=\"script\"/>"
            + "<propose/><bind role=\"a\" node=\"node1\"/><bind role=\"b\" node=\"node1\"/>"
            + "<bind role=\"once\" node=\"node2\"/><bind role=\"gate\" node=\"node2\"/><commit/>");
    checks.see(desk.roles());
  }

  private static RolesDesk desk() {
    try {
      return new RolesDesk(null, () -> 0);
    } catch (DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  private void carryOut(Element request, boolean dc) {
    var who = new RolesDesk.Who("now", "root", NODE1, "test", dc, List.of());
    assertNull(desk.carryOut(request, who));
  }

  private void steps(String steps) {
    carryOut(SimRolePlan.xml("<steps>" + steps + "</steps>"), false);
  }

  private void dc(Element... parts) {
    carryOut(DcWork.request().addAll(List.of(parts)).build(), true);
  }

  private void beginAll() {
    Annealer.plan(desk.roles().document()).forEach(it -> dc(DcWork.begin(it)));
  }

  /// The document with a noderole in another state.
  private static ClusterRoles with(ClusterRoles roles, String noderole, NodeRoleState state, int run) {
    var document = roles.document();
    var snapshots = new TreeMap<>(document.snapshots());
    snapshots.replaceAll(
        (_, snapshot) -> {
          var all = new TreeMap<>(snapshot.nodeRoles());
          all.computeIfPresent(
              id(noderole),
              (id, it) ->
                  new NodeRole(
                      id, state, it.parents(), it.user(), it.system(), it.wall(), run, ""));
          return new Snapshot(
              snapshot.id(), snapshot.state(), snapshot.deploymentRoles(), all);
        });
    return new ClusterRoles(
        new RolesDocument(
            document.domain(),
            document.jigs(),
            document.roles(),
            document.nodes(),
            document.deployments(),
            snapshots),
        roles.audit(),
        roles.stays());
  }

  private static NodeRoleId id(String noderole) {
    var id = NodeRoleId.of(noderole);
    if (id == null) {
      throw new IllegalArgumentException(noderole);
    }
    return id;
  }

  @Test
  void anErrorOnItsNodeHoldsUpWhatTheGateDoesNotWaitFor() {
    var failed = with(desk.roles(), "once@node2", NodeRoleState.ERROR, 1);
    checks.see(with(failed, "gate@node2", NodeRoleState.TODO, 0));
    checks.see(with(failed, "gate@node2", NodeRoleState.TRANSITION, 1));
    assertEquals(List.of(), cluster.failures().stream().filter(it -> it.contains("something is in error there")).toList());
    var gate = with(desk.roles(), "gate@node2", NodeRoleState.ERROR, 1);
    checks.see(gate);
    checks.see(with(gate, "once@node2", NodeRoleState.TRANSITION, 2));
    assertTrue(cluster.failures().toString().contains("something is in error there"), cluster.failures()::toString);
  }

  @Test
  void whatIsBegunInOrderIsWell() {
    beginAll();
    checks.see(desk.roles());
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void twoInTransitionOnANodeAreNoticed() {
    beginAll();
    checks.see(with(desk.roles(), "b@node1", NodeRoleState.TRANSITION, 0));
    assertEquals(Set.of(SimCheck.TWO_JIGS), cluster.checksFailed());
  }

  @Test
  void aChildBeforeItsParentIsNoticed() {
    checks.see(with(desk.roles(), "b@node1", NodeRoleState.TRANSITION, 1));
    assertEquals(Set.of(SimCheck.ROLE_TOO_EARLY), cluster.checksFailed());
    assertTrue(cluster.failures().getFirst().contains("what it rests on"), cluster.failures()::toString);
  }

  @Test
  void eachOfTheOtherConditionsIsLookedAt() {
    var broken =
        new TreeMap<>(
            Map.of(
                "<jig id=\"script\" active=\"false\"/>", "its jig is not active",
                "<unavailable node=\"node2\"/>", "its node is not alive and available"));
    broken.forEach(
        (steps, why) -> {
          var test = new SimRoleChecksTest();
          test.steps(steps);
          test.checks.see(test.desk.roles());
          test.checks.see(with(test.desk.roles(), "gate@node2", NodeRoleState.TRANSITION, 1));
          assertEquals(Set.of(SimCheck.ROLE_TOO_EARLY), test.cluster.checksFailed());
          assertTrue(test.cluster.failures().getFirst().contains(why), test.cluster.failures()::toString);
        });
    for (var state : List.of(NodeRoleState.TRANSITION, NodeRoleState.ERROR)) {
      var test = new SimRoleChecksTest();
      var one = with(test.desk.roles(), "gate@node2", state, 0);
      test.checks.see(one);
      test.checks.see(with(one, "once@node2", NodeRoleState.ACTIVE, 1));
      assertTrue(test.cluster.checksFailed().contains(SimCheck.ROLE_TOO_EARLY), state::word);
    }
  }

  @Test
  void anErrorWithoutACauseIsNoticed() {
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.ERROR, 0));
    assertEquals(Set.of(SimCheck.NO_CAUSE), cluster.checksFailed());
  }

  @Test
  void aNoderoleThatIsBoundAnewIsNotBegun() {
    beginAll();
    checks.see(desk.roles());
    var begun = desk.roles();
    steps("<delete-node node=\"node1\"/>");
    dc(DcWork.member(NODE1, 1));
    steps("<propose/><bind role=\"a\" node=\"node1\"/><bind role=\"b\" node=\"node1\"/><commit/>");
    checks.see(desk.roles()); // what was between them came onto no disk
    assertEquals(List.of(), cluster.failures());
    checks.see(begun);
    checks.see(with(desk.roles(), "b@node1", NodeRoleState.ERROR, 2));
    assertTrue(cluster.checksFailed().contains(SimCheck.ROLE_TOO_EARLY), "one above them is begun");
  }

  /// It comes onto the disk of a node.
  private void onDisk(String node, ClusterRoles roles) {
    var text = XmlWriter.compact(roles.write());
    var content =
        text.replaceFirst(">", " digest=\"" + Md5.of(text) + "\">").getBytes(StandardCharsets.UTF_8);
    cluster.node(node).disk("cibd").files().put("roles.xml", content);
    checks.written(cluster.node(node), content);
  }

  @Test
  void aDocumentThatIsAsOneWasBeforeIsTheNewestOne() {
    var shut = desk.roles();
    var open = with(shut, "gate@node2", NodeRoleState.ACTIVE, 0);
    onDisk("node1", shut);
    onDisk("node1", open);
    onDisk("node2", shut);
    onDisk("node2", open);
    assertEquals(open.document(), newest(), "node2 was behind");
    onDisk("node1", shut);
    assertEquals(shut.document(), newest(), "it is as it was");
    onDisk("node3", open);
    onDisk("node2", shut);
    assertEquals(shut.document(), newest(), "node3 was behind");
  }

  private @Nullable RolesDocument newest() {
    var newest = checks.newest();
    return newest == null ? null : newest.document();
  }

  private void runs(SimProcess executor, String noderole, int run) {
    checks.said(executor, "notice: Jig script runs for %s (run %d)".formatted(noderole, run));
  }

  private SimProcess executor(String node) {
    return new SimProcess(cluster.node(node), "execd", cluster.nextPid());
  }

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
    checks.asked(
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
    checks.asked(SimRolePlan.xml("<steps><delete-node node=\"node2\" force=\"true\"/></steps>"));
    checks.see(with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 2));
    runs(executor("node2"), "once@node2", 2);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aChangeAtRestThatDoesNotFitIsNoticed() {
    var before = checks.misfits();
    checks.fitted(before);
    assertEquals(List.of(), cluster.failures());
    var cibd = new SimProcess(cluster.node("node2"), "cibd", cluster.nextPid());
    checks.said(cibd, "notice: This node's CIB does not fit a change; asking for the whole");
    checks.fitted(before);
    assertEquals(Set.of(SimCheck.ROLES_DIFFER), cluster.checksFailed());
  }

  @Test
  void aRoleThatIsMadeDestructiveCountsTheRunsBefore() {
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 1));
    runs(executor("node1"), "a@node1", 1);
    steps("<role id=\"a\" jig=\"script\" destructive=\"true\"/>");
    checks.see(desk.roles());
    checks.asked(
        SimRolePlan.xml("<steps><retry role=\"a\" node=\"node1\" again=\"true\"/></steps>"));
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 2));
    runs(executor("node1"), "a@node1", 2);
    assertEquals(List.of(), cluster.failures());
    checks.see(with(desk.roles(), "a@node1", NodeRoleState.TRANSITION, 3));
    runs(executor("node1"), "a@node1", 3);
    assertEquals(Set.of(SimCheck.RAN_AGAIN), cluster.checksFailed());
  }

  @Test
  void aSecretInALogOrInADocumentIsNoticed() {
    checks.plan(
        new SimRolePlan(
            false,
            false,
            false,
            List.of(
                SimRolePlan.xml(
                    "<role id=\"a\" jig=\"script\"><data>{\"a\":{\"password\":\"lrm://\"}}</data></role>"))));
    checks.said(executor("node1"), "info: a@node1: it was lrm://");
    onDisk("node1", desk.roles());
    assertEquals(List.of(), cluster.failures());
    checks.said(executor("node1"), "info: a@node1: it was " + SimJigs.SECRET.substring(0, 7));
    assertEquals(Set.of(SimCheck.SECRET_TOLD), cluster.checksFailed());
    var other = new SimRoleChecksTest();
    other.checks.plan(checks.plan());
    other.steps("<propose/><set role=\"a\">{\"said\":\"S3CRET\"}</set><commit/>");
    other.onDisk("node1", other.desk.roles());
    assertEquals(Set.of(SimCheck.SECRET_TOLD), other.cluster.checksFailed());
  }

  @Test
  void twoProgramsOfJigsOnANodeAreNoticed() {
    var node = cluster.node("node1");
    checks.stepsStart(node, node.spawn(SimJigs.STEPS));
    assertEquals(List.of(), cluster.failures());
    checks.stepsStart(node, node.spawn(SimJigs.STEPS));
    assertEquals(Set.of(SimCheck.TWO_JIGS), cluster.checksFailed());
  }

  @Test
  void aResourceThatIsStartedWhereTheGateIsShutIsNoticed() {
    var node = cluster.node("node2");
    var open = with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0);
    checks.see(open);
    checks.starts(node, "a");
    assertEquals(List.of(), cluster.failures());
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(80));
    checks.starts(node, "a");
    assertEquals(List.of(), cluster.failures(), "a plan may be under way");
    cluster.run(Duration.ofSeconds(11));
    checks.starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void whatFailedBehindAShutGateMayBeStartedAgainWhereItWas() {
    var node = cluster.node("node2");
    checks.comes(node);
    checks.see(with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0));
    List.of("a", "b:0", "c", "d", "e").forEach(it -> checks.starts(node, it));
    checks.see(desk.roles()); // shut
    cluster.run(Duration.ofSeconds(91));
    List.of("d", "e").forEach(it -> node.force(it, "started")); // c has left
    var scheduler = cluster.node("node1").spawn("schedulerd");
    checks.said(scheduler, "notice: Actions: Recover    a       ( node2 ) | transition=3-21808d8b");
    checks.said(scheduler, "notice: Actions: Recover    b:0     ( Promoted node2 )");
    checks.said(scheduler, "notice: Actions: Recover    c       ( node1 -> node2 )");
    checks.said(scheduler, "notice: Actions: Recover    d       ( node1 -> node2 )");
    checks.said(scheduler, "notice: Actions: Recover    e       ( Promoted -> Started node2 )");
    List.of("a", "b", "d", "e").forEach(it -> checks.starts(node, it));
    cluster.run(Duration.ofSeconds(4));
    assertEquals(List.of(), cluster.failures());
    checks.starts(node, "c");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void whatHasNotRunThereIsNotStartedAgainWhereItWas() {
    var node = cluster.node("node2");
    checks.see(desk.roles());
    checks.comes(node);
    checks.said(
        cluster.node("node1").spawn("schedulerd"), "notice: Actions: Recover    a       ( node2 )");
    checks.starts(node, "a"); // only its probe has failed
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
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

  @Test
  void aPlanFromBeforeTheNodeCameDoesNotCountAtTheGate() {
    var node = cluster.node("node2");
    checks.see(desk.roles());
    checks.said(
        cluster.node("node1").spawn("schedulerd"), "notice: Actions: Recover    a       ( node2 )");
    cluster.run(Duration.ofSeconds(1));
    checks.comes(node);
    checks.starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void aGateThatIsOpenFromAnEarlierLifeOfTheNodeDoesNotCount() {
    var node = cluster.node("node2");
    checks.see(with(desk.roles(), "gate@node2", NodeRoleState.ACTIVE, 0));
    cluster.run(Duration.ofSeconds(1));
    checks.comes(node);
    checks.starts(node, "a");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.PAST_THE_GATE), cluster.checksFailed());
  }

  @Test
  void whatIsNeitherDoneNorWaitsForAPersonIsRestless() {
    var resting = with(desk.roles(), "a@node1", NodeRoleState.ERROR, 1);
    resting = with(resting, "gate@node2", NodeRoleState.ACTIVE, 1);
    assertEquals(List.of("once@node2 is todo (run 0)"), SimRoleRest.restless(resting));
    resting = with(resting, "once@node2", NodeRoleState.ACTIVE, 1);
    assertEquals(List.of(), SimRoleRest.restless(resting), "b waits for a");
    assertEquals(
        List.of("b@node1 is blocked (run 0)"),
        SimRoleRest.restless(with(resting, "a@node1", NodeRoleState.ACTIVE, 1)));
    var snapshots = resting.document().snapshots().values();
    assertTrue(snapshots.stream().anyMatch(it -> it.state() == SnapshotState.COMMITTED));
  }

  @Test
  void rolesThatDifferOnDiskAndChangesThatAreLostAreNoticed() {
    var active = desk.roles();
    for (var each : List.of("a@node1", "b@node1", "once@node2", "gate@node2")) {
      active = with(active, each, NodeRoleState.ACTIVE, 0);
    }
    checks.see(active);
    for (var node : cluster.nodes()) {
      var text = "<cluster-roles digest=\"" + node.name() + "\"/>";
      node.disk("cibd").files().put("roles.xml", text.getBytes(StandardCharsets.UTF_8));
    }
    new SimRoleRest(cluster).check(Map.of("test", "", "admin-7", "<commit/>"));
    assertEquals(Set.of(SimCheck.ROLES_DIFFER, SimCheck.LOST_CHANGE), cluster.checksFailed());
    assertTrue(
        cluster.failures().stream().anyMatch(it -> it.contains("admin-7 was acknowledged and is lost")));
    assertTrue(cluster.failures().stream().anyMatch(it -> it.contains("attributes are not")));
  }
}
