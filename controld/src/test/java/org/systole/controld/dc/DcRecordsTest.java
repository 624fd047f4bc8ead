package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;
import org.systole.controld.fsm.Input;
import org.systole.controld.remote.RemoteRecords;

final class DcRecordsTest {
  private final DcUnderTest node = DcUnderTest.settled();

  private @Nullable String property(String name) {
    var found = node.cib.cib().find(it -> it.is("nvpair") && name.equals(it.get("name")));
    return found == null ? null : found.get("value");
  }

  private long[] epochs() {
    return node.cib.peer.received(CibMessage.Update.class).stream()
        .mapToLong(CibMessage.Update::dcEpoch)
        .toArray();
  }

  // What only a running cluster knows

  @Test
  void aNewDcWritesWhoItIsAndWhatTheClusterIs() {
    assertEquals("1", node.cib.cib().get("dc-uuid"));
    assertEquals("1", node.cib.cib().get("have-quorum"));
    assertEquals("corosync", property("cluster-infrastructure"));
    assertEquals("test", property("cluster-name"));
    assertEquals("false", property("have-watchdog"));
    var nodes = node.cib.cib().path("configuration", "nodes");
    assertEquals(3, nodes == null ? 0 : nodes.children("node").size());
  }

  @Test
  void theWatchdogOfTheDcsNodeIsRecorded() {
    var other = new DcUnderTest();
    other.watchdog = true;
    other.comes(1, 2, 3);
    other.records.open();
    other.world.settle();
    var written = String.join("", other.cib.written());
    assertTrue(written.matches("(?s).*name=\"have-watchdog\"[^>]*value=\"true\".*"), written);
  }

  @Test
  void aNameThatIsConfiguredIsLeftAlone() {
    var other = new DcUnderTest();
    other.clusterName = "production";
    other.comes(1, 2, 3);
    other.records.open();
    other.world.settle();
    assertTrue(other.cib.written().stream().noneMatch(it -> it.contains("\"cluster-name\"")));
  }

  @Test
  void withoutQuorumTheConfigurationIsLeftAlone() {
    var other = new DcUnderTest();
    other.quorate = false;
    other.comes(1, 2, 3);
    other.records.open();
    other.world.settle();
    assertEquals(
        List.of("cib_modify  <cib have-quorum=\"0\" dc-uuid=\"1\"/>"), other.cib.written());
  }

  @Test
  void onlyWhatAReplacedConfigurationLacksIsPutBack() {
    node.records.restoreCluster();
    node.world.settle();
    assertEquals(List.of(), node.cib.written());

    node.cib.change(CibOp.deleteAllXPath("/cib/configuration/nodes/node[@id='2']"));
    node.cib.change(CibOp.put("nodes", TestCib.xml("<node id='3' uname='wrong'/>")));
    node.records.restoreCluster();
    node.world.settle();

    assertEquals(
        List.of(
            "cib_modify nodes <node id=\"2\" uname=\"node2\"/>",
            "cib_modify nodes <node id=\"3\" uname=\"node3\"/>"),
        node.cib.written());
    node.cib.change(CibOp.deleteAllXPath("//cluster_property_set"));
    node.records.restoreCluster();
    node.world.settle();
    assertEquals("corosync", property("cluster-infrastructure"));
  }

  @Test
  void theDcsWritesAboutNodesBearItsEpoch() {
    var before = epochs().length;
    node.records.recordNode(id(2), "test");
    node.records.recordDown(named("node3"));
    node.records.recordQuorum(true);
    node.world.settle();
    var all = epochs();
    assertEquals(before + 3, all.length);
    for (var i = before; i < all.length; i++) {
      assertEquals(node.epoch, all[i]);
    }
  }

  // Quorum

  @Test
  void quorumThatIsLostStopsThePlanAtOnce() {
    node.quorate = false;
    node.records.recordQuorum(false);
    assertEquals(List.of(new Input.ScheduleNeeded("Quorum lost")), node.ofEngine);
    node.world.settle();
    assertEquals("0", node.cib.cib().get("have-quorum"));
    node.records.recordQuorum(false);
    node.world.settle();
    assertEquals(1, node.ofEngine.size(), "once");
  }

  @Test
  void quorumThatIsGainedIsPlannedForWhenOthersMayHaveCome() {
    node.quorate = false;
    node.records.recordQuorum(false);
    node.ofEngine.clear();
    node.quorate = true;
    node.records.recordQuorum(false);
    node.world.settle();
    assertEquals("1", node.cib.cib().get("have-quorum"));
    node.pass(4);
    assertEquals(List.of(), node.ofEngine);
    node.pass(1);
    assertEquals(List.of(new Input.ScheduleNeeded("Quorum gained")), node.ofEngine);
  }

  // Nodes that are down

  @Test
  void aFencedNodeIsDownAndCleanAndNothingOfItIsLeft() {
    node.goes(2);
    node.cib.status(
        "<node_state id='2'><lrm id='2'/><transient_attributes id='2'/></node_state>");
    assertFalse(node.records.isDownAndClean(named("node2")));

    node.records.recordDown(named("node2"));
    node.world.settle();

    assertEquals("0 0 down down", node.recorded(2));
    assertNull(node.cib.state(2).first("lrm"));
    assertNull(node.cib.state(2).first("transient_attributes"));
    assertTrue(node.records.isDownAndClean(named("node2")));
    assertTrue(node.book.isExpectedDown(id(2)));
    assertFalse(node.records.isDownAndClean(named("node3")));
  }

  @Test
  void aRemoteNodeThatWasFencedByItsNameInAnotherCaseOfLettersIsDownByItsOwn() {
    node.cib.status("<node_state id='far' uname='far' remote_node='true' in_ccm='1700'><lrm id='far'/></node_state>");
    assertFalse(node.records.isDownAndClean(named("FAR")));
    node.records.recordDown(named("FAR"));
    node.world.settle();
    var states = Objects.requireNonNull(node.cib.cib().first("status")).children("node_state");
    assertEquals(List.of("far"), states.stream().filter(RemoteRecords::isRemote).map(Element::id).toList());
    assertTrue(node.records.isDownAndClean(named("FAR")));
    assertTrue(node.records.isDownAndClean(named("far")));
  }

  @Test
  void aNameThatIsNoClusterNodeIsNotRecorded() {
    node.records.recordDown(named("elsewhere"));
    node.world.settle();
    assertEquals(List.of(), node.cib.written());
    assertTrue(node.world.logged("is not a cluster node"));
    assertTrue(node.records.isDownAndClean(named("elsewhere")), "there is nothing to wait for");
  }

  @Test
  void onlyANodeThatIsDownInEveryRespectIsDownAndClean() {
    var down = "<node_state id='2' uname='node2' in_ccm='0' crmd='0' join='down' expected='down'/>";
    for (var change :
        new String[][] {
          {"in_ccm='0'", "in_ccm='1700000000'"},
          {"crmd='0'", "crmd='1700000000'"},
          {"expected='down'", "expected='member'"},
          {"/>", "><lrm id='2'/></node_state>"}
        }) {
      node.cib.change(CibOp.deleteAllXPath("//node_state[@id='2']"));
      assertFalse(node.records.isDownAndClean(named("node2")), "nothing is known of it");
      node.cib.status(down);
      assertTrue(node.records.isDownAndClean(named("node2")));
      node.cib.status(down.replace(change[0], change[1]));
      assertFalse(node.records.isDownAndClean(named("node2")), change[1]);
    }
  }

  @Test
  void aNodeThatIsToEndIsExpectedToBeforeItGoes() {
    var done = new boolean[1];
    node.records.recordExpectedDown(id(2), () -> done[0] = true);
    node.world.settle();
    assertTrue(done[0]);
    assertEquals("t t member down", node.recorded(2));
    assertTrue(node.records.isRecordedDown(id(2)));
    assertFalse(node.records.isRecordedDown(id(3)));
    node.records.recordLeaving(() -> {});
    node.world.settle();
    assertEquals("t t down down", node.recorded(1));
  }

  // What a former DC has written late

  @Test
  void aWrongNodeStateIsCorrectedOnceAfterADelay() {
    for (var wrong : List.of("crmd='0'", "in_ccm='0'", "join='down'")) {
      node.cib.status("<node_state id='2' " + wrong + "/>");
      node.cib.written();
      node.records.correctNodes();
      node.records.correctNodes();
      node.world.pass(Duration.ofMillis(200));
      assertEquals(List.of(), node.cib.written(), wrong);
      node.pass(1);
      assertEquals(1, node.cib.written().size(), wrong);
      assertEquals("t t member member", node.recorded(2), wrong);
    }
    node.records.correctNodes();
    node.pass(1);
    assertEquals(List.of(), node.cib.written(), "nothing is wrong any more");
  }

  @Test
  void aNodeThatIsGoneIsNotLeftStandingAsAMember() {
    node.goes(2);
    node.cib.status("<node_state id='2' in_ccm='1700000000' crmd='1700000000'/>");
    node.records.correctNodes();
    node.pass(1);
    assertEquals("0 0 down member", node.recorded(2));
  }

  @Test
  void aNodeThatIsGoneIsCorrectedThoughItsControllerIsRecordedAsGone() {
    node.goes(2);
    node.cib.status("<node_state id='2' in_ccm='1700000000' crmd='0'/>");
    node.records.correctNodes();
    node.pass(1);
    assertEquals("0 0 down member", node.recorded(2));
  }

  @Test
  void theStateOfANodeWhoseControllerIsWaitedForIsNotCorrected() {
    node.controllers(1, 3);
    node.cib.written();
    node.records.correctNodes();
    node.pass(1);
    assertEquals(List.of(), node.cib.written());
  }

  @Test
  void theStateOfANodeThatIsDownInGoodOrderIsPutBackAtOnce() {
    node.book.expect(id(2), "down");
    node.goes(2);
    node.goes(3);
    var before = node.cib.cib();
    node.cib.change(CibOp.deleteAllXPath("//node_state[@id='2' or @id='3']"));
    node.cib.written();
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals("0 0 down down", node.recorded(2), "else it is fenced as one that was never seen");
    assertEquals("0 0 down member", node.recorded(3), "it was lost: else it is no node without its entry, and not fenced");
    node.cib.written();
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals(List.of(), node.cib.written(), "it is known now");
  }

  @Test
  void theStateOfAMemberIsPutBackAtOnce() {
    var before = node.cib.cib();
    node.cib.change(CibOp.deleteAllXPath("//node_state"));
    node.cib.change(CibOp.put("status", Element.of("node_state", "id", "2", "uname", "node2")));
    node.cib.written();
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals("t t", node.recorded(2).substring(0, 3), "who looks at it now would have it fenced");
  }

  /// What is written of it after that says nothing of what is expected, as a state that is there keeps that.
  @Test
  void aLostNodeIsExpectedAgainThoughItsStateWasDeletedBeforeTheLossWasWritten() {
    var before = node.cib.cib();
    node.goes(2);
    node.cib.change(CibOp.deleteAllXPath("//node_state"));
    node.cib.status("<node_state id='2' in_ccm='0' crmd='0' join='down'/>");
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals("0 0 down member", node.recorded(2));
  }

  @Test
  void ofANodeThatHasLeftInGoodOrderNothingElseIsSaid() {
    node.goes(2);
    node.cib.status("<node_state id='2' in_ccm='0' crmd='0' expected='member'/>");
    var before = node.cib.cib();
    node.cib.status("<node_state id='2' in_ccm='0' crmd='0' expected='down'/>");
    node.cib.written();
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals(List.of(), node.cib.written());
  }

  @Test
  void aMemberWhoseControllerIsLostIsExpectedThoughItsStateIsDeleted() {
    node.controllers(1, 3);
    var before = node.cib.cib();
    node.cib.change(CibOp.deleteAllXPath("//node_state[@id='2']"));
    node.records.restoreStates(before);
    node.world.settle();
    assertEquals("t 0 down member", node.recorded(2), "it may run what it ran");
  }

  @Test
  void theStateOfANodeThatIsOutOfTheListIsNotPutBack() {
    node.book.expect(id(2), "down");
    node.goes(2);
    var before = node.cib.cib();
    node.cib.change(CibOp.deleteAllXPath("//node_state[@id='2']"));
    node.book.changed(List.of(new ConfiguredNode(id(1), named("node1"), 1)));
    node.records.restoreStates(before);
    node.world.settle();
    assertNull(node.records.known(id(2)));
  }

  @Test
  void aReleasedDcMakesNoCorrection() {
    node.cib.status("<node_state id='2' crmd='0'/>");
    node.records.correctNodes();
    node.records.close();
    node.cib.written();
    node.pass(1);
    assertEquals(List.of(), node.cib.written());
  }

  @Test
  void aMemberThatTheCibDoesNotKnowIsRecordedWithoutAPlace() {
    node.goes(2);
    node.cib.written();
    node.comesAlone(2);
    assertEquals("t 0 down -", node.recorded(2).replace("member", "-"));
    node.cib.written();
    node.records.recordNodeIfNew(id(2));
    node.world.settle();
    assertEquals(List.of(), node.cib.written(), "it is known now");
  }

  @Test
  void aLostStatusIsWrittenAgainForAllNodes() {
    node.cib.change(CibOp.deleteAllXPath("//node_state"));
    node.records.recordNodes();
    node.world.settle();
    for (var id = 1; id <= 3; id++) {
      assertNotNull(node.records.known(id(id)));
      assertTrue(node.recorded(id).startsWith("t t member"), node.recorded(id));
    }
  }

  @Test
  void whatAMemberHandedOverBeforeItLeftSaysNothingOfWhereItIsNow() {
    node.goes(2);
    for (var expected : List.of("member", "down")) {
      node.cib.status(
          """
          <node_state id='2' uname='node2' in_ccm='0' crmd='0' join='down' expected='%s'>
            <lrm id='2'><lrm_resources>
              <lrm_resource id='far1' class='ocf' provider='pacemaker' type='remote'>
                <lrm_rsc_op id='far1_last_0' operation='stop' call-id='5'/>
                <lrm_rsc_op id='far1_migrate_to_0' operation='migrate_to' call-id='4'/>
              </lrm_resource>
              <lrm_resource id='vm' class='ocf' provider='pacemaker' type='Dummy'>
                <lrm_rsc_op id='vm_migrate_to_0' operation='migrate_to' call-id='3'/>
              </lrm_resource>
            </lrm_resources></lrm>
          </node_state>
          """
              .formatted(expected));
      node.book.expect(id(2), expected);
      node.records.recordNode(id(2), "test");
      node.world.settle();
      var forgotten = expected.equals("down");
      assertEquals(forgotten, !has("far1_migrate_to_0"), expected);
      assertTrue(has("far1_last_0"), expected);
      assertTrue(has("vm_migrate_to_0"), expected);
    }
  }

  /// A DC that was not there when the member was let go has it from the CIB only.
  @Test
  void theNextDcForgetsItToo() {
    var known =
        TestCib.xml(
            """
            <node_state id='2' crmd='0' expected='down'><lrm id='2'><lrm_resources>
              <lrm_resource id='far1' class='ocf' provider='pacemaker' type='remote'>
                <lrm_rsc_op id='far1_migrate_to_0' operation='migrate_to'/>
              </lrm_resource>
            </lrm_resources></lrm></node_state>
            """);
    assertNotNull(HandedOver.forget(TestCib.xml("<node_state id='2' crmd='0'/>"), known));
    assertNull(HandedOver.forget(TestCib.xml("<node_state id='2' crmd='17'/>"), known));
  }

  /// It was connected as the CIB says: taken for a move that came to nothing it would have the node fenced.
  @Test
  void aConnectionThatALostMemberHadJustTakenOverWasMadeThere() {
    for (var named : List.of("node1", "node2")) {
      node.cib.status("<node_state id='far' uname='far' remote_node='true' in_ccm='1700' connection='%s'/>".formatted(named));
      node.cib.status(
          """
          <node_state id='2' uname='node2' in_ccm='17' crmd='17'><lrm id='2'><lrm_resources>
            <lrm_resource id='far' class='ocf' provider='pacemaker' type='remote'>
              <lrm_rsc_op id='far_last_0' operation='migrate_from' call-id='-1' rc-code='193' op-status='-1' transition-key='9:4:0:x'/>
              <lrm_rsc_op id='far_monitor_0' operation='monitor' call-id='5' rc-code='7' op-status='0'/>
            </lrm_resource></lrm_resources></lrm></node_state>
          """);
      node.goes(2);
      node.records.recordNode(id(2), "test");
      node.world.settle();
      var move = node.cib.state(2).find(it -> "far_last_0".equals(it.id()));
      assertNotNull(move);
      var taken = named.equals("node2");
      assertEquals(taken ? "0 0 6" : "-1 193 -1", "%s %s %s".formatted(move.get("op-status"), move.get("rc-code"), move.get("call-id")), named);
      assertEquals(taken ? "0:0;9:4:0:x" : null, move.get("transition-magic"));
    }
  }

  private boolean has(String id) {
    return node.cib.state(2).find(it -> id.equals(it.id())) != null;
  }

  private void askedToStop(String member, String operation, int code) {
    node.cib.status(
        """
        <node_state id='far' uname='far' remote_node='true' in_ccm='1700' connection='%s'><transient_attributes id='far'>
          <instance_attributes id='s'><nvpair id='s-s' name='shutdown' value='1701'/></instance_attributes>
        </transient_attributes></node_state>
        """
            .formatted(member));
    node.cib.status(
        """
        <node_state id='2' uname='node2'><lrm id='2'><lrm_resources>
          <lrm_resource id='far' class='ocf' provider='pacemaker' type='remote'>
            <lrm_rsc_op id='far_last_0' operation='%s' call-id='3' rc-code='%d' op-status='0' interval='0'/>
          </lrm_resource></lrm_resources></lrm></node_state>
        """
            .formatted(operation, code));
  }

  @Test
  void thatARemoteNodeIsToStopIsOverWhenTheMemberWithItsConnectionIsGone() {
    askedToStop("node2", "start", 0);
    node.records.forgetStopsOver();
    assertEquals(List.of(), node.forgotten, "its executor waits for the cluster");
    node.goes(2);
    assertEquals(List.of(named("far")), node.forgotten);
  }

  @Test
  void thatARemoteNodeIsToStopIsOverWhenTheMemberKnowsOfNoConnection() {
    askedToStop("node2", "monitor", 7);
    node.dc.joinDone();
    assertEquals(List.of(named("far")), node.forgotten);
  }

  /// Its history was deleted by a refresh, and it was looked for.
  @Test
  void thatARemoteNodeIsToStopIsNotOverWhereTheConnectionWasOnlyLookedFor() {
    askedToStop("node2", "monitor", 0);
    node.dc.joinDone();
    assertEquals(List.of(), node.forgotten);
  }
}
