package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.fenced.FencerUnderTest.foreign;
import static org.systole.fenced.FencerUnderTest.offer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.Progress;

/// Who is asked, in which order, for how long, and what the client is told.
final class FencingOperationTest {
  private static final Map<String, String> NODE3 = Map.of("pcmk_host_list", "node3");

  private final FencerUnderTest fencer = new FencerUnderTest();

  private void level(int index, String... devices) {
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", index, List.of(devices)));
  }

  private FencePeerMessage.Execute orderTo(int node) {
    return fencer.sentTo(node, FencePeerMessage.Execute.class);
  }

  private int orders() {
    return fencer.sent(FencePeerMessage.Execute.class).size();
  }

  @Test
  void aNodeKnownToReachTheDeviceIsAskedFirstAndTheTargetLast() {
    fencer.ask("node3", "reboot");
    fencer.offers(3, offer("power", true));
    fencer.offers(2, offer("power", false));
    assertEquals("power", orderTo(2).device(), "the target is asked only if no other node can act");

    fencer.executed(2, 1);
    assertEquals("power", orderTo(3).device());
  }

  @Test
  void aDeviceKnownToAnswerIsUsedWithoutWaitingForTheOthers() {
    fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));

    assertEquals(1, orders());
  }

  @Test
  void aDeviceNotKnownToAnswerIsUsedOnceAllFencersHaveAnswered() {
    fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", false));
    assertEquals(0, orders());

    fencer.offers(3);
    assertEquals(1, orders());
  }

  @Test
  void aSilentFencerIsNotWaitedForForEver() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", false));
    fencer.world.pass(Duration.ofSeconds(23));
    assertEquals(0, orders());
    fencer.world.pass(Duration.ofSeconds(2));

    assertEquals(1, orders());
    assertTrue(fencer.world.logged("No answer from the fencers on [node3]"));
    fencer.executed(2, 0);
    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void theEndIsToldToTheLogForEachRequestThatWasMerged() {
    fencer.ask("node3", "off");
    fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    fencer.executed(2, 0);

    var ends =
        fencer.world.lines().stream()
            .filter(line -> line.contains("Operation 'off' targeting node3 by node2 for "))
            .toList();
    assertEquals(2, ends.size(), ends::toString);
    assertTrue(ends.get(0).contains("@node1: OK (Done)"), ends.get(0));
    assertTrue(ends.get(1).contains("@node1 (merged): OK (Done)"), ends.get(1));
  }

  @Test
  void withoutAnyDeviceItFailsOnceAllFencersHaveAnswered() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2);
    assertFalse(fencer.isAnswered(id));
    fencer.offers(3);

    assertEquals(ExecStatus.NO_FENCE_DEVICE, fencer.outcome(id).status());
    assertEquals(Progress.FAILED, fencer.outcome(id).record().progress());
  }

  @Test
  void aVerifiedDeviceOfAnotherNodeIsPreferredToAnUnverifiedLocalOne() {
    fencer.register("power", NODE3);
    fencer.ask("node3", "reboot");
    fencer.offers(3);
    fencer.offers(2, offer("power", true));

    assertEquals("power", orderTo(2).device());
    assertEquals(List.of(), fencer.world.programs().running(), "its own device never answered");
  }

  @Test
  void aNodeFencesItselfOnlyIfNoOtherNodeCan() {
    fencer.register("power", Map.of("pcmk_host_list", "node1"));
    fencer.agent("monitor", 0, "");
    fencer.root().ask(new FenceMessage.RunDevice("power", "monitor", null, 5_000));
    fencer.world.pass(Duration.ofSeconds(1));
    fencer.ask("node1", "reboot");
    fencer.offers(2, offer("power", false));
    fencer.offers(3);
    assertEquals("power", orderTo(2).device());

    fencer.executed(2, 1);
    fencer.runs("reboot");
  }

  @Test
  void anUnverifiedDeviceWaitsForAllAnswersAlsoAfterAFailure() {
    fencer.register("power", NODE3);
    fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));
    fencer.executed(2, 1);
    assertEquals(0, fencer.begun("reboot"), "node3 may still know something better");

    fencer.offers(3);
    fencer.runs("reboot");
  }

  @Test
  void aFencerThatLeavesIsNotWaitedFor() {
    fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", false));
    assertEquals(0, orders());
    fencer.goes(3);

    assertEquals(1, orders());
  }

  @Test
  void missingAnswersAreNotReportedAfterTheOperationEnded() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));
    fencer.executed(2, 0);
    assertTrue(fencer.outcome(id).succeeded());
    fencer.world.pass(Duration.ofMinutes(2));

    assertFalse(fencer.world.logged("No answer from the fencers"));
  }

  @Test
  void theReasonOfTheLastFailureIsReported() {
    fencer.world.pass(Duration.ofMinutes(1));
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));
    fencer.offers(3);
    fencer.executed(2, 1);

    assertFalse(fencer.outcome(id).succeeded());
    assertEquals(ExecStatus.DONE, fencer.outcome(id).status());
    assertEquals("no luck", fencer.outcome(id).record().exitReason());
    assertEquals("node2", fencer.outcome(id).record().delegate());
  }

  @Test
  void afterTheClientsTimeAFailureOfAllIsATimeoutThatNamesTheLastFailure() {
    var id = fencer.ask("node3", "reboot"); // within 20 s
    fencer.offers(2, offer("first", true), offer("second", true));
    fencer.offers(3);
    fencer.world.pass(Duration.ofSeconds(13));
    fencer.executed(2, 1);
    fencer.world.pass(Duration.ofSeconds(12));
    fencer.executed(2, 1);

    assertEquals(ExecStatus.TIMEOUT, fencer.outcome(id).status());
    assertTrue(fencer.outcome(id).record().exitReason().endsWith("the last: no luck"));
  }

  @Test
  void withATopologyTheLastFailureIsTheResultHoweverLongItTook() {
    level(1, "first");
    level(2, "second");
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("first", true), offer("second", true));
    fencer.offers(3);
    fencer.world.pass(Duration.ofSeconds(13));
    fencer.executed(2, 1);
    fencer.world.pass(Duration.ofSeconds(12));
    fencer.executed(2, 1);

    assertEquals(ExecStatus.DONE, fencer.outcome(id).status());
    assertEquals("no luck", fencer.outcome(id).record().exitReason());
  }

  @Test
  void anAnswerToAnEarlierOrderDoesNotCountForTheNext() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("first", true), offer("second", true));
    fencer.offers(3);
    var first = orderTo(2);
    fencer.world.pass(Duration.ofSeconds(25)); // a fifth more than its time is over
    assertEquals(2, orders());

    fencer.says(
        2,
        false,
        new FencePeerMessage.Executed(
            first.operation(), first.attempt(), 0, ExecStatus.DONE, ""));
    assertFalse(fencer.isAnswered(id));

    fencer.executed(2, 0);
    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void theWholeEndsInTimeThoughEveryDeviceHangs() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("a", true), offer("b", true), offer("c", true));
    fencer.offers(3);
    fencer.world.pass(Duration.ofSeconds(100));

    assertEquals(ExecStatus.TIMEOUT, fencer.outcome(id).status());
    assertTrue(fencer.history().stream().noneMatch(FenceMessage.FenceRecord::pending));
  }

  @Test
  void aRebootInTwoPartsHasTimeForBoth() {
    level(1, "a", "b");
    var id = fencer.ask("node3", "reboot"); // 20 s for each device
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);
    for (var expected : List.of("off a", "off b", "on a", "on b")) {
      fencer.world.pass(Duration.ofSeconds(22));
      assertFalse(fencer.isAnswered(id), expected);
      assertEquals(expected, orderTo(2).action() + " " + orderTo(2).device());
      fencer.executed(2, 0);
    }

    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void aDeviceOutsideTheTopologyDoesNotLengthenTheOperation() {
    fencer.register("a", NODE3);
    level(1, "a");
    var slow =
        new Offer(
            "z", true, false, true, false, Map.of("off", new Offer.Terms(true, 900_000, 0)));
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("a", true), slow);
    fencer.offers(3, offer("a", true));
    fencer.world.pass(Duration.ofSeconds(49)); // twice 20 s and a fifth

    assertEquals(ExecStatus.TIMEOUT, fencer.outcome(id).status());
  }

  @Test
  void theNextNodeIsAskedAtOnceIfTheOneThatActsIsLost() {
    fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));
    assertEquals(1, orders());

    fencer.goes(2);

    assertEquals("power", orderTo(3).device());
  }

  @Test
  void whatItsClientHasGivenUpIsNotBegun() {
    var id = fencer.ask("node3", "off");
    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "off", "another", false));
    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "reboot", "test.1", false));
    assertFalse(fencer.isAnswered(id));

    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "off", "test.1", false));
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));

    assertEquals(0, orders());
    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void whatADeviceWasToldIsCarriedThrough() {
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    assertEquals(1, orders());

    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "off", "test.1", false));
    fencer.executed(2, 0);

    assertTrue(fencer.outcome(id).succeeded());
  }

  private void withdrawWholly(String action) {
    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), action, "test.1", true));
  }

  @Test
  void whatIsGivenUpForNowIsTriedByAnotherNode() {
    fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));

    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "off", "test.1", false));
    fencer.executed(2, 1);

    assertEquals("power", orderTo(3).device(), "its client may ask again for the same");
  }

  @Test
  void whatIsGivenUpWhollyIsNotTriedByAnotherNode() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));

    withdrawWholly("reboot");
    assertFalse(fencer.isAnswered(id), "a device acts");
    fencer.executed(2, 1);

    assertEquals(1, orders());
    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals("test.1 has given it up", fencer.outcome(id).record().exitReason());
  }

  @Test
  void whatIsTiedToItsClientIsNotTriedByAnotherNodeOnceThatIsGone() {
    var decider = fencer.client(true);
    decider.ask(FencerUnderTest.fence("node3", "reboot").tiedToItsClient());
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));
    assertEquals(1, orders());

    decider.close();
    fencer.executed(2, 1);

    assertEquals(1, orders());
  }

  @Test
  void whatIsNotTiedToItsClientGoesOnWithoutIt() {
    var client = fencer.client(true);
    client.ask(FencerUnderTest.fence("node3", "reboot"));
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));

    client.close();
    fencer.executed(2, 1);

    assertEquals("power", orderTo(3).device());
  }

  /// It may wait there in the queue of a device that is busy with other nodes.
  @Test
  void whoWasOrderedToActHearsThatItIsGivenUpWholly() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true));
    var order = orderTo(2);

    fencer.root().answer(new FenceMessage.Withdraw(new NodeName("node3"), "reboot", "test.1", false));
    assertEquals(List.of(), fencer.sent(FencePeerMessage.TakenBack.class));
    withdrawWholly("reboot");
    assertEquals(
        List.of(new FencePeerMessage.TakenBack(order.operation(), order.attempt())),
        fencer.sent(FencePeerMessage.TakenBack.class));
    fencer.executed(2, 1);

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void whatIsGivenUpWhollyMayStillSucceed() {
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));

    withdrawWholly("off");
    fencer.executed(2, 0);

    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void whatAnotherClientWaitsForIsNotGivenUp() {
    fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));
    fencer
        .root()
        .ask(new FenceMessage.Fence(new NodeName("node3"), "off", 20_000, 0, 0, "other", true, 0));

    withdrawWholly("off");
    fencer.executed(2, 1);

    assertEquals(2, orders());
  }

  @Test
  void whatIsAskedForAgainIsNotGivenUp() {
    fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true));
    fencer.offers(3, offer("power", true));

    withdrawWholly("off");
    fencer.ask("node3", "off");
    fencer.executed(2, 1);

    assertEquals(2, orders());
  }

  @Test
  void aRebootOfTwoSuppliesThatIsGivenUpSwitchesThemOnAgain() {
    level(1, "a", "b");
    fencer.ask("node3", "reboot");
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);

    withdrawWholly("reboot");
    fencer.executed(2, 0); // a is off

    assertEquals("on a", orderTo(2).action() + " " + orderTo(2).device());
  }

  @Test
  void nothingIsSwitchedOnWhoseTargetIsSwitchedOffByAnotherOperation() {
    level(1, "a", "b");
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);

    withdrawWholly("reboot");
    fencer.ask("node3", "off");
    fencer.executed(2, 0); // a is off, for the reboot

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertTrue(
        fencer.sent(FencePeerMessage.Execute.class).stream().noneMatch(it -> it.action().equals("on")));
  }

  @Test
  void theDelayIsForTheFirstTryOnly() {
    fencer
        .root()
        .ask(new FenceMessage.Fence(new NodeName("node3"), "off", 20_000, 7, 0, "dc", true, 0));
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);
    assertEquals(7, orderTo(2).delaySeconds());

    fencer.executed(2, 1);
    assertEquals(0, orderTo(2).delaySeconds());
  }

  @Test
  void aLevelCountsOnlyIfAllItsDevicesSucceed() {
    level(1, "a", "b");
    level(2, "c");
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("a", true), offer("b", true), offer("c", true));
    fencer.offers(3);
    assertEquals("a", orderTo(2).device());
    fencer.executed(2, 0);
    assertEquals("b", orderTo(2).device());
    fencer.executed(2, 1);
    assertEquals("c", orderTo(2).device());
    assertFalse(fencer.isAnswered(id));
    fencer.executed(2, 0);

    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void withATopologyADeviceOutsideItIsNotUsed() {
    level(1, "a");
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("z", true));
    fencer.offers(3);

    assertEquals(0, orders());
    assertEquals(ExecStatus.NO_FENCE_DEVICE, fencer.outcome(id).status());
  }

  @Test
  void aRebootWithSeveralDevicesSwitchesAllOffBeforeAnyIsSwitchedOn() {
    level(1, "a", "b");
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);
    for (var expected : List.of("off a", "off b", "on a", "on b")) {
      assertEquals(expected, orderTo(2).action() + " " + orderTo(2).device());
      fencer.executed(2, expected.equals("on a") ? 1 : 0);
    }

    assertTrue(fencer.outcome(id).succeeded(), "the node was off, all that counts");
    assertSaid(
        "INFO: Remapping multiple-device reboot targeting node3 to 'off'",
        "NOTICE: Requesting that node2 perform 'off' action targeting node3 using a for client ",
        "NOTICE: Requesting that node2 perform 'off' action targeting node3 using b for client ",
        "INFO: Remapped 'off' targeting node3 complete, remapping to 'on' for ",
        "NOTICE: Requesting that node2 perform 'on' action targeting node3 using a for client ",
        "WARNING: Ignoring a 'on' failure (failed",
        "NOTICE: Requesting that node2 perform 'on' action targeting node3 using b for client ",
        "INFO: Undoing remap of reboot targeting node3 for ");
  }

  /// Whether the log has these lines, in this order.
  private void assertSaid(String... lines) {
    var said = fencer.world.lines().iterator();
    for (var line : lines) {
      var found = false;
      while (!found && said.hasNext()) {
        found = said.next().startsWith(line);
      }
      assertTrue(found, () -> line + " in " + fencer.world.lines());
    }
  }

  @Test
  void aDeviceThatUnfencingHasToUseIsLeftOffAfterAReboot() {
    level(1, "fabric", "power");
    var id = fencer.ask("node3", "reboot");
    var terms = offer("fabric", true).terms();
    fencer.offers(
        2, new Offer("fabric", true, true, true, false, terms), offer("power", true));
    fencer.offers(3);
    for (var expected : List.of("off fabric", "off power", "on power")) {
      assertEquals(expected, orderTo(2).action() + " " + orderTo(2).device());
      fencer.executed(2, 0);
    }

    assertTrue(fencer.outcome(id).succeeded());
    assertEquals(3, orders());
    assertFalse(fencer.world.logged("Look at the power supplies"), "it is off as it should be");
  }

  @Test
  void aDeviceThatMapsRebootToOffOrCannotSwitchOnIsLeftOffToo() {
    level(1, "stays", "cannot", "power");
    var id = fencer.ask("node3", "reboot");
    var terms = offer("power", true).terms();
    fencer.offers(
        2,
        new Offer("stays", true, false, true, true, terms),
        new Offer("cannot", true, false, false, false, terms),
        offer("power", true));
    fencer.offers(3);
    for (var expected : List.of("off stays", "off cannot", "off power", "on power")) {
      assertEquals(expected, orderTo(2).action() + " " + orderTo(2).device());
      fencer.executed(2, 0);
    }

    assertTrue(fencer.outcome(id).succeeded());
    assertSaid(
        "INFO: Not turning node3 back on using stays because the device is configured to stay off",
        "INFO: Not turning node3 back on using cannot because the agent doesn't support 'on'");
  }

  @Test
  void anOffThatSucceededWarnsOfNoPowerSupply() {
    level(1, "a", "b");
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("a", true), offer("b", true));
    fencer.offers(3);
    fencer.executed(2, 0);
    fencer.executed(2, 0);

    assertTrue(fencer.outcome(id).succeeded());
    assertFalse(fencer.world.logged("Look at the power supplies"));
  }

  @Test
  void anUnfencingUsesEveryDeviceThatWantsIt() {
    var id = fencer.ask("node3", "on");
    var terms = offer("a", true).terms();
    fencer.offers(
        3,
        new Offer("a", true, true, true, false, terms),
        new Offer("b", true, true, true, false, terms),
        offer("c", true));
    fencer.offers(2);
    assertEquals("a", orderTo(3).device());
    fencer.executed(3, 0);
    assertEquals("b", orderTo(3).device());
    fencer.executed(3, 0);

    assertTrue(fencer.outcome(id).succeeded());
  }

  private FencePeerMessage.Query theirs(String action) {
    var now = fencer.number();
    var like = foreign("theirs", "node3", Progress.QUERYING, now);
    var record =
        new FenceMessage.FenceRecord(
            like.id(),
            like.target(),
            action,
            like.origin(),
            "",
            like.client(),
            Progress.QUERYING,
            0,
            "",
            now);
    return new FencePeerMessage.Query(record, true, 1000, now);
  }

  @Test
  void ofTwoOperationsThatCrossTheFirstOneIsCarriedOutForBoth() {
    fencer.holdBroadcasts();
    var mine = fencer.ask("node3", "reboot");
    fencer.says(2, true, theirs("reboot"));
    fencer.deliver();
    assertEquals(1, fencer.history().size());
    fencer.offers(2, offer("power", true));
    fencer.world.pass(Duration.ofMinutes(1));
    assertEquals(0, orders(), "nobody acts for the other one");
    assertFalse(fencer.world.logged("No answer from the fencers"));
    assertFalse(fencer.isAnswered(mine));

    var done = foreign("theirs", "node3", Progress.DONE, fencer.number());
    fencer.says(2, true, new FencePeerMessage.Ended(done, 0, ExecStatus.DONE));
    assertEquals(done, fencer.outcome(mine).record());
  }

  @Test
  void operationsThatCrossWithDifferentActionsAreNotMerged() {
    fencer.holdBroadcasts();
    fencer.ask("node3", "reboot");
    fencer.says(2, true, theirs("off"));
    fencer.deliver();

    assertEquals(2, fencer.history().size());
    var queries = fencer.sent(FencePeerMessage.Query.class);
    fencer.says(
        2,
        false,
        new FencePeerMessage.Offers(
            queries.getFirst().record().id(), List.of(offer("power", true))));
    assertEquals(1, orders());
  }

  @Test
  void aTargetMayBeNamedByItsIdAndInAnyCase() {
    fencer.ask("3", "off");
    fencer.ask("NODE3", "off");

    var queries = fencer.sent(FencePeerMessage.Query.class);
    assertEquals("node3", queries.getFirst().record().target().text());
    assertEquals(1, queries.size(), "the second one joined the first");
  }

  @Test
  void aRecentSuccessAnswersARequestThatToleratesIt() {
    fencer.says(
        2,
        true,
        new FencePeerMessage.Ended(
            foreign("before", "node3", Progress.DONE, fencer.number()), 0, ExecStatus.DONE));
    var tolerant =
        new FenceMessage.Fence(
            new NodeName("node3"), "reboot", 9_000, 0, 3_600_000, "test", true, 0);

    var outcome =
        assertInstanceOf(FenceMessage.Outcome.class, fencer.root().answer(tolerant));
    assertEquals("before", outcome.record().id());

    fencer.ask("node3", "reboot");
    assertEquals(
        1,
        fencer.sent(FencePeerMessage.Query.class).size(),
        "a client without a tolerance gets a new operation");
  }

  @Test
  void clientsAreToldWhenTheLinkIsLostAndNothingRemainsUnderWay() {
    var id = fencer.ask("node3", "off");
    fencer.loseLink();

    assertEquals(ExecStatus.NOT_CONNECTED, fencer.outcome(id).status());
    assertTrue(fencer.history().stream().noneMatch(FenceMessage.FenceRecord::pending));
    assertInstanceOf(
        FenceMessage.Refused.class, fencer.root().answer(FencerUnderTest.fence("node3", "off")));
  }

  @Test
  void aPendingOperationOfALostFencerHasFailed() {
    fencer.says(
        2,
        true,
        new FencePeerMessage.Query(
            foreign("theirs", "node3", Progress.QUERYING, 11), true, 1000, 11));
    var mine = fencer.ask("node3", "reboot");
    fencer.goes(2);

    var outcome = fencer.outcome(mine);
    assertFalse(outcome.succeeded());
    assertEquals("Fencer that was asked is gone", outcome.record().exitReason());
  }
}
