package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
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

/// What tests of the checks of roles begin with: three nodes of which nothing runs, and roles on two of them.
abstract class RolesSeen {
  static final NodeName NODE1 = new NodeName("node1");
  static final NodeName NODE2 = new NodeName("node2");

  final SimCluster cluster = new SimCluster(1, 3);
  final SimRoleChecks checks = cluster.checks().roles();
  final RolesDesk desk = desk();

  RolesSeen() {
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

  static RolesDesk desk() {
    try {
      return new RolesDesk(null, () -> 0);
    } catch (DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  void carryOut(Element request, boolean dc) {
    var who = new RolesDesk.Who("now", "root", NODE1, "test", dc, List.of());
    assertNull(desk.carryOut(request, who));
  }

  void steps(String steps) {
    carryOut(SimRolePlan.xml("<steps>" + steps + "</steps>"), false);
  }

  void dc(Element... parts) {
    carryOut(DcWork.request().addAll(List.of(parts)).build(), true);
  }

  void beginAll() {
    Annealer.plan(desk.roles().document()).forEach(it -> dc(DcWork.begin(it)));
  }

  /// The document with a noderole in another state.
  static ClusterRoles with(ClusterRoles roles, String noderole, NodeRoleState state, int run) {
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

  static NodeRoleId id(String noderole) {
    var id = NodeRoleId.of(noderole);
    if (id == null) {
      throw new IllegalArgumentException(noderole);
    }
    return id;
  }

  /// It comes onto the disk of a node.
  void onDisk(String node, ClusterRoles roles) {
    onDisk(node, roles, SimRolesPlace.NONE);
  }

  /// @param place where in the cluster's history it stands
  void onDisk(String node, ClusterRoles roles, SimRolesPlace place) {
    var text = XmlWriter.compact(roles.write());
    var content =
        text.replaceFirst(">", " digest=\"" + Md5.of(text) + "\">").getBytes(StandardCharsets.UTF_8);
    cluster.node(node).disk("cibd").files().put("roles.xml", content);
    checks.written(cluster.node(node), content, place);
  }

  @Nullable RolesDocument newest() {
    var newest = checks.newest();
    return newest == null ? null : newest.document();
  }

  void runs(SimProcess executor, String noderole, int run) {
    checks.said(executor, "notice: Jig script runs for %s (run %d)".formatted(noderole, run));
  }

  SimProcess executor(String node) {
    return new SimProcess(cluster.node(node), "execd", cluster.nextPid());
  }
}
