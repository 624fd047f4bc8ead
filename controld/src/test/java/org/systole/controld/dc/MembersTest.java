package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.controld.TestCib;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// Who is told what when nodes and controllers come and go. Node 1 is DC of three that have joined.
final class MembersTest {
  private final DcUnderTest node = DcUnderTest.settled();

  MembersTest() {
    clearInvocations(node.told);
  }

  // Alerts

  @Test
  void aNodeThatIsLostAndOneThatComesAreToldOnceEach() {
    node.goes(2);
    verify(node.told).alert(id(2), named("node2"), "lost");
    node.goes(3);
    verify(node.told).alert(id(3), named("node3"), "lost");
    node.comes(2);
    verify(node.told).alert(id(2), named("node2"), "member");
    verify(node.told, never()).alert(id(1), named("node1"), "member");
    clearInvocations(node.told);
    node.comesAlone(3);
    verify(node.told).alert(id(3), named("node3"), "member");
    verify(node.told, never()).alert(id(2), named("node2"), "member");
  }

  @Test
  void aControllerThatGoesIsNoNodeThatIsLost() {
    node.controllers(1, 3);
    verify(node.told, never()).alert(any(), any(), any());
    verify(node.told).controllerGone(id(2), named("node2"));
  }

  @Test
  void aControllerLostWithItsNodeIsReportedOnce() {
    node.goes(2);
    verify(node.told).controllerGone(id(2), named("node2"));
    node.controllers(1, 3);
    verify(node.told).controllerGone(id(2), named("node2"));
  }

  @Test
  void onlyControllersThatCameAreReported() {
    node.goes(2);
    node.comes(2);
    verify(node.told).controllersCame(ids(2));
    clearInvocations(node.told);
    node.controllers(1, 2, 3);
    verify(node.told, never()).controllersCame(any());
    verify(node.told).changed();
  }

  @Test
  void everyMembershipIsReportedAsAChange() {
    node.comesAlone(3);
    verify(node.told, atLeastOnce()).changed();
  }

  // What this node knows of itself

  @Test
  void aNodeIsCompleteOnceItKnowsItsMembershipAndIsInTheGroup() {
    var fresh = new DcUnderTest();
    assertFalse(fresh.members.isComplete());
    assertFalse(fresh.members.quorate());
    assertEquals(0, fresh.members.membershipNumber());
    fresh.comesAlone(1);
    assertFalse(fresh.members.isComplete());
    assertTrue(fresh.members.quorate());
    assertFalse(fresh.members.hasLostQuorum());
    assertEquals(11, fresh.members.membershipNumber());
    fresh.controllers(2, 3);
    assertFalse(fresh.members.isComplete());
    fresh.controllers(1, 2);
    assertTrue(fresh.members.isComplete());
    fresh.quorate = false;
    fresh.comesAlone(2);
    assertFalse(fresh.members.quorate());
  }

  private static Membership membership(long number, long since) {
    return new Membership(
        number, List.of(new Member(new NodeId(1), new NodeName("node1"), since)), true);
  }

  @Test
  void itsStayBeginsWithTheFirstMembershipItSeesOrTheOneInWhichItCameBack() {
    var fresh = new DcUnderTest();
    assertEquals(0, fresh.members.bornOn());
    fresh.comesAlone(2);
    assertEquals(0, fresh.members.bornOn(), "it is not in it");
    fresh.members.membership(membership(20, 5));
    assertEquals(20, fresh.members.bornOn(), "the node may have been there before its controller");
    fresh.members.membership(membership(21, 5));
    assertEquals(20, fresh.members.bornOn());
    fresh.members.membership(membership(25, 24));
    assertEquals(24, fresh.members.bornOn());
  }

  // A controller that may come back

  @Test
  void aMemberWithoutAControllerIsGivenUpAfterTwentySeconds() {
    node.goes(2);
    node.comesAlone(2);
    assertTrue(node.book.isMissing(id(2)));
    node.pass(19);
    assertTrue(node.book.isMissing(id(2)));
    node.pass(1);
    assertFalse(node.book.isMissing(id(2)));
  }

  @Test
  void eachLossHasItsOwnTwentySeconds() {
    node.controllers(1, 3);
    node.pass(15);
    node.controllers(1, 2, 3);
    node.dc.offerNew();
    node.joins(2);
    node.controllers(1, 3);
    node.pass(15);
    assertEquals(ids(2), node.dc.awaited(), "the first loss is not what counts");
    assertFalse(node.world.logged("left the cluster unexpectedly"));
    node.pass(5);
    assertEquals(List.of(), node.dc.awaited());
    assertTrue(node.world.logged("node2 left the cluster unexpectedly"));
  }

  @Test
  void aControllerThatIsBackInTimeIsNotTakenForLostWhenTheTimeIsOver() {
    node.controllers(1, 3);
    node.controllers(1, 2, 3);
    node.dc.offerNew();
    node.joins(2);
    node.pass(30);
    assertFalse(node.world.logged("left the cluster unexpectedly"));
    assertEquals(ids(1, 2, 3), node.dc.joined());
  }

  @Test
  void anIntegrationThatWaitsOnlyForAControllerEndsWithItsTime() {
    node.controllers(1, 3);
    node.inputs.clear();
    node.state = State.INTEGRATION;
    node.pass(19);
    assertTrue(node.inputs.stream().noneMatch(Input.Integrated.class::isInstance));
    node.pass(1);
    assertTrue(node.inputs.stream().anyMatch(Input.Integrated.class::isInstance));
  }

  @Test
  void onlyTheDcWaitsForOtherControllers() {
    node.watch.release();
    node.controllers(1, 3);
    node.inputs.clear();
    node.state = State.INTEGRATION;
    node.pass(30);
    assertEquals(List.of(), node.inputs);
    assertFalse(node.world.logged("left the cluster unexpectedly"));
  }

  // What the CIB says of who goes

  @Test
  void aNodeThatTheCibExpectedToGoHasLeftInGoodOrder() {
    node.watch.release(); // another DC has recorded it
    node.cib.status("<node_state id='2' uname='node2' in_ccm='1' crmd='1' expected='down'/>");
    node.goes(2);
    assertNull(node.book.state(id(2), false, "test", null), "nobody need wonder what it does");
  }

  @Test
  void aNodeThatWasNotExpectedToGoMustBeFencedByTheNextDc() {
    node.watch.release();
    node.goes(2);
    var state = node.book.state(id(2), false, "test", null);
    assertEquals("member", state == null ? null : state.get("expected"));
  }

  @Test
  void aStayThatIsOverTakesItsAdmissionWithIt() {
    node.admissions.told(id(2));
    node.controllers(1, 3);
    assertTrue(node.admissions.has(id(2)), "the node is still there");
    node.goes(2);
    assertFalse(node.admissions.has(id(2)));
  }

  // Whom the DC waits for

  @Test
  void aNodeOfWhichTheCibSaysNothingIsNotWaitedFor() {
    node.goes(2);
    node.cib.change(CibOp.deleteAllXPath("//node_state[@id='2']"));
    node.comesAlone(2);
    assertEquals(List.of(), node.dc.awaited());
  }

  @Test
  void aNodeRecordedAsExpectedDownIsNotWaitedFor() {
    node.goes(2);
    node.cib.change(
        CibOp.put(
            "status",
            TestCib.xml("<node_state id='2' uname='node2' crmd='1700000000' expected='down'/>")));
    node.comesAlone(2);
    assertEquals(List.of(), node.dc.awaited());
  }

  @Test
  void aNodeThatWasNeverThereIsNotWaitedFor() {
    node.goes(2);
    node.cib.change(
        CibOp.put(
            "status", TestCib.xml("<node_state id='2' uname='node2' crmd='0' expected=''/>")));
    node.comesAlone(2);
    assertEquals(List.of(), node.dc.awaited());
  }
}
