package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestPrograms;
import org.systole.fenced.client.FenceMessage;

/// What a fencer does with its own devices when it is ordered to, and asked what it can do.
final class DeviceTest {
  private final FencerUnderTest fencer = new FencerUnderTest();
  private int attempts;

  private void register(String... parameters) {
    var all = new LinkedHashMap<String, String>();
    all.put("pcmk_host_list", "node2 node3");
    for (var at = 0; at < parameters.length; at += 2) {
      all.put(parameters[at], parameters[at + 1]);
    }
    fencer.register("power", all);
  }

  private void order(String action, String target) {
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            "op" + ++attempts,
            attempts,
            new NodeName(target),
            action,
            "power",
            10_000,
            0,
            fencer.number()));
  }

  private List<TestPrograms.Run> running() {
    return fencer.world.programs().running();
  }

  private FencePeerMessage.Executed answer() {
    return fencer.sentTo(2, FencePeerMessage.Executed.class);
  }

  private List<Offer> offers(String target, String action, boolean selfFencing) {
    var record = record("q" + ++attempts, action, target);
    fencer.says(
        2, true, new FencePeerMessage.Query(record, selfFencing, 5_000, fencer.number()));
    fencer.world.pass(Duration.ofSeconds(2));
    // it ends, or the next one of the same kind would join it
    fencer.says(2, true, new FencePeerMessage.Ended(ended(record), 1, ExecStatus.ERROR));
    var answer = fencer.sentTo(2, FencePeerMessage.Offers.class);
    assertEquals(record.id(), answer.operation());
    return answer.offers();
  }

  @Test
  void whatIsTakenBackWhileItWaitsForItsTurnIsAnsweredAtOnceAndNotBegun() {
    register("pcmk_action_limit", "1");
    order("reboot", "node2");
    order("reboot", "node3");
    fencer.world.settle();
    assertEquals(1, running().size());

    fencer.says(2, false, new FencePeerMessage.TakenBack("op2", 2));
    assertEquals(2, answer().attempt());
    assertEquals(ExecStatus.TIMEOUT, answer().status());
    fencer.says(2, false, new FencePeerMessage.TakenBack("op1", 1)); // that one has begun
    running().getFirst().exits(0, "");
    fencer.world.settle();

    assertEquals(1, answer().attempt());
    assertEquals(ExecStatus.DONE, answer().status());
    assertEquals(List.of(), running());
  }

  private FenceMessage.FenceRecord record(String id, String action, String target) {
    return new FenceMessage.FenceRecord(
        id,
        new NodeName(target),
        action,
        new NodeName("node2"),
        "",
        "test",
        FenceMessage.Progress.QUERYING,
        0,
        "",
        fencer.number());
  }

  private static FenceMessage.FenceRecord ended(FenceMessage.FenceRecord it) {
    return new FenceMessage.FenceRecord(
        it.id(),
        it.target(),
        it.action(),
        it.origin(),
        "",
        it.client(),
        FenceMessage.Progress.FAILED,
        1_700_000_000_000L,
        "",
        it.membership());
  }

  @Test
  void theAgentIsToldWhatToDoOnStandardInput() {
    register("ip", "10.0.0.9");
    order("off", "node3");

    var run = fencer.runs("off");
    assertEquals("10.0.0.9", run.input("ip"));
    assertEquals("node3", run.input("plug"));
    assertEquals(List.of("/usr/sbin/fence_test"), run.program().command());
  }

  @Test
  void oneActionAtATimeUnlessTheLimitIsHigher() {
    register();
    order("off", "node3");
    order("off", "node2");
    assertEquals(1, running().size());
    running().getFirst().exits(0, "");
    assertEquals("node2", fencer.runs("off").input("plug"));
  }

  @Test
  void asManyActionsAtATimeAsTheLimitAllows() {
    register("pcmk_action_limit", "2");
    order("off", "node3");
    order("off", "node2");

    assertEquals(2, running().size());
  }

  @Test
  void anOrderThatWaitedUntilItsOperationHadEndedIsNotCarriedOut() {
    register();
    order("off", "node3");
    var first = fencer.runs("off");
    asked("late", "reboot", "node2");
    fencer.says(2, true, new FencePeerMessage.Ended(ended(record("late", "reboot", "node2")), 1, ExecStatus.TIMEOUT));
    first.exits(0, "");
    fencer.world.settle();

    assertEquals(List.of(), running());
    assertEquals(0, fencer.begun("reboot"));
    assertEquals(ExecStatus.TIMEOUT, answer().status());
  }

  /// The second half of a reboot in two parts: the target would stay off.
  @Test
  void whatIsToBeSwitchedOnIsSwitchedOnHoweverLate() {
    register();
    order("off", "node3");
    var first = fencer.runs("off");
    asked("late", "on", "node2");
    fencer.says(2, true, new FencePeerMessage.Ended(ended(record("late", "on", "node2")), 1, ExecStatus.TIMEOUT));
    first.exits(0, "");

    assertEquals("node2", fencer.runs("on").input("plug"));
  }

  @Test
  void anOrderWhoseOperationHasEndedIsNotTriedAgain() {
    register("pcmk_reboot_retries", "3");
    asked("late", "reboot", "node2");
    var first = fencer.runs("reboot");
    fencer.says(2, true, new FencePeerMessage.Ended(ended(record("late", "reboot", "node2")), 1, ExecStatus.TIMEOUT));
    first.exits(1, "");
    fencer.world.pass(Duration.ofSeconds(2));

    assertEquals(1, fencer.begun("reboot"));
  }

  /// An operation of which this fencer heard, and its order.
  private void asked(String id, String action, String target) {
    fencer.says(2, true, new FencePeerMessage.Query(record(id, action, target), false, 5_000, fencer.number()));
    var name = new NodeName(target);
    fencer.says(
        2, false, new FencePeerMessage.Execute(id, 1, name, action, "power", 10_000, 0, fencer.number()));
  }

  @Test
  void questionsDoNotHoldUpAFencing() {
    register();
    var last = 0L;
    for (var question = 0; question < 600; question++) {
      last = fencer.root().ask(status("node3", 10_000));
    }
    assertEquals(ExecStatus.ERROR, result(last).status()); // too many

    order("off", "node2");
    fencer.runs("status").exits(0, "");
    assertEquals("node2", fencer.runs("off").input("plug"));
  }

  @Test
  void nobodyIsAskedForAnAnswerThatNobodyWaitsForAnyMore() {
    register();
    fencer.root().ask(status("node3", 10_000));
    var first = fencer.runs("status");
    var second = fencer.root().ask(status("node2", 10_000));
    fencer.world.pass(Duration.ofSeconds(9));
    var third = fencer.root().ask(status("node2", 10_000));
    fencer.world.pass(Duration.ofSeconds(2));
    first.exits(0, "");
    fencer.world.settle();

    assertEquals(ExecStatus.TIMEOUT, result(second).status());
    assertEquals(2, fencer.begun("status"));
    fencer.runs("status").exits(0, "");
    fencer.world.settle();
    assertEquals(ExecStatus.DONE, result(third).status());
  }

  private static FenceMessage.RunDevice status(String target, long timeoutMillis) {
    return new FenceMessage.RunDevice("power", "status", new NodeName(target), timeoutMillis);
  }

  private FenceMessage.DeviceResult result(long id) {
    return assertInstanceOf(FenceMessage.DeviceResult.class, fencer.root().answerTo(id));
  }

  @Test
  void anActionThatFailsIsTriedAgainWhileThereIsTime() {
    register("pcmk_off_retries", "3");
    order("off", "node3");
    for (var tries = 1; tries <= 3; tries++) {
      fencer.runs("off").exits(1, "");
      fencer.world.pass(Duration.ofSeconds(2));
    }

    assertEquals(3, fencer.begun("off"));
    assertEquals(1, answer().rc());
    assertFalse(fencer.world.logged("Attempt 1 to execute"));
    assertTrue(fencer.world.logged("Attempt 2 to execute"), fencer.world.lines()::toString);
    assertTrue(fencer.world.logged("Attempt 3 to execute"), fencer.world.lines()::toString);
  }

  @Test
  void anActionThatUsedUpItsTimeIsNotTriedAgain() {
    register("pcmk_off_retries", "3");
    order("off", "node3");
    fencer.world.pass(Duration.ofSeconds(8));
    fencer.runs("off").exits(1, "");
    fencer.world.pass(Duration.ofSeconds(5));

    assertEquals(1, fencer.begun("off"));
  }

  @Test
  void anAgentThatHangsIsReportedAsTimedOut() {
    register("pcmk_off_timeout", "4s");
    order("off", "node3");
    fencer.world.pass(Duration.ofSeconds(5));

    assertEquals(ExecStatus.TIMEOUT, answer().status());
    assertEquals(List.of(), running());
  }

  @Test
  void anUnknownDeviceIsReported() {
    order("off", "node3");

    assertEquals(ExecStatus.NO_FENCE_DEVICE, answer().status());
  }

  @Test
  void aRemovedDeviceAnswersTheActionsThatWaitForIt() {
    register("pcmk_delay_base", "5s");
    order("off", "node3");
    fencer.root().ask(new FenceMessage.DeregisterDevice("power"));
    fencer.world.pass(Duration.ofSeconds(10));

    assertEquals(ExecStatus.NO_FENCE_DEVICE, answer().status());
    assertEquals(0, fencer.begun("off"));
  }

  @Test
  void aRebootIsAnOffWhereTheAgentCannotReboot() {
    fencer.metadata(FencerUnderTest.METADATA.replace("<action name=\"reboot\"/>", ""));
    register();
    order("reboot", "node3");

    fencer.runs("off");
    assertTrue(fencer.world.logged("does not support reboot"), fencer.world.lines()::toString);
  }

  @Test
  void aDeviceIsNotOfferedForANodeItDoesNotList() {
    register();
    assertEquals(1, offers("node3", "off", true).size());
    assertEquals(0, offers("node1", "off", true).size());
  }

  @Test
  void aNodeOffersToFenceItselfOnlyIfItMay() {
    fencer.register("self", Map.of("pcmk_host_list", "node1"));

    assertEquals(1, offers("node1", "off", true).size());
    assertEquals(0, offers("node1", "off", false).size());
  }

  @Test
  void aDeviceAskedForItsListIsAskedOnceAMinute() {
    fencer.agent("list", 0, "node3\nnode2,\n");
    fencer.register("power", Map.of());
    assertEquals(1, offers("node3", "off", true).size());
    assertEquals(1, offers("node2", "off", true).size());
    assertEquals(0, offers("node9", "off", true).size());
    assertEquals(1, fencer.begun("list"));

    fencer.world.pass(Duration.ofSeconds(61));
    offers("node3", "off", true);
    assertEquals(2, fencer.begun("list"));
  }

  @Test
  void aDeviceWithoutAListIsAskedForTheNodesStatus() {
    fencer.agent("list", 1, "");
    fencer.agent("status", 2, "");
    fencer.register("power", Map.of());
    offers("node3", "off", true);

    assertEquals(1, offers("node3", "off", true).size(), "off is a status, too");
    assertTrue(fencer.begun("status") >= 1);
  }

  @Test
  void aDeviceThatAnsweredItsMonitorIsVerifiedUntilItFails() {
    register();
    fencer.agent("monitor", 0, "");
    monitor();
    assertTrue(offers("node3", "off", true).getFirst().verified());

    fencer.agent("monitor", 1, "");
    monitor();
    assertEquals(false, offers("node3", "off", true).getFirst().verified());
  }

  private void monitor() {
    fencer.root().ask(new FenceMessage.RunDevice("power", "monitor", null, 5_000));
    fencer.world.pass(Duration.ofSeconds(3));
  }

  @Test
  void anOfferHasTheDevicesOwnTimes() {
    register("pcmk_off_timeout", "33s", "pcmk_delay_max", "7s");

    var terms = offers("node3", "off", true).getFirst().terms().get("off");

    assertEquals(new Offer.Terms(true, 33_000, 7_000), terms);
  }

  @Test
  void moreActionsThanADevicesQueueHoldsAreRefused() {
    register();
    var answers = new ArrayList<Integer>();
    for (var at = 0; at < 520; at++) {
      order("off", "node" + at);
      answers.add(fencer.sent(FencePeerMessage.Executed.class).size());
    }

    assertTrue(answers.getLast() > 0);
    assertEquals("power has too many actions waiting", answer().reason());
  }
}
