package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// Nodes whose names for the members are not the DC's.
class ObjectionsTest {
  private final DcUnderTest node = new DcUnderTest();

  ObjectionsTest() {
    node.comes(1, 2, 3);
    node.watch.takeOver();
    node.dc.takeOver(node.epoch, false);
    node.world.settle();
  }

  private void asks(int node, Map<NodeId, NodeName> names) {
    this.node.dc.admit(
        new Input.JoinRequested(id(node), this.node.joins.joinId(id(node)), DcUnderTest.FEATURES, names));
  }

  private void isAsked() {
    node.state = State.INTEGRATION;
    node.dc.offerAll();
    node.sent.clear();
    node.inputs.clear();
  }

  @Test
  void aNodeThatHasAnotherNameForAMemberIsTurnedDown() {
    node.admissions.told(id(1));
    isAsked();
    asks(2, Map.of(id(1), named("node1"), id(2), named("delta")));
    assertEquals(List.of("2 Result"), node.sent);
    assertEquals(Joins.Phase.REFUSED, node.joins.phase(id(2)));
    assertTrue(node.world.logged("its corosync.conf calls node 2 delta, which is node2 in the DC's"));
    asks(3, Map.of(id(1), named("omega"), id(3), named("node3")));
    assertEquals(Joins.Phase.REFUSED, node.joins.phase(id(3)));
    assertEquals(List.of(), node.inputs, "this node was let in before");
  }

  @Test
  void aNodeMayCallOneThatIsNotThereAsItLikesAndNeedNotSay() {
    node.admissions.told(id(1));
    isAsked();
    asks(2, Map.of(id(2), named("node2"), id(9), named("nine")));
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(2)));
    asks(3, Map.of());
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(3)));
  }

  @Test
  void aNodeThatWasLetInBeforeIsNotLostForAName() {
    node.admissions.told(id(2));
    isAsked();
    asks(2, Map.of(id(2), named("delta")));
    assertEquals(Joins.Phase.INTEGRATED, node.joins.phase(id(2)));
  }

  @Test
  void aDcThatNobodyHasLetInYetGoesItselfIfItIsCalledOtherwise() {
    isAsked();
    asks(2, Map.of(id(1), named("omega"), id(2), named("node2")));
    assertEquals(List.of(), node.sent);
    assertEquals(1, node.inputs.size());
    var why = assertInstanceOf(Input.TurnedDown.class, node.inputs.getFirst()).why();
    assertTrue(why.startsWith("this node is node1 in its corosync.conf and omega in that of node2: "), why);
  }
}
