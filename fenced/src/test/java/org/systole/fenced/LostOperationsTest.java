package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.fenced.FencerUnderTest.foreign;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// No operation stays pending for ever: it is ended once its origin is gone or no longer knows of
/// it.
final class LostOperationsTest {
  private static final Duration LONG = LostOperations.PATIENCE.multipliedBy(3);

  private final FencerUnderTest fencer = new FencerUnderTest();

  private FenceRecord theirs() {
    return foreign("theirs", "node3", Progress.QUERYING, fencer.number());
  }

  private void theirsBegins() {
    fencer.says(2, true, new FencePeerMessage.Query(theirs(), true, 1000, fencer.number()));
  }

  private void tells(int node, FenceRecord... records) {
    var past =
        List.of(records).stream()
            .map(it -> new FencePeerMessage.Past(it, 0, ExecStatus.PENDING))
            .toList();
    fencer.says(node, false, new FencePeerMessage.History(past));
  }

  private boolean isUnderWay() {
    return fencer.history().stream().anyMatch(FenceRecord::pending);
  }

  /// What a fencer that was asked again and again about its operations was asked.
  private long asked() {
    return fencer.sent(FencePeerMessage.HistoryWanted.class).stream()
        .filter(it -> !it.fresh())
        .count();
  }

  @Test
  void anOperationOfAFencerThatIsNotPresentIsEnded() {
    fencer.goes(2);
    tells(3, theirs());

    assertFalse(isUnderWay());
    assertEquals("Fencer that was asked is gone", fencer.history().getFirst().exitReason());
  }

  @Test
  void aQueryOfAFencerThatHasLeftMeanwhileLeavesNothingPending() {
    fencer.goes(2);
    theirsBegins();

    assertFalse(isUnderWay());
  }

  @Test
  void anOwnQueryDeliveredAfterItsOperationHasEndedLeavesNothingPending() {
    var own =
        new FenceRecord(
            "own",
            new NodeName("node3"),
            "off",
            new NodeName("node1"),
            "",
            "test",
            Progress.QUERYING,
            0,
            "",
            fencer.number());
    fencer.says(1, true, new FencePeerMessage.Query(own, true, 1000, fencer.number()));

    assertFalse(isUnderWay());
    assertEquals(1, fencer.sent(FencePeerMessage.Ended.class).size());
  }

  @Test
  void operationsOfAFencerThatRestartedAreEnded() {
    theirsBegins();
    fencer.says(3, true, new FencePeerMessage.HistoryWanted(true));
    assertTrue(isUnderWay(), "that is another one");
    fencer.says(2, true, new FencePeerMessage.HistoryWanted(false));
    assertTrue(isUnderWay(), "it only asks");

    fencer.says(2, true, new FencePeerMessage.HistoryWanted(true));
    assertFalse(isUnderWay());
    var told = fencer.sentTo(2, FencePeerMessage.History.class).past();
    assertEquals("theirs", told.getFirst().record().id());
  }

  @Test
  void theOriginOfALongOperationIsAskedAndOneItDoesNotKnowIsEnded() {
    theirsBegins();
    var waiting = fencer.ask("node3", "reboot"); // joins it
    fencer.world.pass(LostOperations.PATIENCE.multipliedBy(2).plusSeconds(1));
    assertEquals(1, asked());
    fencer.sentTo(2, FencePeerMessage.HistoryWanted.class);
    tells(2);

    assertFalse(isUnderWay());
    assertFalse(fencer.outcome(waiting).succeeded());
  }

  @Test
  void anOperationItsOriginStillKnowsGoesOnAndIsAskedAboutAgain() {
    theirsBegins();
    for (var round = 1; round <= 3; round++) {
      fencer.world.pass(LostOperations.PATIENCE.multipliedBy(2));
      tells(2, theirs());
      tells(3); // that another fencer does not know of it means nothing
      assertTrue(isUnderWay());
    }
    assertTrue(asked() >= 3);
  }

  @Test
  void anUnrequestedHistoryEndsNoOperationThatHasJustBegun() {
    theirsBegins();
    tells(2); // it may have been sent before

    assertTrue(isUnderWay());
  }

  @Test
  void nobodyIsAskedOnceNothingIsPending() {
    theirsBegins();
    fencer.says(
        2,
        true,
        new FencePeerMessage.Ended(
            foreign("theirs", "node3", Progress.DONE, 11), 0, ExecStatus.DONE));
    fencer.world.pass(LONG);

    assertEquals(0, asked());
  }

  @Test
  void aFencerThatJoinsIsSentTheHistory() {
    fencer.goes(3);
    theirsBegins();
    var before = fencer.sent(FencePeerMessage.History.class).size();
    fencer.comes(3);

    var told = fencer.sentTo(3, FencePeerMessage.History.class).past();
    assertEquals(List.of(theirs().id()), told.stream().map(it -> it.record().id()).toList());
    assertEquals(before + 1, fencer.sent(FencePeerMessage.History.class).size());
  }

  @Test
  void subscribersAreToldThatAnOperationBegan() {
    fencer.root().ask(new FenceMessage.Subscribe());
    theirsBegins();

    assertEquals(List.of(new FenceMessage.HistoryChanged()), fencer.root().events());
  }

  @Test
  void anOperationOthersAscribeToThisFencerButItDoesNotRunIsEnded() {
    var own =
        new FenceRecord(
            "own",
            new NodeName("node3"),
            "off",
            new NodeName("node1"),
            "",
            "test",
            Progress.QUERYING,
            0,
            "",
            fencer.number());
    tells(2, own);

    assertFalse(isUnderWay());
  }

  @Test
  void anOperationThisFencerRunsGoesOn() {
    var id = fencer.ask("node3", "off");
    fencer.world.pass(Duration.ofSeconds(10));
    tells(2);

    assertTrue(isUnderWay());
    assertFalse(fencer.isAnswered(id));
  }
}
