package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.controld.TestCib;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

final class DcTest {
  private static final String SHUTDOWN =
      """
      <crm_event id='1' operation='do_shutdown' operation_key='do_shutdown-node2' on_node='node2'
        on_node_uuid='2'><attributes CRM_meta_op_no_wait='true'/><downed><node id='2'/></downed>
        </crm_event>
      """;
  private static final String FENCING =
      """
      <crm_event id='1' operation='stonith' operation_key='stonith-node2' on_node='node2'
        on_node_uuid='2'><downed><node id='2'/></downed></crm_event>
      """;
  private static final String START =
      """
      <rsc_op id='1' operation='start' operation_key='a_start_0' on_node='node2' on_node_uuid='2'>
        <primitive id='a'/><attributes CRM_meta_timeout='20000'/></rsc_op>
      """;

  private final DcUnderTest node = DcUnderTest.settled();

  private boolean replans(String why) {
    return node.ofEngine.contains(new Input.ScheduleNeeded(why));
  }

  // Nodes that leave

  @Test
  void aNodeThatIsLostIsRecordedAsGoneThoughItWasExpectedToStay() {
    assertEquals("t t member member", node.recorded(2));
    node.goes(2);
    assertEquals("0 0 down member", node.recorded(2), "the scheduler has it fenced");
    assertTrue(replans("Node failure"));
    assertTrue(node.world.logged("node2 left the cluster unexpectedly"));
    assertEquals(ids(1, 3), node.dc.joined());
  }

  @Test
  void aNodeThatWasToBeShutDownHasLeftInGoodOrder() {
    node.begin(SHUTDOWN);
    node.goes(2);
    assertEquals("0 0 down down", node.recorded(2));
    assertTrue(node.world.logged("Shutdown of node2 is complete"));
    assertFalse(replans("Node failure"));
    assertFalse(node.engine.busy());
  }

  @Test
  void aNodeLostBeforeItsLastActionsCausesAnotherPlan() {
    node.begin(START);
    node.goes(2);
    assertFalse(node.engine.busy(), "what it was to do is not waited for");
    assertTrue(replans("Node failure"));
  }

  @Test
  void aNodeThatIsBeingFencedMayGo() {
    node.begin(FENCING);
    node.ofEngine.clear();
    node.goes(2);
    assertTrue(node.engine.busy());
    assertFalse(replans("Node failure"));
    assertEquals("0 0 down member", node.recorded(2), "it is down when the fencer says so");
  }

  @Test
  void aNodeThatWasExpectedToGoIsPlannedForThoughNoPlanCountedOnIt() {
    node.records.recordExpectedDown(id(2), () -> {});
    node.world.settle();
    node.goes(2);
    assertEquals("0 0 down down", node.recorded(2));
    assertTrue(replans("Node left as expected"));
    assertFalse(node.world.logged("unexpectedly"));
  }

  @Test
  void aControllerThatIsLostIsWaitedForBeforeItsNodeCountsAsFailed() {
    node.begin(START);
    node.controllers(1, 3);
    assertEquals(ids(2), node.dc.awaited());
    assertEquals(
        List.of(new Input.NodesChanged("the controller of node2 is gone")), node.inputs);
    assertFalse(node.engine.busy(), "nobody reports what it does");
    assertEquals("t t member member", node.recorded(2), "nothing is decided yet");
    node.pass(19);
    assertEquals("t t member member", node.recorded(2));

    node.pass(2);

    assertEquals("t 0 down member", node.recorded(2));
    assertEquals(List.of(), node.dc.awaited());
    assertTrue(node.world.logged("node2 left the cluster unexpectedly"));
  }

  @Test
  void aNodeWhoseControllerIsBackInTimeJoinsAgain() {
    node.controllers(1, 3);
    node.pass(10);
    node.controllers(1, 2, 3);
    node.dc.offerNew();
    node.joins(2);
    assertEquals(List.of(), node.dc.awaited());
    assertEquals(ids(1, 2, 3), node.dc.joined());
    node.pass(20);
    assertEquals("t t member member", node.recorded(2));
    assertFalse(node.world.logged("unexpectedly"));
  }

  @Test
  void aControllerThatLeavesAsItShouldIsNotWaitedFor() {
    node.records.recordExpectedDown(id(2), () -> {});
    node.world.settle();
    node.controllers(1, 3);
    assertEquals(List.of(), node.dc.awaited());
    assertEquals("t 0 down down", node.recorded(2));
    node.goes(2);
    assertEquals("0 0 down down", node.recorded(2));
  }

  @Test
  void aNodeThatIsLostAndBackUnfencedIsWaitedForFromItsReturn() {
    node.goes(2);
    node.inputs.clear();
    node.state = State.POLICY_ENGINE;
    node.comesAlone(2);
    assertEquals(List.of(new Input.NodesChanged("node2 is back, unfenced")), node.inputs);
    assertEquals(ids(2), node.dc.awaited());

    node.pass(21);
    assertEquals(List.of(), node.dc.awaited());
    assertEquals("t 0 down -", node.recorded(2).replace(" member", " -"));
  }

  @Test
  void aNodeThatIsBackAfterItWasFencedIsNotWaitedFor() {
    node.goes(2);
    node.records.recordDown(named("node2"));
    node.world.settle();
    node.inputs.clear();
    node.comesAlone(2);
    assertEquals(List.of(), node.inputs);
    assertEquals(List.of(), node.dc.awaited());
  }

  @Test
  void aFencingOfAnEarlierStayDoesNotMakeTheLaterOneExpected() {
    node.goes(2);
    node.book.expect(id(2), "down");
    node.comes(2);
    node.goes(2);
    assertFalse(node.book.isExpectedDown(id(2)));
    assertTrue(replans("Node failure"));
  }

  @Test
  void aClusterThatDropsItsDcIsBroken() {
    node.goes(1);
    assertEquals(List.of(new Input.Broken("the cluster has dropped this node")), node.inputs);
  }

  // Joining

  @Test
  void anInvitedNodeAnswersIsLetInAndConfirms() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    assertEquals(List.of("1 Offer", "2 Offer", "3 Offer"), node.sent);
    node.sent.clear();
    for (var id = 1; id <= 3; id++) {
      assertTrue(node.inputs.isEmpty(), "not before all have answered");
      var joinId = node.joins.joinId(id(id));
      node.dc.admit(new Input.JoinRequested(id(id), joinId, DcUnderTest.FEATURES, Map.of()));
    }
    assertEquals(List.of(new Input.Integrated(node.joins.joinId())), node.inputs);
    node.inputs.clear();
    node.state = State.FINALIZE_JOIN;
    node.dc.finalizeJoin();
    assertEquals(List.of("1 Result", "2 Result", "3 Result"), node.sent);
    for (var id = 1; id <= 3; id++) {
      assertTrue(node.inputs.isEmpty(), "not before all have confirmed");
      node.confirms(id, "<node_state id='%d'><lrm id='%d'/></node_state>");
    }
    assertEquals(List.of(new Input.Finalized(node.joins.joinId())), node.inputs);
    assertEquals(ids(1, 2, 3), node.dc.joined());
  }

  @Test
  void anAnswerToAnEarlierInvitationIsIgnored() {
    var before = node.joins.joinId(id(2));
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.dc.admit(new Input.JoinRequested(id(2), before, DcUnderTest.FEATURES, Map.of()));
    assertEquals(Joins.Phase.WELCOMED, node.joins.phase(id(2)));
    node.dc.record(new Input.JoinConfirmed(id(2), node.joins.joinId(id(2)), "<node_state/>"));
    assertEquals(Joins.Phase.WELCOMED, node.joins.phase(id(2)), "nor a confirmation out of turn");
  }

  @Test
  void aNodeThatDoesNotAnswerIsNotWaitedForForEver() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    for (var id : List.of(1, 3)) {
      var joinId = node.joins.joinId(id(id));
      node.dc.admit(new Input.JoinRequested(id(id), joinId, DcUnderTest.FEATURES, Map.of()));
    }
    node.pass(179);
    assertEquals(List.of(), node.inputs);
    node.pass(1);
    assertEquals(List.of(new Input.Integrated(node.joins.joinId())), node.inputs);
    assertEquals(Joins.Phase.NONE, node.joins.phase(id(2)));
    node.inputs.clear();
    node.state = State.FINALIZE_JOIN;
    node.dc.finalizeJoin();
    node.confirms(1, "<node_state id='%d'><lrm id='%d'/></node_state>");
    node.pass(30 * 60);
    assertEquals(List.of(new Input.Finalized(node.joins.joinId())), node.inputs);
    assertEquals(ids(1), node.dc.joined());
  }

  @Test
  void aNodeWithAnOlderFeatureSetThanTheDcIsTurnedDown() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.sent.clear();
    node.dc.admit(new Input.JoinRequested(id(2), node.joins.joinId(id(2)), "3.0.1", Map.of()));
    assertEquals(List.of("2 Result"), node.sent);
    assertEquals(Joins.Phase.REFUSED, node.joins.phase(id(2)));
    node.dc.admit(new Input.JoinRequested(id(3), node.joins.joinId(id(3)), "99.0.0", Map.of()));
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(3)));
  }

  @Test
  void aNodeThatIsCalledLikeARemoteNodeIsTurnedDownAndNotRecorded() {
    node.cib.replace(
        """
        <cib admin_epoch='0' epoch='9' num_updates='0' validate-with='pacemaker-4.0'><configuration><crm_config/>
        <nodes><node id='3' uname='node3'/></nodes><resources>
        <primitive id='node3' class='ocf' provider='pacemaker' type='remote'/>
        <primitive id='vm' class='ocf' provider='pacemaker' type='Dummy'><meta_attributes id='m'>
        <nvpair id='n' name='remote-node' value='5'/></meta_attributes></primitive></resources><constraints/></configuration>
        <status><node_state id='node4' uname='node4' remote_node='true'/></status></cib>
        """);
    node.state = State.INTEGRATION;
    node.comes(4, 5);
    node.dc.offerAll();
    node.sent.clear();
    for (var id : List.of(3, 4, 5)) {
      node.dc.admit(new Input.JoinRequested(id(id), node.joins.joinId(id(id)), DcUnderTest.FEATURES, Map.of()));
    }
    assertEquals(List.of("4 Result", "5 Result"), node.sent);
    assertEquals(Joins.Phase.REFUSED, node.joins.phase(id(4)));
    assertEquals(Joins.Phase.REFUSED, node.joins.phase(id(5)), "that is a remote node's id");
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(3)), "it was there first");
    assertNull(node.book.id(named("node4")), "that is the remote node");
    assertNull(node.book.state(id(4), false, "test", null));
    assertEquals(id(3), node.book.id(named("node3")));
  }

  @Test
  void aNodeThatLooksForADcIsInvitedAgain() {
    node.state = State.IDLE;
    node.dc.announced(id(2));
    assertEquals(Joins.Phase.NONE, node.joins.phase(id(2)), "it has started anew");
    assertEquals(List.of(new Input.NodesChanged("node2 announced itself")), node.inputs);
    node.dc.offerNew();
    node.sent.clear();
    node.inputs.clear();
    node.dc.announced(id(2));
    assertEquals(List.of("2 Offer"), node.sent, "the invitation it has not heard");
    assertEquals(List.of(), node.inputs);
    node.state = State.NOT_DC;
    node.dc.announced(id(3));
    assertEquals(Joins.Phase.CONFIRMED, node.joins.phase(id(3)));
  }

  @Test
  void aStatusThatIsNoXmlGivesNoPlace() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.dc.admit(new Input.JoinRequested(id(2), node.joins.joinId(id(2)), DcUnderTest.FEATURES, Map.of()));
    node.state = State.FINALIZE_JOIN;
    node.dc.finalizeJoin();
    node.confirms(2, "<broken");
    assertEquals(Joins.Phase.NONE, node.joins.phase(id(2)));
  }

  private void rejoins(String history) {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.dc.admit(new Input.JoinRequested(id(2), node.joins.joinId(id(2)), DcUnderTest.FEATURES, Map.of()));
    node.state = State.FINALIZE_JOIN;
    node.dc.finalizeJoin();
    node.cib.written();
    node.confirms(2, "<node_state id='%d'><lrm id='%d'>" + history + "</lrm></node_state>");
  }

  private static final String WEB =
      "<lrm_resources><lrm_resource id='web' type='Dummy' class='ocf' provider='p'/></lrm_resources>";

  @Test
  void aNodesReportReplacesItsStatusInTheCib() {
    rejoins(WEB);
    assertNotNull(node.cib.state(2).find(it -> "web".equals(it.id())));
    rejoins(WEB.replace("web", "db").replace("</lrm_resources>", "") + WEB.substring(15));
    assertNotNull(node.cib.state(2).find(it -> "db".equals(it.id())));
    var lrm = node.cib.state(2).first("lrm");
    assertNull(lrm == null ? null : lrm.get("history-lost"));
  }

  @Test
  void aNodeThatHasLostItsHistoryIsProbed() {
    rejoins(WEB);
    rejoins("<lrm_resources/>");
    var lrm = node.cib.state(2).first("lrm");
    assertEquals("true", lrm == null ? null : lrm.get("history-lost"));
    assertTrue(node.world.logged("has lost its resource history"));

    var said = node.world.lines().size();
    rejoins("<lrm_resources/>");
    lrm = node.cib.state(2).first("lrm");
    assertEquals("true", lrm == null ? null : lrm.get("history-lost"), "the mark is kept");
    var since = node.world.lines().subList(said, node.world.lines().size());
    assertTrue(
        since.stream().noneMatch(it -> it.contains("does not know")), "it has lost nothing since");
  }

  @Test
  void aMarkThatComesWhileTheNodeJoinsIsKept() {
    rejoins(WEB);
    node.cib.keep();
    rejoins(WEB);
    node.cib.tells(false);
    node.cib.status("<node_state id='2'><lrm id='2' history-lost='true'/></node_state>");
    node.cib.answerAll();
    node.cib.tells(true);
    var lrm = node.cib.state(2).first("lrm");
    assertEquals("true", lrm == null ? null : lrm.get("history-lost"));
    assertNotNull(node.cib.state(2).find(it -> "web".equals(it.id())));
  }

  @Test
  void aResourceThatIsLockedToItsNodeStaysSoWhenTheNodeJoins() {
    node.shutdownLock = true;
    rejoins(WEB);
    assertTrue(
        node.cib.written().getFirst().contains("lrm_resource[not(@shutdown-lock) or "));
    node.shutdownLock = false;
    rejoins(WEB);
    assertTrue(node.cib.written().getFirst().endsWith("node_state[@id='2']/lrm/lrm_resources"));
  }

  @Test
  void nothingIsFinalBeforeItIsInTheCib() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    for (var id = 1; id <= 3; id++) {
      var joinId = node.joins.joinId(id(id));
      node.dc.admit(new Input.JoinRequested(id(id), joinId, DcUnderTest.FEATURES, Map.of()));
    }
    node.state = State.FINALIZE_JOIN;
    node.dc.finalizeJoin();
    node.inputs.clear();
    node.cib.keep();
    for (var id = 1; id <= 3; id++) {
      node.confirms(id, "<node_state id='%d'><lrm id='%d'/></node_state>");
    }
    assertEquals(List.of(), node.inputs);
    node.cib.answerAll();
    assertEquals(List.of(new Input.Finalized(node.joins.joinId())), node.inputs);
  }

  @Test
  void nothingIsConcludedWhileAControllerMayBeBackInAMoment() {
    node.controllers(1, 3);
    node.inputs.clear();
    node.state = State.INTEGRATION;
    node.dc.checkIntegrated();
    assertEquals(List.of(), node.inputs);
    node.pass(21);
    assertTrue(node.inputs.contains(new Input.Integrated(node.joins.joinId())));
  }

  // The term

  @Test
  void nodesAreLetInOnlyOnceTheDcsCibIsPrimary() {
    node.cib.keep();
    node.epoch = 2049;
    node.dc.takeOver(2049, false);
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.dc.admit(new Input.JoinRequested(id(2), node.joins.joinId(id(2)), DcUnderTest.FEATURES, Map.of()));
    node.dc.finalizeJoin();
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(2)));
    assertFalse(node.records.isOpen());
    node.cib.answerAll();
    assertTrue(node.records.isOpen());
    assertEquals(Joins.Phase.FINALIZED, node.joins.phase(id(2)));
  }

  @Test
  void aTakeoverThatEndsAfterTheTermIsIgnored() {
    for (var lost : new String[] {"term", "dc"}) {
      node.cib.keep();
      node.epoch = 2049;
      node.isDc = true;
      node.dc.takeOver(2049, false);
      node.epoch = lost.equals("term") ? 4097 : 2049;
      node.isDc = !lost.equals("dc");
      node.cib.answerAll();
      assertFalse(node.records.isOpen(), lost);
    }
  }

  @Test
  void aDcThatCannotTakeOverTheCibReleasesItsOffice() {
    node.cib.refuse(Rc.ECANCELED);
    node.dc.takeOver(2049, false);
    node.epoch = 2049;
    node.world.settle();
    assertEquals(List.of(new Input.ReleaseCalled("the CIB cannot be taken over")), node.inputs);
    assertFalse(node.records.isOpen());
  }

  @Test
  void aCibManagerThatIsNewIsGivenTimeToHearFromOthers() {
    node.dc.takeOver(node.epoch, true);
    node.world.settle();
    assertFalse(node.records.isOpen());
    node.pass(1);
    assertTrue(node.records.isOpen());

    node.goes(2);
    node.goes(3);
    node.dc.takeOver(node.epoch, true);
    node.pass(1);
    assertFalse(node.records.isOpen(), "alone it waits longer");
    node.pass(1);
    assertTrue(node.records.isOpen());
  }

  @Test
  void aReleasedDcWritesNothing() {
    node.dc.release();
    node.world.settle();
    node.cib.written();
    node.records.recordNode(id(2), "test");
    node.records.recordQuorum(true);
    node.records.restoreCluster();
    node.pass(200);
    assertEquals(List.of(), node.cib.written());
    assertEquals(List.of(), node.inputs);
    assertEquals(List.of(), node.dc.joined());
  }

  @Test
  void aNodeThatAnotherDcHasLetGoSinceIsNotRecordedAsLostInTheNextTerm() {
    node.dc.release();
    node.isDc = false;
    node.cib.status("<node_state id='3' join='down' expected='down'/>");
    node.isDc = true;
    node.epoch = 2049;
    node.dc.takeOver(2049, false);
    node.world.settle();
    node.goes(3);
    assertEquals("0 0 down down", node.recorded(3));
  }

  @Test
  void aCibThatNamesAnotherDcHasReplacedThisOnes() {
    var before = node.cib.cib();
    assertFalse(node.dc.isReplaced(before, before));
    var after = before.with("dc-uuid", "3");
    assertTrue(node.dc.isReplaced(before, after));
    assertFalse(node.dc.isReplaced(after, after));
    node.dc.release();
    assertFalse(node.dc.isReplaced(before, after), "who is no DC has none to lose");
  }

  @Test
  void theDcIsIdleWhenNothingIsUnderWayOrBeingWritten() {
    assertTrue(node.dc.idle());
    node.cib.keep();
    node.link.write(CibOp.put("status", TestCib.xml("<node_state id='9'/>")));
    assertFalse(node.dc.idle());
    node.cib.answerAll();
    assertTrue(node.dc.idle());
    node.state = State.POLICY_ENGINE;
    assertFalse(node.dc.idle());
  }
}
