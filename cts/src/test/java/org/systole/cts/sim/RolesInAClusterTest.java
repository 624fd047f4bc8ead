package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.view.LiveRoles;

/// Roles in a cluster of real daemons: the DC's annealer, jigs on the nodes, what becomes of runs.
final class RolesInAClusterTest {
  private final SimCluster cluster = cluster();

  private static SimCluster cluster() {
    var cluster = RealDaemons.cluster(11, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.trace()::toString);
    return cluster;
  }

  private CibMessage.Answer ask(CibMessage.Request request) {
    var node = cluster.nodes().stream().filter(SimNode::isPowered).findFirst().orElseThrow();
    var answers = new ArrayList<CibMessage.Reply>();
    new SimCommand(node).ask(CibMessage.SOCKET, CibMessage.PROTOCOL, request, answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(70));
    return (CibMessage.Answer) answers.getFirst();
  }

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private void steps(String steps) {
    var request = CibOp.roles(xml("<steps>" + steps + "</steps>"));
    var answer = ask(new CibMessage.Update(List.of(request), false, "", "test", 60_000));
    assertTrue(answer.rc().isOk(), answer::toString);
  }

  private TreeMap<String, NodeRole> live() {
    var all = new TreeMap<String, NodeRole>();
    try {
      var answer = ask(new CibMessage.RolesQuery(""));
      var text = answer.xml();
      if (text != null) {
        new LiveRoles(ClusterRoles.read(xml(text)).document())
            .all()
            .forEach((id, it) -> all.put(id.toString(), it));
      }
      return all;
    } catch (DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  private String state(String noderole) {
    var it = live().get(noderole);
    return it == null ? "none" : it.state().word();
  }

  private void await(String noderole, String state) {
    for (var at = 0; at < 120 && !state(noderole).equals(state); at++) {
      cluster.run(Duration.ofSeconds(1));
    }
    assertEquals(state, state(noderole), () -> live() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures());
  }

  private static String test(String id, String rest, String test) {
    return "<role id=\"%s\" jig=\"test\" %s><data>{\"test\":%s}</data></role>"
        .formatted(id, rest, test);
  }

  private static String bound(String... noderoles) {
    var steps = new StringBuilder("<propose/>");
    for (var it : noderoles) {
      var parts = it.split("@");
      steps.append("<bind role=\"%s\" node=\"%s\"/>".formatted(parts[0], parts[1]));
    }
    return steps + "<commit/>";
  }

  private String attribute(String node, String name) {
    var found = ask(new CibMessage.Query(CibQuery.ALL, "")).xml();
    assertNotNull(found);
    for (var state : xml(found).path("status").children("node_state")) {
      var pair =
          state.find(it -> it.is("nvpair") && name.equals(it.get("name")));
      if (node.equals(state.get("uname")) && pair != null) {
        return pair.get("value", "");
      }
    }
    return "none";
  }

  private String dc() {
    return cluster.dcs().getFirst();
  }

  private String other() {
    return List.of("node1", "node2", "node3").stream()
        .filter(it -> !it.equals(dc()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void rolesAreCarriedOutInTheirOrderAndTellTheirStates() {
    steps(
        "<role id=\"base\" jig=\"noop\" implicit=\"true\"/>"
            + test("app", "", "{\"seconds\":3,\"answer\":{\"port\":80}}")
                .replace("<data>", "<requires role=\"base\"/><data>"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("app@node1", "app@node2"));
    await("app@node1", "active");
    await("app@node2", "active");
    assertEquals("active", state("base@node2"));
    assertEquals("{\"port\":80}", live().get("app@node1").wall().toString());
    cluster.run(Duration.ofSeconds(10));
    assertEquals("active", attribute("node1", "#role-app"));
    assertEquals("none", attribute("node3", "#role-app"));
  }

  /// How many runs go on, for whatever snapshot.
  private long underWay() {
    var text = ask(new CibMessage.RolesQuery("")).xml();
    assertNotNull(text);
    try {
      return ClusterRoles.read(xml(text)).document().snapshots().values().stream()
          .flatMap(it -> it.nodeRoles().values().stream())
          .filter(it -> it.state() == NodeRoleState.TRANSITION)
          .count();
    } catch (DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRunOfWhatIsUnboundIsEndedAndHoldsNothingUp() {
    steps(test("slow", "timeout=\"1000s\"", "{\"seconds\":900}") + test("quick", "", "{\"seconds\":1}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("slow@node1", "quick@node1", "slow@node2"));
    await("slow@node1", "transition");
    await("slow@node2", "transition");
    cluster.run(Duration.ofSeconds(10));

    steps("<propose/><unbind role=\"slow\" node=\"node1\"/><commit/>");
    await("quick@node1", "active");
    assertEquals(1, underWay(), cluster.trace()::toString); // on node2

    steps("<propose/><unbind role=\"slow\" node=\"node2\"/><commit/><remove-role role=\"slow\"/>");
    assertTrue(
        cluster.runUntil(
            () -> cluster.trace().toString().contains("Jig test failed for slow@node2 (run 1): it was cancelled"),
            Duration.ofSeconds(15)),
        cluster.trace()::toString);
    assertEquals(0, underWay());
  }

  @Test
  void aRunOfWhatRunsOnlyOnceGoesOnThoughItIsUnbound() {
    steps(test("format", "timeout=\"1000s\" destructive=\"true\"", "{\"seconds\":60}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("format@node1"));
    await("format@node1", "transition");
    steps("<propose/><unbind role=\"format\" node=\"node1\"/><commit/>");
    cluster.run(Duration.ofSeconds(40));
    assertEquals(1, underWay());
    cluster.run(Duration.ofSeconds(30));
    assertEquals(0, underWay());
    assertTrue(cluster.trace().toString().contains("Jig test is done for format@node1"), cluster.trace()::toString);
  }

  @Test
  void anErrorIsToldAndTheRoleCanBeTriedAgain() {
    steps(test("disk", "", "{\"fail\":\"no disk\"}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("disk@node3"));
    await("disk@node3", "error");
    assertEquals("no disk", live().get("disk@node3").cause());
    cluster.run(Duration.ofSeconds(10));
    assertEquals("error", attribute("node3", "#role-disk"));
    steps("<retry role=\"disk\" node=\"node3\"/>");
    cluster.run(Duration.ofSeconds(10));
    assertEquals(2, live().get("disk@node3").run());
  }

  @Test
  void aJigThatTakesTooLongIsAnError() {
    steps(test("slow", "timeout=\"5s\"", "{\"seconds\":60}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("slow@node1"));
    await("slow@node1", "error");
    assertEquals("it did not end within 5 s", live().get("slow@node1").cause());
  }

  @Test
  void nonsenseIsAnError() {
    steps(test("odd", "", "{\"answer\":\"[1,\"}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("odd@node1"));
    await("odd@node1", "error");
    assertTrue(live().get("odd@node1").cause().contains("not understood"));
  }

  @Test
  void aRunOutlivesTheDcThatOrderedIt() {
    var node = other();
    steps(test("slow", "destructive=\"true\"", "{\"seconds\":40}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("slow@" + node));
    await("slow@" + node, "transition");
    cluster.node(dc()).powerOff();
    await("slow@" + node, "active");
    assertEquals(1, live().get("slow@" + node).run());
  }

  @Test
  void aRunOutlivesTheControllersOfItsNodeAndOfTheDc() {
    var node = other();
    steps(test("slow", "destructive=\"true\"", "{\"seconds\":40}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("slow@" + node));
    await("slow@" + node, "transition");
    cluster.node(node).kill("controld");
    cluster.run(Duration.ofSeconds(5));
    cluster.node(dc()).kill("controld");
    await("slow@" + node, "active");
    assertEquals(1, live().get("slow@" + node).run());
  }

  @Test
  void whatRunsOnceIsNotRunAgainWhenItsNodeIsLost() {
    var node = other();
    steps(
        test("once", "destructive=\"true\"", "{\"seconds\":40}")
            + test("often", "", "{\"seconds\":1}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("often@" + node, "once@" + node));
    await("often@" + node, "active");
    await("once@" + node, "transition");
    cluster.node(node).powerOff();
    await("once@" + node, "error");
    assertTrue(live().get("once@" + node).cause().contains("only once"));
    cluster.run(Duration.ofSeconds(30));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(60));
    assertEquals("error", state("once@" + node));
    assertEquals(1, live().get("once@" + node).run());
    steps("<accept role=\"once\" node=\"" + node + "\"/>");
    await("often@" + node, "active");
    assertEquals(2, live().get("often@" + node).run(), "a node that is back goes through them again");
  }

  @Test
  void aNodeThatReturnsGetsNothingBeforeItsGateRolesAreActive() {
    var node = other();
    steps(test("disk", "", "{\"seconds\":30}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("disk@node1", "disk@node2", "disk@node3"));
    for (var each : List.of("node1", "node2", "node3")) {
      await("disk@" + each, "active");
    }
    option("join-gate-roles", "disk");
    cluster.run(Duration.ofSeconds(20));
    assertTrue(cluster.resourceOn("store").contains(node), "what was there stays");
    cluster.node(node).powerOff(); // it is fenced, and comes back by that
    var waited = 0;
    var before = List.copyOf(cluster.node(node).activeResources()); // as long as it takes to ask, something may start
    while (live().get("disk@" + node).run() < 2 || !state("disk@" + node).equals("active")) {
      assertTrue(waited < 240, cluster.trace()::toString);
      assertEquals(List.of(), before);
      cluster.run(Duration.ofSeconds(1));
      before = List.copyOf(cluster.node(node).activeResources());
      waited++;
    }
    assertEquals("active", state("disk@" + node));
    assertTrue(waited > 25, "only " + waited + " s");
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.trace()::toString);
    assertTrue(cluster.resourceOn("store").contains(node), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void whatTheGateWaitsForDoesNotWaitForErrorsOfOthers() {
    var node = other();
    steps(test("a-names", "", "{\"fail\":\"the name server is out\"}") + test("disk", "", "{}") + test("wires", "", "{}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("a-names@" + node, "disk@" + node, "wires@" + node));
    await("a-names@" + node, "error");
    cluster.run(Duration.ofSeconds(20));
    assertEquals("todo", state("disk@" + node));
    option("join-gate-roles", "disk");
    await("disk@" + node, "active");
    cluster.run(Duration.ofSeconds(20));
    assertEquals("todo", state("wires@" + node), "this one waits still");
    assertEquals(1, live().get("a-names@" + node).run());
  }

  private void until(String noderole, int run, String state) {
    for (var at = 0; at < 200; at++) {
      var it = live().get(noderole);
      if (it != null && it.run() == run && it.state().word().equals(state)) {
        return;
      }
      cluster.run(Duration.ofSeconds(1));
    }
    assertEquals(run + " " + state, live().toString(), () -> cluster.trace().toString());
  }

  @Test
  void whatIsNotFitAnyMoreIsFoundWithoutACommitAndWhenItIsFitAgain() {
    var node = other();
    steps(
        test("disk", "check-interval=\"10s\"", "{\"checks\":[\"\",\"/srv is not mounted\",\"still not\"]}")
            + test("app", "", "{}").replace("<data>", "<requires role=\"disk\"/><data>"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("disk@" + node, "app@" + node));
    until("app@" + node, 1, "active");
    until("disk@" + node, 1, "error");
    assertEquals("its check failed: /srv is not mounted", live().get("disk@" + node).cause());
    assertEquals("blocked", state("app@" + node));
    cluster.run(Duration.ofSeconds(3));
    assertEquals("error", attribute(node, "#role-disk"));
    until("disk@" + node, 2, "active");
    until("app@" + node, 2, "active");
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void anotherDcLooksAtRolesAndNothingThatRunsOnceRunsForThat() {
    var node = other();
    steps(
        test("array", "check-interval=\"20s\" check-then=\"redo\" destructive=\"true\"", "{\"checks\":[\"degraded\"]}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("array@" + node));
    until("array@" + node, 1, "active");
    cluster.node(dc()).powerOff();
    until("array@" + node, 1, "error");
    assertEquals("its check failed: degraded", live().get("array@" + node).cause());
    until("array@" + node, 1, "active");
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void nothingIsLookedAtInMaintenance() {
    steps(test("disk", "check-interval=\"5s\"", "{\"checks\":[\"\",\"\",\"gone\"]}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("disk@node2"));
    until("disk@node2", 1, "active");
    option("maintenance-mode", "true");
    cluster.run(Duration.ofSeconds(60));
    assertEquals("active", state("disk@node2"));
    option("maintenance-mode", "false");
    until("disk@node2", 1, "error");
    assertEquals(List.of(), cluster.failures());
  }

  private void option(String name, String value) {
    var set =
        CibOp.put(
            "crm_config",
            xml(
                "<cluster_property_set id=\"o\"><nvpair id=\"o-%s\" name=\"%s\" value=\"%s\"/></cluster_property_set>"
                    .formatted(name, name, value)));
    assertTrue(ask(new CibMessage.Update(List.of(set), false, "", "test", 60_000)).rc().isOk());
  }

  @Test
  void aClusterWithoutRolesTakesDefinitionsAndBindingsAtOnce() {
    steps(test("often", "", "{\"seconds\":1}") + bound("often@node2"));
    await("often@node2", "active");
    steps("<propose/><unbind role=\"often\" node=\"node2\"/><commit/>");
    steps(bound("often@node2"));
    await("often@node2", "active");
    assertEquals(2, live().get("often@node2").run(), "a run of its own, not the end of the other");
  }

  @Test
  void aDiscoveryRoleThatCannotBeBoundKeepsNoNodeOut() {
    steps(
        "<role id=\"far\" jig=\"noop\"/>"
            + "<role id=\"odd\" jig=\"noop\" discovery=\"true\"><requires role=\"far\"/></role>"
            + test("well", "discovery=\"true\"", "{\"seconds\":1}"));
    for (var node : List.of("node1", "node2", "node3")) {
      await("well@" + node, "active");
      assertEquals("none", state("odd@" + node));
    }
  }

  @Test
  void whoseGatesAreShutCanStillFence() {
    steps(test("disk", "", "{\"fail\":\"no disk\"}"));
    var gate =
        CibOp.put(
            "crm_config",
            xml(
                "<cluster_property_set id=\"o\"><nvpair id=\"o-gate\" name=\"join-gate-roles\""
                    + " value=\"disk\"/></cluster_property_set>"));
    assertTrue(
        ask(new CibMessage.Update(List.of(gate), false, "", "test", 60_000)).rc().isOk());
    cluster.run(Duration.ofSeconds(20));
    var lost = cluster.node(other());
    lost.pause();
    cluster.runUntil(() -> !lost.isPowered(), Duration.ofMinutes(1));
    assertTrue(
        cluster.trace().changes().stream().anyMatch(it -> it.startsWith(lost + " fenced by")),
        cluster.trace()::toString);
  }

  @Test
  void aRunThatItsExecutorForgotIsRunAgain() {
    var node = other();
    steps(test("slow", "", "{\"seconds\":20}"));
    cluster.run(Duration.ofSeconds(5));
    steps(bound("slow@" + node));
    await("slow@" + node, "transition");
    cluster.node(node).kill("execd");
    await("slow@" + node, "active");
    assertEquals(2, live().get("slow@" + node).run());
  }
}
