package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeName;
import org.systole.common.world.Log;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.controld.TestCib;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The controller of node1, which is DC unless a test says otherwise; node2 has been in the cluster
/// since membership 10, and the present plan was made in membership 12.
final class FencerLinkTest {
  private static final int TRANSITION = 4;

  private final TestWorld world = new TestWorld();
  private final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  private final List<Long> asked = new ArrayList<>();
  private final List<FenceMessage.Fence> requests = new ArrayList<>();
  private final Host host = new Host();
  private final FencerLink link = new FencerLink(world, host);

  private final class Host implements FencerLink.Host {
    final List<String> deeds = new ArrayList<>();
    final Map<String, Long> stays = new HashMap<>(Map.of("node1", 5L, "node2", 10L, "node3", 10L));
    final Set<Integer> underWay = new HashSet<>(Set.of(TRANSITION));
    final Set<String> down = new HashSet<>();
    boolean dc = true;
    long plannedIn = 12;

    @Override
    public NodeName nodeName() {
      return new NodeName("node1");
    }

    @Override
    public boolean isDc() {
      return dc;
    }

    @Override
    public int fencingMaxAttempts() {
      return 3;
    }

    @Override
    public long plannedIn() {
      return plannedIn;
    }

    @Override
    public Duration fencingTimeout() {
      return Duration.ofSeconds(60);
    }

    @Override
    public long stay(NodeName node) {
      return stays.getOrDefault(node.text(), 0L);
    }

    @Override
    public boolean isUnderWay(int transition) {
      return underWay.contains(transition);
    }

    @Override
    public Log transitionLog() {
      return world.log();
    }

    @Override
    public void ended(int transition, int action, boolean succeeded) {
      deeds.add("ended %d:%d %s".formatted(transition, action, succeeded));
    }

    @Override
    public void restart(String why) {
      deeds.add("restart");
    }

    @Override
    public void giveUp(String why) {
      deeds.add("give up");
    }

    @Override
    public boolean isRecordedDown(NodeName node) {
      return down.contains(node.text());
    }

    @Override
    public void recordDown(NodeName node) {
      deeds.add("down " + node);
    }

    @Override
    public void setAttribute(String name, NodeName node, @Nullable String value) {
      deeds.add("%s of %s is %s".formatted(name, node, value));
    }

    @Override
    public void alert(FenceMessage.Fenced event, String text) {
      deeds.add("alert");
    }

    @Override
    public void fencedOurselves(NodeName origin) {
      deeds.add("fenced ourselves");
    }

    List<String> deeds() {
      world.settle();
      var now = List.copyOf(deeds);
      deeds.clear();
      return now;
    }
  }

  @BeforeEach
  void connect() {
    fencer.script(
        (id, request) -> {
          if (request instanceof FenceMessage.Fence fence) {
            asked.add(id);
            requests.add(fence);
          } else {
            fencer.reply(id, new FenceMessage.Ok());
          }
        });
    link.open();
    world.settle();
  }

  private static GraphAction action(int id, String operation, String node, String more) {
    return GraphAction.of(
        TestCib.xml(
            """
            <crm_event id="%d" operation="stonith" operation_key="stonith-%s" on_node="%s"
              on_node_uuid="%s"><attributes CRM_meta_stonith_action="%s" %s/></crm_event>
            """
                .formatted(id, node, node, node.substring(4), operation, more)));
  }

  private void fence(int id, String node) {
    link.fence(action(id, "reboot", node, ""), TRANSITION);
    world.settle();
  }

  private static FenceRecord record(String action, String target, String client, long membership) {
    return new FenceRecord(
        "f1",
        new NodeName(target),
        action,
        new NodeName("node3"),
        "node3",
        client,
        Progress.DONE,
        1,
        "",
        membership);
  }

  /// The request asked for as the `which`th ends.
  private void ends(int which, int rc, ExecStatus status, long membership) {
    var request = requests.get(which);
    var record = record(request.action(), request.target().text(), request.client(), membership);
    fencer.reply(asked.get(which), new FenceMessage.Outcome(record, rc, status));
    world.settle();
  }

  private void succeeds(int which) {
    ends(which, 0, ExecStatus.DONE, requests.get(which).membership());
  }

  private void fails(int which) {
    ends(which, 1, ExecStatus.ERROR, requests.get(which).membership());
  }

  private void fenced(String target, String client, boolean succeeded, long membership) {
    var record = record("reboot", target, client, membership);
    fencer.event(
        new FenceMessage.Fenced(
            record, succeeded ? 0 : 1, succeeded ? ExecStatus.DONE : ExecStatus.ERROR));
    world.settle();
  }

  private static List<String> planned(String... deeds) {
    return List.of(deeds);
  }

  @Test
  void whatIsAskedForNamesTheStayThatIsMeant() {
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
  void aFencingThatWasCalledOffIsNoFailedAttempt() {
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
  void aLaterStayOfANodeIsFencedAnewThoughTheEarlierOneIsStillUnderWay() {
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
  void theEndOfAFencingThatNoTransitionWaitsForHasThePlanMadeAnew() {
    fence(7, "node2");
    host.underWay.clear();
    succeeds(0);
    assertEquals(planned("down node2", "restart"), host.deeds());
  }

  @Test
  void whoIsNoLongerDcDrawsNoConclusions() {
    fence(7, "node2");
    host.dc = false;
    succeeds(0);
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aNodeThatCannotBeFencedIsGivenUpAfterSomeAttempts() {
    for (var i = 0; i < 2; i++) {
      fence(7, "node2");
      fails(i);
      assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    }
    fence(7, "node2");
    fails(2);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
    fence(8, "node3");
    fails(3);
    assertEquals(planned("restart", "ended 4:8 false"), host.deeds(), "of another node");
  }

  @Test
  void aNodeThatIsBackBeginsWithoutFailedAttempts() {
    for (var i = 0; i < 3; i++) {
      fence(7, "node2");
      fails(i);
    }
    host.deeds();
    host.stays.put("node2", 13L);
    host.plannedIn = 14;
    fence(7, "node2");
    fails(3);
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void aSuccessEndsTheCountOfFailedAttempts() {
    for (var i = 0; i < 2; i++) {
      fence(7, "node2");
      fails(i);
    }
    fence(7, "node2");
    succeeds(2);
    host.deeds();
    fence(7, "node2");
    fails(3);
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void withoutADeviceNothingIsTriedAgainAtOnce() {
    fence(7, "node2");
    ends(0, 1, ExecStatus.NO_FENCE_DEVICE, 12);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
  }

  @Test
  void aRefusalCountsAsAFailedAttempt() {
    fence(7, "node2");
    fencer.reply(asked.getFirst(), new FenceMessage.Refused(ExecStatus.INVALID, "what node?"));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    assertTrue(world.logged("for the 1. time"));
  }

  @Test
  void aFailureThatNoTransitionWaitsForIsOnlyCounted() {
    fence(7, "node2");
    host.underWay.clear();
    fails(0);
    assertEquals(planned(), host.deeds());
    assertTrue(world.logged("for the 1. time"));
  }

  @Test
  void aFencerThatIsLostIsAskedAgainOnceItIsBackAndNoAttemptIsCounted() {
    for (var i = 0; i < 5; i++) {
      fence(7, "node2");
      fencer.goes("killed");
      assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
      fencer.comes();
      world.pass(Duration.ofMillis(1900));
      assertEquals(planned("restart"), host.deeds(), "as soon as it is back");
    }
    assertFalse(world.logged("failed"));
  }

  @Test
  void aFencerThatStaysAwayIsTriedAgainAfterAWhile() {
    fencer.goes("killed");
    world.pass(Duration.ofSeconds(30));
    fence(7, "node2");
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
    world.pass(Duration.ofMillis(1900));
    assertEquals(planned(), host.deeds());
    world.pass(Duration.ofMillis(200));
    assertEquals(planned("restart"), host.deeds());
    world.pass(Duration.ofSeconds(30));
    assertEquals(planned(), host.deeds(), "once: the plan asks for it again");
  }

  @Test
  void whoIsNoLongerDcDoesNotAskTheFencerAgain() {
    fencer.goes("killed");
    fence(7, "node2");
    host.deeds();
    host.dc = false;
    world.pass(Duration.ofSeconds(10));
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFencerThatIsBackIsNotAskedForWhatNobodyWaitsFor() {
    fence(7, "node2");
    host.underWay.clear();
    fencer.drop("killed");
    world.pass(Duration.ofSeconds(10));
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFencingThatIsNotAnsweredInTimeHasFailed() {
    fence(7, "node2");
    world.pass(Duration.ofSeconds(239));
    assertEquals(planned(), host.deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void whatIsUnfencedGetsItsMarksAndIsNotRecordedAsDown() {
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

  // What others have fenced

  @Test
  void whatSomebodyElseHasFencedIsRecordedAndPlannedFor() {
    fenced("node2", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "down node2", "restart"), host.deeds());
  }

  @Test
  void itsOwnFencingIsRecordedOnce() {
    fence(7, "node2");
    fenced("node2", requests.getFirst().client(), true, 12);
    succeeds(0);
    assertEquals(planned("alert", "down node2", "ended 4:7 true"), host.deeds());
  }

  @Test
  void aFencingOfAnEarlierStayIsOnlyTold() {
    fenced("node2", "stonith_admin.1", true, 9);
    assertEquals(planned("alert"), host.deeds());
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 9);
    host.dc = true;
    host.deeds();
    link.tookOver();
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFailureOfSomebodyElseIsOnlyTold() {
    fenced("node2", "stonith_admin.1", false, 12);
    assertEquals(planned("alert"), host.deeds());
  }

  @Test
  void aNodeThatWasFencedItselfEndsWhetherItIsDcOrNot() {
    fenced("node1", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "fenced ourselves"), host.deeds());
    host.dc = false;
    fenced("node1", "stonith_admin.1", true, 5);
    assertEquals(planned("alert", "fenced ourselves"), host.deeds());
    fenced("node1", "stonith_admin.1", false, 12);
    assertEquals(planned("alert"), host.deeds(), "a failure has no effect");
    fenced("node1", "stonith_admin.1", true, 4);
    assertEquals(planned("alert"), host.deeds(), "it has been back since");
  }

  @Test
  void whoIsUnfencedByHandIsNotDown() {
    fencer.event(
        new FenceMessage.Fenced(record("on", "node2", "x.1", 12), 0, ExecStatus.DONE));
    assertEquals(planned("alert"), host.deeds());
  }

  @Test
  void theNextDcRecordsWhatWasFencedWhileThereWasNone() {
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 12);
    fenced("node3", "stonith_admin.1", true, 12);
    assertEquals(planned("alert", "alert"), host.deeds());
    host.down.add("node3");
    host.dc = true;

    link.tookOver();

    assertEquals(planned("down node2"), host.deeds());
    host.down.add("node2");
    link.cibChanged();
    host.down.clear();
    link.tookOver();
    assertEquals(planned(), host.deeds(), "once it was written down that is over");
  }

  @Test
  void theNextDcDoesNotRecordAFencingOfANodeThatHasComeBack() {
    host.dc = false;
    fenced("node2", "stonith_admin.1", true, 12);
    fenced("node3", "stonith_admin.1", true, 12);
    host.deeds();
    host.stays.put("node2", 13L);
    link.appeared(named("node3"));
    host.dc = true;

    link.tookOver();

    assertEquals(planned(), host.deeds());
  }

  @Test
  void whatADcWroteAndNobodyHasSeenIsWrittenByTheNext() {
    fence(7, "node2");
    succeeds(0);
    host.deeds();
    link.tookOver(); // this node was DC, lost it, and is again
    assertEquals(planned("down node2"), host.deeds());
  }

  @Test
  void failuresThatOthersSawCountWhenThisNodeBecomesDc() {
    host.dc = false;
    fenced("node2", "x.1", false, 12);
    fenced("node2", "x.1", false, 12);
    host.dc = true;
    fence(7, "node2");
    host.deeds();
    fails(0);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
  }

  @Test
  void whatIsBackIsNotWaitedFor() {
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

  @Test
  void whatWasFencedIsSaidSoThatAnAdministratorUnderstands() {
    fenced("node2", "stonith_admin.1", true, 12);
    assertTrue(world.logged("Node node2 was fenced (reboot) by node3 for stonith_admin.1@node3"));
    fenced("node2", "stonith_admin.1", false, 12);
    assertTrue(world.logged("Node node2 was not fenced (reboot)"));
    fenced("node2", "stonith_admin.1", true, 9);
    assertTrue(world.logged("that was an earlier stay"));
  }
}
