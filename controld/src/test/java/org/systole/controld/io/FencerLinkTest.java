package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.transition.GraphAction;
import org.systole.controld.TestCib;
import org.systole.fenced.client.FenceMessage;

/// What the DC asks the fencer for, and what it concludes from the answers.
final class FencerLinkTest extends FencerLinkUnderTest {
  @Test
  void aRequestNamesTheStayThatIsToEnd() {
    link.fence(action(7, "off", "node2", "CRM_meta_priority_fencing_delay=\"15\""), TRANSITION);
    world.settle();

    var request = requests.getFirst();
    assertEquals("node2", String.valueOf(request.target()));
    assertEquals("off", request.action());
    assertEquals(60_000, request.timeoutMillis());
    assertEquals(15, request.delaySeconds());
    assertEquals(0, request.toleranceMillis());
    assertEquals(12, request.membership());
  }

  @Test
  void aNodeIsRebootedUnlessThePlanSaysOtherwise() {
    var plain =
        """
        <crm_event id="1" operation="stonith" operation_key="stonith-node2" on_node="node2"
          on_node_uuid="2"/>
        """;
    link.fence(GraphAction.of(TestCib.xml(plain)), TRANSITION);
    world.settle();
    assertEquals("reboot", requests.getFirst().action());
    assertEquals(0, requests.getFirst().delaySeconds());
  }

  @Test
  void aPlanThatFencesANodeWithoutANameIsGivenUp() {
    for (var name : List.of("", "node&#10;2")) {
      var plan =
          "<crm_event id='7' operation='stonith' on_node='%s' on_node_uuid='2'/>".formatted(name);
      var nameless = GraphAction.of(TestCib.xml(plan));
      link.fence(nameless, TRANSITION);
      assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
      link.fence(nameless, TRANSITION);
      host.underWay.clear();
      assertEquals(planned(), host.deeds(), "the plan is over");
      host.underWay.add(TRANSITION);
    }
    assertEquals(List.of(), requests);
  }

  @Test
  void aFencedNodeIsRecordedAsDownBeforeTheTransitionGoesOn() {
    fence(7, "node2");
    succeeds(0);
    assertEquals(planned("down node2", "ended 4:7 true"), host.deeds());
  }

  @Test
  void aSuccessForAStayThatHasEndedSinceIsRecordedNowhere() {
    fence(7, "node2");
    host.stays.put("node2", 13L); // it is back, and lives

    succeeds(0);

    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    link.cibChanged();
    link.tookOver();
    assertEquals(planned(), host.deeds(), "nor later");
  }

  @Test
  void aCancelledFencingIsNoFailedAttempt() {
    for (var i = 0; i < 4; i++) {
      fence(7, "node2");
      ends(i, 1, ExecStatus.CANCELLED, 12);
      assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    }
    fence(7, "node2");
    fencer.reply(asked.get(4), new FenceMessage.Refused(ExecStatus.CANCELLED, "it is back"));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    assertFalse(world.logged("failed"));
  }

  @Test
  void theSameFencingIsNotAskedForTwice() {
    fence(7, "node2");
    link.fence(action(3, "reboot", "node2", ""), TRANSITION);
    fence(8, "node3");
    assertEquals(2, requests.size());

    succeeds(0);

    assertEquals(planned("down node2", "ended 4:7 true", "ended 4:3 true"), host.deeds());
  }

  @Test
  void aLaterStayOfANodeIsFencedThoughTheFencingOfTheEarlierIsUnderWay() {
    fence(7, "node2");
    host.stays.put("node2", 13L);
    host.plannedIn = 14;
    link.fence(action(3, "reboot", "node2", ""), TRANSITION);
    world.settle();
    assertEquals(2, requests.size());
    assertEquals(14, requests.get(1).membership());

    succeeds(0);
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());

    link.fence(action(5, "reboot", "node2", ""), TRANSITION);
    world.settle();
    assertEquals(2, requests.size(), "the end of the earlier one says nothing of the later one");
    succeeds(1);
    assertEquals(planned("down node2", "ended 4:3 true", "ended 4:5 true"), host.deeds());
  }

  @Test
  void theEndOfAFencingThatNoTransitionWaitsForCausesAnotherPlan() {
    fence(7, "node2");
    host.underWay.clear();
    succeeds(0);
    assertEquals(planned("down node2", "restart"), host.deeds());
  }

  @Test
  void aFormerDcDrawsNoConclusions() {
    fence(7, "node2");
    host.dc = false;
    succeeds(0);
    assertEquals(planned(), host.deeds());
  }

  @Test
  void anUnfencedNodeGetsItsAttributesAndIsNotRecordedAsDown() {
    link.fence(
        action(7, "on", "node2", "CRM_meta_digests_all=\"a\" CRM_meta_digests_secure=\"s\""),
        TRANSITION);
    world.settle();
    host.stays.put("node2", 13L); // it has joined: that is what it is unfenced for
    succeeds(0);
    assertEquals(
        planned(
            "#node-unfenced of node2 is 1700000000",
            "#digests-all of node2 is a",
            "#digests-secure of node2 is s",
            "ended 4:7 true"),
        host.deeds());
  }

  @Test
  void aFencingWhoseTargetIsBackIsNotWaitedFor() {
    fence(7, "node2");
    fence(8, "node3");
    link.appeared(named("node2"));
    assertEquals(planned(), host.deeds(), "only its controller: it is still the stay that is meant");

    host.stays.put("node2", 13L);
    link.appeared(named("node2"));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    succeeds(0);
    assertEquals(planned(), host.deeds(), "nobody waits for it any more");
  }

  @Test
  void anUnfencingIsWaitedForThoughItsNodeIsBack() {
    link.fence(action(7, "on", "node2", ""), TRANSITION);
    world.settle();
    host.stays.put("node2", 13L);
    link.appeared(named("node2"));
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aStayThatBeganWithTheMembershipOfThePlanIsTheOneThatIsMeant() {
    host.plannedIn = 10;
    fence(7, "node2");
    fence(7, "node2");
    assertEquals(1, requests.size());
    link.appeared(named("node2"));
    assertEquals(planned(), host.deeds());
    succeeds(0);
    assertEquals(planned("down node2", "ended 4:7 true", "ended 4:7 true"), host.deeds());
  }
}
