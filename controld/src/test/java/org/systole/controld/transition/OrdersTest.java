package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.inCib;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.Rc;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.controld.TestCib;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.PeerMessage;

/// What the DC, node1, does to have actions carried out; node2 is there, node3 is not.
final class OrdersTest {
  private static final TransitionKey KEY =
      new TransitionKey(1, 4, 0, "be2e97d9-05e2-439d-863e-48f7aecab2aa");

  private final TestWorld world = new TestWorld();
  private final TestCib cib = new TestCib(world);
  private final CibLink link = new CibLink(world, mock(CibLink.Listener.class));
  private final Orders.Host host = mock(Orders.Host.class);
  private final Orders.Local local = mock(Orders.Local.class);
  private final Throttle throttle = new Throttle();
  private final Orders orders = new Orders(world, host, local, link, throttle);
  private final List<String> sent = new ArrayList<>();

  @BeforeEach
  void cluster() {
    link.open();
    world.settle();
    when(host.nodeName()).thenReturn(named("node1"));
    when(host.nodeId(any())).thenReturn(null);
    for (var id = 1; id <= 3; id++) {
      when(host.nodeId(named("node" + id))).thenReturn(id(id));
      when(host.nodeName(id(id))).thenReturn(named("node" + id));
      when(host.isOnline(id(id))).thenReturn(id < 3);
    }
    doAnswer(call -> sent.add(call.getArgument(0) + " " + name(call.getArgument(1))))
        .when(host)
        .send(any(), any());
  }

  private static String name(PeerMessage message) {
    return message.getClass().getSimpleName();
  }

  private void start(String action) {
    orders.start(GraphAction.of(TestCib.xml(action)), KEY);
    world.settle();
  }

  private static String resource(String operation, String node) {
    return """
    <rsc_op id="1" operation="%s" operation_key="a_%s_0" on_node="%s" on_node_uuid="%s">
      <primitive id="a" class="ocf" provider="p" type="D"/><attributes CRM_meta_timeout="20000"/>
    </rsc_op>
    """
        .formatted(operation, operation, node, node.substring(4));
  }

  private static String event(String operation, String node, String more) {
    return """
    <crm_event id="1" operation="%s" operation_key="%s-%s" on_node="%s" on_node_uuid="%s" %s/>
    """
        .formatted(operation, operation, node, node, node.substring(4), more);
  }

  @Test
  void aResourceActionGoesToItsNode() {
    start(resource("start", "node2"));
    assertEquals(List.of("2 Execute"), sent);
  }

  @Test
  void anActionOnARemoteNodeGoesToWhoHasTheConnection() {
    var stop =
        resource("stop", "node9")
            .replace("on_node=\"node9\"", "on_node=\"far\" router_node=\"node2\"");
    start(stop);
    for (var member : List.of("node1", "node3")) {
      connected(member);
      start(stop);
    }
    assertEquals(List.of("2 Execute", "1 Execute", "2 Execute"), sent, "node3 is not there");
    var action = GraphAction.of(TestCib.xml(stop));
    assertTrue(orders.isDoneBy(action, named("node3")));
    assertFalse(orders.isDoneBy(action, named("node1")));
  }

  private void connected(String member) {
    var state = "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"1\" connection=\"%s\"/>";
    cib.status(state.formatted(member));
    world.settle();
  }

  @Test
  void whatWasNotDoneAsAConnectionWasMovedIsAskedOfWhoHasItByThen() {
    var xml =
        resource("stop", "node9").replace("on_node=\"node9\"", "on_node=\"far\" router_node=\"node1\"");
    var stop = GraphAction.of(TestCib.xml(xml));
    connected("node1");
    start(xml);
    assertFalse(orders.startElsewhere(stop, KEY), "it still has it");
    connected("node3");
    assertFalse(orders.startElsewhere(stop, KEY), "it is not there");
    connected("node2");
    assertTrue(orders.startElsewhere(stop, KEY));
    assertFalse(orders.startElsewhere(stop, KEY), "it was asked already");
    assertFalse(orders.startElsewhere(stop, new TransitionKey(1, 5, 0, KEY.engine())), "of another transition");
    assertEquals(List.of("1 Execute", "2 Execute"), sent);
  }

  @Test
  void itIsKnownWhichActionsWereAskedOfTheMemberThatHadTheConnectionBefore() {
    var xml =
        resource("stop", "node9").replace("on_node=\"node9\"", "on_node=\"far\" router_node=\"node1\"");
    var stop = GraphAction.of(TestCib.xml(xml));
    connected("node1");
    start(xml);
    assertFalse(orders.isAskedOfAnother(stop, KEY.transition()), "it still has it");
    assertTrue(orders.isConnected(stop, inCib("1")));
    connected("node2");
    assertTrue(orders.isAskedOfAnother(stop, KEY.transition()));
    assertFalse(orders.isAskedOfAnother(stop, KEY.transition() + 1), "of another transition");
    assertFalse(orders.isConnected(stop, inCib("1")));
    assertTrue(orders.startElsewhere(stop, KEY));
    assertFalse(orders.isAskedOfAnother(stop, KEY.transition()), "it was asked, too");
    cib.status("<node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" connection=\"node1\"/>");
    world.settle();
    assertTrue(orders.isAskedOfAnother(stop, KEY.transition()), "node1 had it last");
    assertTrue(orders.isConnected(stop, inCib("1")), "and says that it has lost it, or was fenced");
  }

  /// It may arrive at its target as late as that: stopped or looked for there before, it would run unknown to all.
  @Test
  void whatMayStillBeMigratedToANodeIsNotStoppedThereBeforeTheSourceIsFenced() throws XmlException {
    var fencing =
        """
        <transition_graph><synapse id="1"><action_set><crm_event id="9" operation="stonith" on_node="node3" on_node_uuid="3"
          operation_key="s"><attributes CRM_meta_stonith_action="%s"/></crm_event></action_set><inputs/></synapse></transition_graph>
        """;
    var run = new GraphRun(TransitionGraph.read(TestCib.xml(fencing.formatted("reboot"))));
    var stop = GraphAction.of(TestCib.xml(resource("stop", "node2")));
    var probe = GraphAction.of(TestCib.xml(resource("monitor", "node2")));
    assertNull(orders.objection(stop, run), "nothing is under way");

    migrating("-1");
    assertNotNull(orders.objection(stop, run));
    assertNotNull(orders.objection(probe, run));
    assertNull(orders.objection(GraphAction.of(TestCib.xml(resource("stop", "node1"))), run), "it is no target");
    assertNull(orders.objection(GraphAction.of(TestCib.xml(resource("start", "node2"))), run));
    assertNull(orders.objection(stop, new GraphRun(TransitionGraph.read(TestCib.xml(fencing.formatted("on"))))), "that brings nothing down");
    run.take(0, _ -> GraphRun.Verdict.YES);
    assertNotNull(orders.objection(stop, run), "it is being fenced");
    run.confirm(9, true);
    assertNull(orders.objection(stop, run), "it is fenced");
  }

  @Test
  void whatHasArrivedMayBeStopped() throws XmlException {
    var fencing = "<transition_graph><synapse id='1'><action_set><crm_event id='9' operation='stonith' on_node='node3'/></action_set></synapse></transition_graph>";
    var run = new GraphRun(TransitionGraph.read(TestCib.xml(fencing)));
    migrating("7");
    assertNull(orders.objection(GraphAction.of(TestCib.xml(resource("stop", "node2"))), run));
  }

  private void migrating(String call) {
    cib.status(
        """
        <node_state id="3" uname="node3"><lrm id="3"><lrm_resources><lrm_resource id="a" type="D" class="ocf" provider="p">
          <lrm_rsc_op id="a_migrate_to_0" operation="migrate_to" call-id="%s" rc-code="%s" op-status="%s" migrate_source="node3"
            migrate_target="node2"/></lrm_resource></lrm_resources></lrm></node_state>
        """
            .formatted(call, call.equals("-1") ? "193" : "0", call.equals("-1") ? "-1" : "0"));
    world.settle();
  }

  @Test
  void whatIsGivenUpIsCancelledWhereItIsUnderWay() {
    orders.giveUp(GraphAction.of(TestCib.xml(resource("start", "node2"))), KEY);
    assertEquals(List.of(), sent, "a member of an earlier build would say that it is done");
    when(host.mayGiveUp()).thenReturn(true);
    orders.giveUp(GraphAction.of(TestCib.xml(resource("start", "node2"))), KEY);
    orders.giveUp(GraphAction.of(TestCib.xml(resource("start", "node3"))), KEY);
    assertEquals(List.of("2 Execute"), sent, "node3 is not there");
    var order = ArgumentCaptor.forClass(PeerMessage.Execute.class);
    verify(host).send(eq(id(2)), order.capture());
    var cancel = GraphAction.of(TestCib.xml(order.getValue().action()));
    assertTrue(cancel.is(Task.CANCEL));
    assertEquals("start", cancel.meta("operation"));
  }

  /// It goes on there: if it were given up, the next plan would be made while it does.
  @Test
  void whatIsUnderWayOnARemoteNodeIsNotGivenUpWithTheMemberThatHadTheConnectionBefore() {
    var start =
        resource("start", "node9").replace("on_node=\"node9\"", "on_node=\"far\" router_node=\"node1\"");
    var action = GraphAction.of(TestCib.xml(start));
    connected("node1");
    assertTrue(orders.isDoneBy(action, named("node1")));
    connected("node2");
    assertFalse(orders.isDoneBy(action, named("node1")));
    assertTrue(orders.isDoneBy(action, named("node2")));
  }

  @Test
  void anActionForANodeThatIsNotOnlineFails() {
    for (var node : List.of("node3", "node9")) {
      start(resource("start", node));
      start(event("lrm_refresh", node, ""));
    }
    assertEquals(List.of(), sent);
    verify(host, times(4)).ended(4, 1, false);
    verify(host, times(4)).restart("Node failure");
  }

  @Test
  void aFailureToStartAnActionIsNotReportedFromWithinTheCall() {
    orders.start(GraphAction.of(TestCib.xml(resource("start", "node3"))), KEY);
    verify(host, never()).ended(anyInt(), anyInt(), anyBoolean());
    world.settle();
    verify(host).ended(4, 1, false);
  }

  @Test
  void aFencingGoesToTheFencer() {
    start(event("stonith", "node3", ""));
    verify(host).fence(any(), eq(4));
    assertEquals(List.of(), sent);
  }

  @Test
  void aNodeIsExpectedToBeDownBeforeItIsToldToGo() {
    doAnswer(
            call -> {
              assertEquals(List.of(), sent);
              call.<Runnable>getArgument(1).run();
              return null;
            })
        .when(host)
        .recordExpectedDown(eq(id(2)), any());
    start(event("do_shutdown", "node2", ""));
    assertEquals(List.of("2 Cluster"), sent);
    start(event("clear_failcount", "node2", ""));
    assertEquals(List.of("2 Cluster", "2 Cluster"), sent);
    verify(host).recordExpectedDown(eq(id(2)), any());
  }

  @Test
  void aNodeThatIsGoneAlreadyNeedNotBeToldToGo() {
    var noWait = event("do_shutdown", "node3", "").replace("/>", ">")
        + "<attributes CRM_meta_op_no_wait='true'/></crm_event>";
    start(noWait);
    verify(host, never()).ended(anyInt(), anyInt(), anyBoolean());
    verify(host, never()).recordExpectedDown(any(), any());
  }

  private void history(String node) {
    cib.status(
        "<node_state id='%s'><lrm id='%s'><lrm_resources><lrm_resource id='a'/><lrm_resource id='b'/>"
                .formatted(node, node)
            + "</lrm_resources></lrm></node_state>");
  }

  @Test
  void aHistoryThatNoNodeCanForgetIsDeletedByTheDc() {
    var ofResource = resource("delete", "node3").replace("id=\"1\"", "id=\"1\" mode=\"cib\"");
    var ofCluster = ofResource.replace("\"delete\"", "\"lrm_delete\"").replace("rsc_op", "crm_event");
    for (var action : List.of(ofResource, ofCluster)) {
      history("3");
      start(action);
      assertEquals(List.of(), names(cib.state(3), "a"));
      assertEquals(List.of("b"), names(cib.state(3), "b"));
    }
    verify(host, times(2)).ended(4, 1, true);
    cib.refuse(Rc.EACCES);
    start(ofResource);
    verify(host).ended(4, 1, false);
    assertEquals(List.of(), sent);
  }

  private static List<String> names(Element state, String id) {
    return state.find(it -> it.is("lrm_resource") && id.equals(it.id())) == null
        ? List.of()
        : List.of(id);
  }

  @Test
  void aFailureThatNoNodeReportsStandsInTheCib() {
    var action = GraphAction.of(TestCib.xml(resource("start", "node3")));
    orders.recordFailure(action, KEY, ExecStatus.TIMEOUT, "it is late");
    world.settle();
    var entry = cib.state(3).find(it -> it.is("lrm_rsc_op") && "a_last_0".equals(it.id()));
    assertEquals("1", entry == null ? null : entry.get("rc-code"));
    assertEquals("2", entry == null ? null : entry.get("op-status"));
    assertEquals(KEY.toString(), entry == null ? null : entry.get("transition-key"));
    orders.recordFailure(
        GraphAction.of(TestCib.xml(event("stonith", "node3", ""))), KEY, ExecStatus.TIMEOUT, "");
    world.settle();
    assertEquals(1, cib.written().size(), "what has no resource has no record");
  }

  /// It was newer than whatever a later DC had done there, for good.
  @Test
  void aFailureThatARemoteNodeDoesNotReportComesAfterAllThatIsKnownOfTheResourceThere() {
    cib.change(
        CibOp.put(
            "status",
            TestCib.xml(
                """
                <node_state id="far" uname="far" remote_node="true"><lrm id="far"><lrm_resources>
                <lrm_resource id="a" class="ocf" provider="p" type="D"><lrm_rsc_op id="a_last_0" operation="start" call-id="41"/>
                </lrm_resource></lrm_resources></lrm></node_state>
                """)));
    var there = resource("migrate_to", "node3").replace("on_node=\"node3\" on_node_uuid=\"3\"", "on_node=\"far\" on_node_uuid=\"far\"");
    orders.recordFailure(GraphAction.of(TestCib.xml(there)), KEY, ExecStatus.ERROR, "nobody knows");
    world.settle();
    var entry = cib.cib().find(it -> "a_migrate_to_0".equals(it.id()));
    assertEquals("42", Objects.requireNonNull(entry).get("call-id"));
  }

  @Test
  void aFailureIsCountedAndWaitedForBeforeAPlanIsMade() {
    var settled = new boolean[1];
    orders.countFailure(inCib("2"), OperationKey.parse("a_start_0"), "value++");
    verify(host).setAttribute("fail-count-a#start_0", named("node2"), "value++");
    verify(host).setAttribute("last-failure-a#start_0", named("node2"), "1700000000");
    link.whenSettled(() -> settled[0] = true);
    world.settle();
    assertFalse(settled[0], "a plan without the count would be thrown away");
    cib.change(
        CibOp.put(
            "status",
            TestCib.xml(
                """
                <node_state id="2"><transient_attributes id="2"><instance_attributes id="s">
                <nvpair id="x" name="last-failure-a#start_0" value="1700000000"/>
                </instance_attributes></transient_attributes></node_state>
                """)));
    assertTrue(settled[0]);
  }

  @Test
  void anAttributeManagerThatDoesNotCountHoldsNothingUpForLong() {
    var settled = new boolean[1];
    orders.countFailure(inCib("2"), OperationKey.parse("a_start_0"), "INFINITY");
    link.whenSettled(() -> settled[0] = true);
    world.pass(Duration.ofMillis(900));
    assertFalse(settled[0]);
    world.pass(Duration.ofMillis(200));
    assertTrue(settled[0]);
  }

  @Test
  void aFailureThatIsToBeIgnoredIsOnlyDated() {
    orders.countFailure(inCib("remote"), OperationKey.parse("a_monitor_10000"), null);
    verify(host).setAttribute("last-failure-a#monitor_10000", named("remote"), "1700000000");
    verifyNoMoreInteractions(host);
  }

  @Test
  void thisNodesPartInActionsOfTheCluster() {
    orders.carryOut(GraphAction.of(TestCib.xml(event("do_shutdown", "node1", ""))), "k");
    verify(local).letGo();
    var history = GraphAction.of(TestCib.xml(event("lrm_refresh", "node1", "")));
    orders.carryOut(history, "k");
    verify(local).execute(history, "k");
    orders.carryOut(GraphAction.of(TestCib.xml(event("clear_failcount", "node1", ""))), "k");
    verify(host, never()).clearFailures(any());
    orders.carryOut(GraphAction.of(TestCib.xml(resource("clear_failcount", "node1"))), "k");
    verify(local).forgetFailure(named("node1"), new ResourceId("a"));
    verify(host).clearFailures(new AttrMessage.ClearFailures(new ResourceId("a"), "", 0, new NodeName("node1")));
    orders.carryOut(GraphAction.of(TestCib.xml(event("dance", "node1", ""))), "k");
    assertTrue(world.logged("unknown cluster action: dance"));
    verifyNoMoreInteractions(local);
  }

  @Test
  void howMuchMayRunDependsOnHowBusyTheNodesAre() {
    when(host.online()).thenReturn(ids(1, 2, 3, 4));
    assertEquals(30, orders.batchLimit(30));
    assertEquals(0, orders.batchLimit(0));
    assertEquals(8, orders.jobLimit(named("node2")));
    throttle.report(named("node2"), PeerMessage.Load.Mode.HIGH, 16);
    assertEquals(2, orders.batchLimit(30));
    assertEquals(2, orders.batchLimit(0));
    assertEquals(1, orders.batchLimit(1));
    assertEquals(1, orders.jobLimit(named("node2")));
    throttle.report(named("node2"), PeerMessage.Load.Mode.EXTREME, 16);
    assertEquals(1, orders.batchLimit(30));
    throttle.forget(named("node2"));
    assertEquals(30, orders.batchLimit(30));
    assertTrue(orders.isLocal(named("node1")));
    assertFalse(orders.isLocal(named("node2")));
  }
}
