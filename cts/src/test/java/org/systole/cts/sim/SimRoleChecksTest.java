package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Store;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.DcWork;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// The checks of roles can fail.
final class SimRoleChecksTest extends RolesSeen {
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

  /// A role that is done anew has those that rest on it wait, which may be in error again in the same write.
  @Test
  void anErrorOfWhatRestsOnItHoldsUpNothing() {
    beginAll();
    var failed = with(desk.roles(), "b@node1", NodeRoleState.ERROR, 2);
    checks.see(failed);
    checks.see(with(failed, "a@node1", NodeRoleState.TRANSITION, 3));
    assertEquals(
        List.of(), cluster.failures().stream().filter(it -> it.contains("a@node1 was begun")).toList());
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

  /// Each node writes what is there when its disk is free.
  @Test
  void aDocumentThatTheOthersHavePassedOverIsNotTheNewestOne() {
    var shut = desk.roles();
    var between = with(shut, "gate@node1", NodeRoleState.ACTIVE, 0);
    var open = with(between, "gate@node2", NodeRoleState.ACTIVE, 0);
    onDisk("node1", shut, new SimRolesPlace(1, 7, 0));
    onDisk("node1", open, new SimRolesPlace(1, 9, 0));
    onDisk("node2", between, new SimRolesPlace(1, 8, 0));
    assertEquals(open.document(), newest());
    onDisk("node2", between, new SimRolesPlace(2, 9, 0));
    assertEquals(open.document(), newest(), "node2 has it already");
    onDisk("node3", shut, new SimRolesPlace(2, 10, 0));
    onDisk("node1", between, new SimRolesPlace(2, 11, 0));
    assertEquals(between.document(), newest(), "as a new primary has it");
  }

  @Test
  void aBatchSaysWhereItLeads() {
    var log = new Store.Change.Append("cib.log", "0badcafe 12 d1 3 4 57 0 0 on 3 40\n...".getBytes(StandardCharsets.UTF_8));
    var meta =
        new Store.Change.Write("cib.meta", "promised 5\nentry d1 4 57 0 0 on\nentry d2 5 58 5 1 left 4 57\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(new SimRolesPlace(4, 57, 0), SimRolesPlace.of(List.of(log)));
    assertEquals(new SimRolesPlace(5, 58, 1), SimRolesPlace.of(List.of(meta)));
    assertNull(SimRolesPlace.of(List.of(new Store.Change.Delete("cib.xml"))));
    assertTrue(new SimRolesPlace(4, 57, 0).isBefore(new SimRolesPlace(4, 57, 1)));
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
  void aRunOfARoleThatThereIsNotIsNoticed() {
    onDisk("node1", with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 1));
    assertEquals(List.of(), cluster.failures());
    var document = with(desk.roles(), "once@node2", NodeRoleState.TRANSITION, 1).document();
    var roles = new TreeMap<>(document.roles());
    roles.remove(id("once@node2").role());
    var snapshots = new TreeMap<>(document.snapshots());
    snapshots.replaceAll(
        (id, it) -> new Snapshot(id, SnapshotState.ARCHIVED, it.deploymentRoles(), it.nodeRoles()));
    onDisk(
        "node1",
        new ClusterRoles(
            new RolesDocument("", document.jigs(), roles, document.nodes(), document.deployments(), snapshots),
            desk.roles().audit(),
            desk.roles().stays()));
    assertEquals(Set.of(SimCheck.ENDLESS_RUN), cluster.checksFailed());
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
