package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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

/// Fencing a target that leaves and comes back.
final class FencingStaysTest {
  private static final Map<String, String> NODE3 = Map.of("pcmk_host_list", "node3");

  private final FencerUnderTest fencer = new FencerUnderTest();

  private long begin() {
    var id = fencer.ask("node3", "reboot");
    fencer.othersOfferNothing();
    return id;
  }

  /// Node2 acts.
  private long beginElsewhere() {
    var id = fencer.ask("node3", "reboot");
    fencer.offers(2, offer("power", true), offer("second", true));
    fencer.offers(3);
    return id;
  }

  @Test
  void aResultHoldsUpToTheMembershipInWhichItIsTold() {
    fencer.register("power", NODE3);
    fencer.goes(3);
    var id = begin();
    var asked = fencer.number();
    fencer.goes(2);
    fencer.runs("reboot").exits(0, "");

    var record = fencer.outcome(id).record();
    assertEquals(fencer.number(), record.membership());
    assertTrue(record.covers(asked));
    assertFalse(record.covers(fencer.number() + 1));
  }

  @Test
  void ofATargetThatIsBackAResultHoldsUpToTheMembershipAtItsBeginning() {
    var id = beginElsewhere();
    var asked = fencer.number();
    fencer.leavesAndReturns(3);
    fencer.executed(2, 0);

    assertTrue(fencer.outcome(id).succeeded());
    assertEquals(asked, fencer.outcome(id).record().membership());
  }

  @Test
  void aResultOfAnOperationThatWasCutOffHoldsForNothing() {
    fencer.register("power", NODE3);
    var id = begin();
    fencer.goes(2);
    fencer.goes(3);
    fencer.comes(1); // this node begins another stay
    fencer.comes(1, 2);
    fencer.runs("reboot").exits(0, "");

    assertEquals(0, fencer.outcome(id).record().membership());
  }

  @Test
  void aResultHoldsThoughAThirdNodeBeganAnotherStayMeanwhile() {
    fencer.register("power", NODE3);
    fencer.goes(3);
    var id = begin();
    var asked = fencer.number();
    fencer.comes(2); // another stay, with no membership without it
    fencer.runs("reboot").exits(0, "");

    assertTrue(fencer.outcome(id).record().covers(asked), "or node3 would be fenced again");
  }

  @Test
  void aRequestJoinsAnOperationOfTheSameStay() {
    fencer.register("power", NODE3);
    var first = begin();
    var second = fencer.ask("node3", "reboot");
    fencer.runs("reboot").exits(0, "");

    assertEquals(fencer.outcome(first), fencer.outcome(second));
    assertEquals(1, fencer.sent(FencePeerMessage.Query.class).size());
  }

  private long asksFor(String action, long planned) {
    return fencer.root().ask(new FenceMessage.Fence(new NodeName("node3"), action, 20_000, 0, 0, "dc.1", true, planned));
  }

  /// The DC had not heard yet that a person had it done.
  @Test
  void whatWasPlannedBeforeTheEndOfTheSameIsNotDoneAgain() {
    fencer.register("power", NODE3);
    var first = begin();
    fencer.goes(3);
    fencer.runs("reboot").exits(0, "");

    var second = asksFor("reboot", fencer.number());
    assertEquals(fencer.outcome(first), fencer.outcome(second));
    assertEquals(1, fencer.begun("reboot"));
    assertFalse(fencer.isAnswered(asksFor("off", fencer.number())), "something else was asked for");
    assertFalse(fencer.isAnswered(asksFor("reboot", 0)), "a person asks");
  }

  @Test
  void whatIsPlannedLaterIsDoneThoughItWasDoneBefore() {
    fencer.register("power", NODE3);
    begin();
    fencer.goes(3);
    fencer.runs("reboot").exits(0, "");
    fencer.goes(2);
    assertFalse(fencer.isAnswered(asksFor("reboot", fencer.number())));
  }

  /// The device says so, and the target is a member all the same: a later loss has another cause.
  @Test
  void aFencingThatEndedWhileItsTargetWasThereAnswersNothing() {
    fencer.register("power", NODE3);
    begin();
    fencer.runs("reboot").exits(0, "");
    var planned = fencer.number();
    fencer.goes(3);
    assertFalse(fencer.isAnswered(asksFor("reboot", planned)));
  }

  @Test
  void aFencingFromBeforeTheTargetCameBackAnswersNothing() {
    fencer.register("power", NODE3);
    begin();
    fencer.goes(3);
    fencer.runs("reboot").exits(0, "");
    var planned = fencer.number();
    fencer.comes(3);
    fencer.goes(3);
    assertFalse(fencer.isAnswered(asksFor("reboot", planned)));
    assertFalse(fencer.isAnswered(asksFor("reboot", fencer.number())));
  }

  @Test
  void whatMembersTellOfTheTimeBeforeTheyMetAnswersNothing() {
    fencer.goes(3);
    fencer.says(
        2,
        false,
        new FencePeerMessage.History(
            List.of(
                new FencePeerMessage.Past(
                    foreign("theirs", "node3", Progress.DONE, fencer.number()), 0, ExecStatus.DONE))));
    assertFalse(fencer.isAnswered(asksFor("reboot", fencer.number())));
  }

  @Test
  void aRequestDoesNotJoinAnOperationFromBeforeTheTargetCameBack() {
    var first = beginElsewhere();
    var begun = fencer.sentTo(2, FencePeerMessage.Execute.class);
    fencer.leavesAndReturns(3);
    fencer.goes(3);
    var second = beginElsewhere();
    fencer.says(
        2,
        false,
        new FencePeerMessage.Executed(
            begun.operation(), begun.attempt(), 0, ExecStatus.DONE, ""));
    assertTrue(fencer.isAnswered(first));
    assertFalse(fencer.isAnswered(second));

    fencer.executed(2, 0);
    assertNotEquals(fencer.outcome(first).record().id(), fencer.outcome(second).record().id());
    assertTrue(fencer.outcome(second).record().covers(fencer.number()));
  }

  @Test
  void operationsOfTwoNodesThatCrossAreJoinedIfBothAreAboutTheSameStay() {
    var before = fencer.number();
    fencer.says(
        2,
        true,
        new FencePeerMessage.Query(
            foreign("theirs", "node3", Progress.QUERYING, before), true, 1000, before));
    fencer.leavesAndReturns(3);
    fencer.ask("node3", "reboot");
    assertEquals(2, fencer.history().size(), "one that began before and one that began after");

    var late =
        new FencePeerMessage.Query(
            foreign("late", "node3", Progress.QUERYING, before), true, 1000, before);
    fencer.says(2, true, late);
    assertEquals(2, fencer.history().size(), "about the first stay there is one under way");
  }

  @Test
  void anActionThatHasNotBegunWhenTheTargetIsBackDoesNotBegin() {
    fencer.register(
        "power", Map.of("pcmk_host_list", "node3", "pcmk_delay_base", "10s"));
    fencer.goes(3);
    var id = begin();
    fencer.world.pass(Duration.ofSeconds(5));
    fencer.comes(3);
    fencer.world.pass(Duration.ofSeconds(10));

    assertEquals(0, fencer.begun("reboot"));
    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals(
        "node3 has come back to the cluster since it was to be fenced",
        fencer.outcome(id).record().exitReason());
  }

  @Test
  void anOperationThatStillWaitsForOffersIsGivenUpAtOnceWhenTheTargetIsBack() {
    fencer.goes(3);
    var id = fencer.ask("node3", "off");
    assertFalse(fencer.isAnswered(id));

    fencer.comes(3);

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void noOtherDeviceIsTriedOnATargetThatIsBack() {
    var id = beginElsewhere();
    fencer.leavesAndReturns(3);
    assertFalse(fencer.isAnswered(id), "the fencer that acts still has to answer");

    fencer.executed(2, 1);

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals(1, fencer.sent(FencePeerMessage.Execute.class).size());
  }

  @Test
  void anAgentThatStillRunsWhenTheTargetIsBackIsKilled() {
    fencer.register("power", NODE3);
    fencer.goes(3);
    var id = begin();
    fencer.runs("reboot");
    fencer.comes(3);

    assertEquals(List.of(), fencer.world.programs().running());
    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    fencer.world.pass(Duration.ofSeconds(5));
    assertEquals(1, fencer.begun("reboot"), "nor is it tried again");
  }

  @Test
  void anAgentOfADeviceThatWasChangedMeanwhileIsKilledToo() {
    fencer.register("power", NODE3);
    fencer.goes(3);
    begin();
    fencer.runs("reboot");
    fencer.register("power", Map.of("pcmk_host_list", "node3", "ip", "10.0.0.2"));
    fencer.comes(3);

    assertEquals(List.of(), fencer.world.programs().running());
    fencer.world.pass(Duration.ofSeconds(5));
    assertEquals(1, fencer.begun("reboot"), "nor is it tried again");
  }

  @Test
  void theSecondHalfOfARebootIsDoneAlsoIfTheTargetIsBack() {
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("power", "second")));
    var id = beginElsewhere();
    fencer.executed(2, 0);
    fencer.leavesAndReturns(3);
    for (var action : List.of("off", "on", "on")) {
      assertEquals(action, fencer.sentTo(2, FencePeerMessage.Execute.class).action());
      fencer.executed(2, 0);
    }

    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void theFirstHalfOfARebootEndsWhenTheTargetIsBackBetweenTwoDevices() {
    fencer.register("a", NODE3);
    fencer.register("b", NODE3);
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("a", "b")));
    fencer.goes(3);
    var id = begin();
    var first = fencer.runs("off");
    fencer.comes(3);
    first.exits(0, "");
    fencer.runs("on").exits(0, "");

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals(1, fencer.begun("off"));
  }

  private long beginWithTwoSupplies() {
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("power", "second")));
    fencer.goes(3);
    return beginElsewhere();
  }

  private FencePeerMessage.Execute lastOrder() {
    return fencer.sentTo(2, FencePeerMessage.Execute.class);
  }

  @Test
  void aSupplyThatIsOffIsSwitchedOnAgainWhenTheOperationIsGivenUp() {
    var id = beginWithTwoSupplies();
    fencer.comes(3);
    fencer.executed(2, 0);
    assertEquals("on power", lastOrder().action() + " " + lastOrder().device());
    assertFalse(fencer.isAnswered(id), "it is over once nothing of it can meet another one");
    fencer.executed(2, 0);

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals(2, fencer.sent(FencePeerMessage.Execute.class).size());
  }

  @Test
  void aSupplyThatWasToStayOffIsSwitchedOnAgainToo() {
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("power", "second")));
    fencer.goes(3);
    var id = fencer.ask("node3", "off");
    fencer.offers(2, offer("power", true), offer("second", true));
    fencer.comes(3);
    fencer.executed(2, 0);
    assertEquals("on power", lastOrder().action() + " " + lastOrder().device());
    fencer.executed(2, 0);

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    assertEquals(
        "node3 has come back to the cluster since it was to be fenced",
        fencer.outcome(id).record().exitReason());
  }

  @Test
  void suppliesLeftOffOrInDoubtAreReported() {
    var id = beginWithTwoSupplies();
    fencer.executed(2, 0);
    fencer.executed(2, 1);
    fencer.executed(2, 1);
    assertFalse(fencer.outcome(id).succeeded());
    var reason = fencer.outcome(id).record().exitReason();
    assertTrue(reason.endsWith("; power is off, second may be off"), reason);
    assertTrue(
        fencer.world.logged("Look at the power supplies of node3: power is off, second may be off"));
  }

  @Test
  void aSupplyThatDidNotComeOnAgainAfterARebootIsReported() {
    var id = beginWithTwoSupplies();
    for (var status : List.of(0, 0, 0, 1)) {
      fencer.executed(2, status);
    }

    assertTrue(fencer.outcome(id).succeeded());
    assertEquals("", fencer.outcome(id).record().exitReason());
    assertTrue(fencer.world.logged("Look at the power supplies of node3: second is off"));
  }

  @Test
  void aSupplyOfWhichOnlyTheOrderIsKnownIsReported() {
    var id = beginWithTwoSupplies();
    fencer.executed(2, 0);
    fencer.comes(3);
    fencer.executed(2, 1);
    for (var expected : List.of("on power", "on second")) {
      assertEquals(expected, lastOrder().action() + " " + lastOrder().device());
      fencer.executed(2, 1);
    }

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void aSupplyThatCannotBeSwitchedOnInTimeEndsTheOperationAsGivenUp() {
    var id = beginWithTwoSupplies();
    fencer.comes(3);
    fencer.executed(2, 0);
    fencer.world.pass(Duration.ofSeconds(100));

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void nothingSwitchesATargetOnThatIsToBeFencedAgain() {
    var id = beginWithTwoSupplies();
    fencer.comes(3);
    fencer.executed(2, 0);
    fencer.goes(3);
    fencer.ask("node3", "reboot");

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
    fencer.offers(2, offer("power", true), offer("second", true));
    fencer.offers(3);
    assertEquals("off", lastOrder().action());
  }

  @Test
  void agentsAndWaitingActionsThatSwitchOnATargetToBeFencedAreEnded() {
    fencer.register("power", NODE3);
    on("one", 1);
    on("two", 2);
    fencer.runs("on");
    fencer.goes(3);
    theirs();

    assertEquals(List.of(), fencer.world.programs().running());
    on("three", 3);
    assertEquals(1, fencer.begun("on"));
    for (var answer : fencer.sent(FencePeerMessage.Executed.class)) {
      assertEquals(ExecStatus.CANCELLED, answer.status());
      assertEquals("node3 is to be fenced by another operation", answer.reason());
    }
    assertEquals(3, fencer.sent(FencePeerMessage.Executed.class).size());
  }

  private void on(String operation, int attempt) {
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            operation, attempt, new NodeName("node3"), "on", "power", 9_000, 0, fencer.number()));
  }

  /// Node2 has node3 fenced.
  private void theirs() {
    var now = fencer.number();
    var record = foreign("theirs", "node3", Progress.QUERYING, now);
    fencer.says(2, true, new FencePeerMessage.Query(record, true, 1000, now));
  }

  @Test
  void anUnfencingGivesWayToAFencing() {
    var id = fencer.ask("node3", "on");
    theirs();

    assertEquals(ExecStatus.CANCELLED, fencer.outcome(id).status());
  }

  @Test
  void aRebootDoesNotSwitchOnATargetThatAnotherOperationIsToFence() {
    fencer.register("power", NODE3);
    fencer.register("second", NODE3);
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("power", "second")));
    fencer.goes(3);
    var id = begin();
    var record = foreign("theirs", "node3", Progress.QUERYING, fencer.number());
    var off =
        new FenceMessage.FenceRecord(
            record.id(),
            new NodeName("node3"),
            "off",
            new NodeName("node2"),
            "",
            "x",
            Progress.QUERYING,
            0,
            "",
            record.membership());
    fencer.says(2, true, new FencePeerMessage.Query(off, true, 1000, fencer.number()));
    fencer.runs("off").exits(0, "");
    fencer.runs("off").exits(0, "");

    assertTrue(fencer.outcome(id).succeeded());
    assertEquals(0, fencer.begun("on"));
  }

  @Test
  void aFencingDecidedBeforeTheTargetCameBackIsRefused() {
    var decided = fencer.number();
    fencer.leavesAndReturns(3);
    var request =
        new FenceMessage.Fence(new NodeName("node3"), "off", 9_000, 0, 0, "dc.1", true, decided);

    var refused = assertInstanceOf(FenceMessage.Refused.class, fencer.root().answer(request));

    assertEquals(ExecStatus.CANCELLED, refused.status());
    assertEquals(List.of(), fencer.sent(FencePeerMessage.Query.class));
  }

  @Test
  void aTargetThatIsBackMayBeUnfenced() {
    var decided = fencer.number();
    fencer.leavesAndReturns(3);
    var request =
        new FenceMessage.Fence(new NodeName("node3"), "on", 9_000, 0, 0, "dc.1", true, decided);

    assertEquals(null, fencer.root().answer(request));
    assertEquals(1, fencer.sent(FencePeerMessage.Query.class).size());
  }

  @Test
  void anOrderAboutAnEarlierStayIsNotCarriedOut() {
    fencer.register("power", NODE3);
    var decided = fencer.number();
    fencer.leavesAndReturns(3);
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            "theirs", 1, new NodeName("node3"), "off", "power", 9_000, 0, decided));

    assertEquals(0, fencer.begun("off"));
    var answer = fencer.sentTo(2, FencePeerMessage.Executed.class);
    assertEquals(ExecStatus.CANCELLED, answer.status());
  }

  @Test
  void twoOrdersForOneStayAreOneActionAndForTwoStaysTwo() {
    fencer.register("power", NODE3);
    fencer.goes(3);
    order("one", 1);
    order("two", 2);
    fencer.runs("off").exits(0, "");
    assertEquals(1, fencer.begun("off"));
    assertEquals(2, fencer.sent(FencePeerMessage.Executed.class).size());

    order("three", 3);
    var running = fencer.runs("off");
    fencer.comes(3);
    fencer.goes(3);
    order("four", 4);
    running.exits(0, "");
    assertEquals(3, fencer.sent(FencePeerMessage.Executed.class).size());
    fencer.runs("off").exits(0, "");
    assertEquals(3, fencer.begun("off"));
    assertEquals(4, fencer.sent(FencePeerMessage.Executed.class).size());
  }

  private void order(String operation, int attempt) {
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            operation, attempt, new NodeName("node3"), "off", "power", 9_000, 0, fencer.number()));
  }

  @Test
  void aConfirmationThatAMemberIsDownIsRefused() {
    var answer = fencer.root().answer(new FenceMessage.Confirm(new NodeName("3"), "admin"));

    var refused = assertInstanceOf(FenceMessage.Refused.class, answer);
    assertTrue(refused.why().startsWith("node3 is a member of the cluster"), refused.why());
    assertEquals(List.of(), fencer.sent(FencePeerMessage.Ended.class));
  }

  @Test
  void aConfirmationThatALostNodeIsDownEndsThePendingOperation() {
    fencer.goes(3);
    var id = fencer.ask("node3", "reboot");
    assertEquals(
        new FenceMessage.Ok(),
        fencer.root().answer(new FenceMessage.Confirm(new NodeName("node3"), "admin")));

    var outcome = fencer.outcome(id);
    assertTrue(outcome.succeeded());
    assertEquals("a human", outcome.record().delegate());
    assertEquals(fencer.number(), outcome.record().membership());
  }

  @Test
  void aConfirmationFromBeforeTheTargetCameBackEndsNothing() {
    var before = fencer.number();
    fencer.leavesAndReturns(3);
    var id = fencer.ask("node3", "off");
    var word = foreign("word", "node3", Progress.DONE, before);
    fencer.says(
        2,
        true,
        new FencePeerMessage.Ended(
            new FenceMessage.FenceRecord(
                word.id(),
                word.target(),
                "off",
                word.origin(),
                "a human",
                word.client(),
                word.progress(),
                word.completedMillis(),
                "",
                before),
            0,
            ExecStatus.DONE));

    assertFalse(fencer.isAnswered(id));
  }
}
