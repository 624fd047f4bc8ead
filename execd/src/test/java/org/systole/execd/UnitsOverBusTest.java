package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Returned;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// Units of systemd on a machine with a message bus.
final class UnitsOverBusTest {
  private static final AgentName WEB = new AgentName("systemd", "", "web");
  private static final String UNIT = "web.service";
  private static final String SHOW = "systemctl show --property=LoadState,ActiveState -- web.service";

  private final TestWorld world = new TestWorld();
  private final FakeSystemd systemd = new FakeSystemd(world);
  private final ExecutorUnderTest executor = new ExecutorUnderTest(world);

  /// Asks for a start or stop, and installs or removes the drop-in.
  private void ask(String action) {
    executor.ask("r", WEB, action);
    executor.world.programs().running().getFirst().exits(0, "");
  }

  private void assertEnded(OcfCode code, ExecStatus status, String reason) {
    var last = executor.last();
    assertEquals(code, last.code());
    assertEquals(status, last.status());
    assertEquals(reason, last.exitReason());
  }

  /// Has the unit watched every minute, and found active.
  private void watched() {
    systemd.is(UNIT, "active");
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 60_000, 20_000));
    executor.world.settle();
    assertEnded(OcfCode.OK, ExecStatus.DONE, "");
    systemd.asked();
    executor.pass(1_000);
  }

  @Test
  void nothingConnectsToTheBusBeforeThereIsAUnit() {
    executor.ask("o", new AgentName("lsb", "", "web"), "start");
    executor.pass(100_000);
    assertEquals(0, systemd.bus.opened());
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "stop"})
  void anOperationEndsWithItsJobAndNoProgramWaitsForIt(String action) {
    systemd.is(UNIT, "active");
    ask(action);
    var method = action.equals("start") ? "StartUnit" : "StopUnit";
    assertEquals(List.of("Subscribe", "Reload", method + " web.service replace"), systemd.asked());
    executor.pass(15_000);
    assertEquals(List.of(), executor.results());
    systemd.ends(FakeSystemd.OWNER, 77, "failed"); // another's
    systemd.ends(":1.99", systemd.lastJob(), "failed"); // by somebody else
    assertEquals(List.of(), executor.results());
    systemd.ends("done");
    assertEnded(OcfCode.OK, ExecStatus.DONE, "");
    assertEquals(15_000, executor.last().execMillis());
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void aStartWaitsUntilTheUnitsStateHasSettled() {
    systemd.is(UNIT, "activating");
    ask("start");
    systemd.ends("done");
    assertEquals(List.of(), executor.results());
    systemd.becomes(UNIT, "activating");
    assertEquals(List.of(), executor.results());
    systemd.becomes(UNIT, "active");
    assertEnded(OcfCode.OK, ExecStatus.DONE, "");
  }

  @ParameterizedTest
  @CsvSource({
    "failed, ERROR, systemd start job for web.service failed with result 'failed'",
    "dependency, ERROR, systemd start job for web.service failed with result 'dependency'",
    "timeout, TIMEOUT, systemd start job for web.service timed out"
  })
  void aJobThatFailsIsTheOperationsFailure(String result, ExecStatus status, String reason) {
    ask("start");
    systemd.ends(result);
    assertEnded(OcfCode.UNKNOWN_ERROR, status, reason);
  }

  @Test
  void aJobMayEndBeforeItIsKnownWhoseItIs() {
    systemd.is(UNIT, "active");
    systemd.endsAtOnce();
    ask("start");
    assertEnded(OcfCode.OK, ExecStatus.DONE, "");
  }

  @ParameterizedTest
  @CsvSource({
    "start, NoSuchUnit, NOT_INSTALLED, NOT_INSTALLED, systemd unit web.service not found",
    "start, LoadFailed, NOT_INSTALLED, NOT_INSTALLED, systemd unit web.service not found",
    "stop, NoSuchUnit, OK, DONE, ''",
    "start, UnitMasked, UNKNOWN_ERROR, ERROR, it is so",
    "stop, UnitMasked, UNKNOWN_ERROR, ERROR, it is so"
  })
  void whatSystemdRefusesHasItsReason(String action, String error, OcfCode code, ExecStatus status, String reason) {
    var method = action.equals("start") ? "StartUnit" : "StopUnit";
    systemd.says(method, FakeSystemd.error(error, "it is so"));
    ask(action);
    assertEnded(code, status, reason);
  }

  @ParameterizedTest
  @CsvSource({
    "active, OK, ''",
    "reloading, OK, ''",
    "refreshing, OK, ''",
    "inactive, NOT_RUNNING, inactive",
    "failed, NOT_RUNNING, failed",
    "maintenance, NOT_RUNNING, maintenance"
  })
  void aMonitorReportsTheUnitsState(String state, OcfCode expected, String reason) {
    systemd.is(UNIT, state);
    executor.ask("r", WEB, "monitor");
    executor.world.settle();
    assertEnded(expected, ExecStatus.DONE, reason);
    assertEquals(List.of(), executor.world.programs().running());
  }

  @ParameterizedTest
  @CsvSource({"active, OK, DONE", "failed, NOT_INSTALLED, NOT_INSTALLED"})
  void aUnitWhoseFileIsGoneRunsOn(String state, OcfCode expected, ExecStatus status) {
    systemd.is(UNIT, state);
    systemd.isNotFound(UNIT);
    executor.ask("r", WEB, "monitor");
    executor.world.settle();
    assertEquals(expected, executor.last().code());
    assertEquals(status, executor.last().status());
  }

  @Test
  void aMonitorOfAUnitBetweenStatesEndsWithTheChange() {
    systemd.is(UNIT, "activating");
    executor.ask("r", WEB, "monitor");
    executor.world.settle();
    systemd.asked();
    executor.pass(9_000);
    assertEquals(List.of(), systemd.asked(), "nobody looks meanwhile");
    systemd.becomes(UNIT, "deactivating");
    systemd.becomes(UNIT, "inactive");
    assertEnded(OcfCode.NOT_RUNNING, ExecStatus.DONE, "inactive");
  }

  @Test
  void aChangeWhileTheStateIsAskedForIsNotMissed() {
    watched();
    systemd.hasJob(UNIT, 5);
    systemd.bus.takes(Duration.ofMillis(100));
    systemd.becomes(UNIT, "inactive");
    executor.pass(250); // the last of the answers is under way
    systemd.becomes(UNIT, "active");
    executor.pass(200);
    assertEquals(1, executor.results().size());
    systemd.asked();
    executor.pass(5_000);
    assertEquals(List.of(), systemd.asked(), "it does not wait");
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "stop", "monitor"})
  void whatDoesNotEndTimesOut(String action) {
    systemd.is(UNIT, "activating");
    if (action.equals("monitor")) {
      executor.ask("r", WEB, action);
    } else {
      ask(action);
    }
    executor.pass(19_999);
    assertEquals(List.of(), executor.results());
    executor.pass(1);
    assertEnded(
        OcfCode.UNKNOWN_ERROR, ExecStatus.TIMEOUT, action + " action for systemd unit web.service did not complete in time");
    systemd.ends("done");
    executor.pass(100_000);
    assertEquals(1, executor.results().size());
  }

  /// As where the bus' own process is stopped: systemctl does not need it.
  @ParameterizedTest
  @ValueSource(strings = {"stop", "start", "monitor"})
  void aBusThatSaysNothingIsGoneRoundInTime(String action) {
    watched();
    systemd.bus.mute();
    if (action.equals("monitor")) {
      executor.ask("r", WEB, action);
      executor.pass(10_000);
      executor.runs(SHOW).exits(0, "LoadState=loaded\nActiveState=active\n");
    } else {
      ask(action);
      executor.pass(7_000);
      executor.world.programs().running().getFirst().exits(0, ""); // the drop-in
      executor.runs("systemctl daemon-reload").exits(0, "");
      executor.runs("systemctl " + action + " -- web.service").exits(0, "");
    }
    assertEnded(OcfCode.OK, ExecStatus.DONE, "");
    executor.ask("r2", new AgentName("systemd", "", "b"), "monitor");
    executor.pass(0);
    assertEquals(1, executor.world.programs().running().size(), "the bus is not waited for again");
    executor.pass(30_000);
    assertEquals(1, systemd.bus.opened());
  }

  private void askAny(String action) {
    if (action.equals("monitor")) {
      executor.ask("r", WEB, action);
    } else {
      ask(action);
    }
  }

  /// The first of many finds that out.
  @ParameterizedTest
  @ValueSource(strings = {"stop", "start", "monitor"})
  void whatABusWasAskedForThatIsGivenUpIsDoneBySystemctl(String action) {
    watched();
    List.of("Get", "StartUnit", "StopUnit").forEach(systemd::saysNothingTo);
    executor.ask("r2", new AgentName("systemd", "", "b"), "monitor");
    executor.pass(5_000);
    askAny(action);
    executor.pass(5_000);
    executor.runs("systemctl show --property=LoadState,ActiveState -- b.service").exits(0, "ActiveState=active\n");
    executor.pass(1_000);
    executor.runs(action.equals("monitor") ? SHOW : "systemctl " + action + " -- web.service");
  }

  /// The operation has other ways, and the bus is well.
  @Test
  void aCallWithHardlyAnyTimeDoesNotEndTheConnection() {
    watched();
    systemd.bus.takes(Duration.ofSeconds(2));
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 0, 3_000));
    executor.pass(1_500);
    executor.runs(SHOW).exits(0, "ActiveState=active\n");
    executor.pass(30_000);
    assertTrue(systemd.bus.isOpen());
    assertEquals(1, systemd.bus.opened());
    systemd.bus.mute();
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 0, 3_000));
    executor.pass(6_500);
    assertFalse(systemd.bus.isOpen());
  }

  @ParameterizedTest
  @CsvSource({"stop, StopUnit web.service replace", "start, StartUnit web.service replace", "monitor, LoadUnit web.service"})
  void whatASystemdWasAskedForThatBeginsAnewIsAskedForAgain(String action, String call) {
    List.of("Get", "StartUnit", "StopUnit").forEach(systemd::saysNothingTo);
    askAny(action);
    systemd.beginsAnew();
    systemd.asked();
    executor.pass(1_000);
    assertEquals(call, systemd.asked().get(1));
  }

  @Test
  void aUnitThatIsWatchedAndEndsIsAFailureAtOnce() {
    watched();
    executor.pass(10_000);
    assertEquals(List.of(), systemd.asked());
    systemd.becomes(UNIT, "failed");
    assertEnded(OcfCode.NOT_RUNNING, ExecStatus.DONE, "failed");
    assertEquals(2, executor.results().size());
  }

  /// By the history two results in one second have no order.
  @Test
  void aUnitThatEndsInTheSecondInWhichItWasFoundRunningIsAFailureInTheNext() {
    systemd.is(UNIT, "active");
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 60_000, 20_000));
    executor.world.settle();
    var ran = executor.last().lastChangeSeconds();
    systemd.becomes(UNIT, "inactive");
    executor.pass(1_000);
    assertEnded(OcfCode.NOT_RUNNING, ExecStatus.DONE, "inactive");
    assertTrue(executor.last().lastChangeSeconds() > ran);
  }

  @Test
  void aWatchedUnitIsLookedAtByOneCallAtEachInterval() {
    watched();
    executor.pass(60_000);
    assertEquals(List.of("ActiveState"), systemd.asked());
    assertEquals(1, executor.results().size(), "only changes are told");
    systemd.becomes(UNIT, "reloading");
    systemd.becomes(UNIT, "active");
    assertEquals(List.of(), systemd.asked());
    systemd.becomes(UNIT, "failed");
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  /// It is inactive for a moment.
  @Test
  void aWatchedUnitThatSomebodyRestartsHasNotFailed() {
    watched();
    systemd.hasJob(UNIT, 5);
    systemd.becomes(UNIT, "deactivating");
    systemd.becomes(UNIT, "inactive");
    systemd.becomes(UNIT, "activating");
    systemd.hasJob(UNIT, 0);
    systemd.becomes(UNIT, "active");
    executor.pass(1_000);
    assertEquals(1, executor.results().size());
    systemd.hasJob(UNIT, 6);
    systemd.becomes(UNIT, "inactive");
    assertEquals(1, executor.results().size());
    systemd.hasJob(UNIT, 0);
    systemd.becomes(UNIT, "failed");
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  /// It is inactive when its state is asked for, and has no job any more when that is.
  @Test
  void aWatchedUnitThatIsRestartedWhileItIsLookedAtHasNotFailed() {
    watched();
    systemd.bus.takes(Duration.ofMillis(100));
    systemd.hasJob(UNIT, 5);
    systemd.becomes(UNIT, "inactive");
    executor.pass(50);
    systemd.hasJob(UNIT, 0);
    systemd.becomes(UNIT, "active");
    executor.pass(1_000);
    assertEquals(1, executor.results().size());
  }

  @Test
  void aProbeOfAnInactiveUnitDoesNotWaitForItsJob() {
    systemd.is(UNIT, "inactive");
    systemd.hasJob(UNIT, 5);
    executor.ask("r", WEB, "monitor");
    executor.world.settle();
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  @Test
  void whatTheClusterStopsIsNotWatchedAnyMore() {
    watched();
    ask("stop");
    systemd.becomes(UNIT, "deactivating");
    systemd.becomes(UNIT, "inactive");
    systemd.ends("done");
    assertEquals("stop", executor.last().request().operation().text());
    assertEquals(OcfCode.OK, executor.last().code());
    systemd.becomes(UNIT, "active");
    systemd.becomes(UNIT, "failed");
    assertEquals("stop", executor.last().request().operation().text());
    assertEquals(
        1, systemd.bus.calls().stream().filter(it -> it.name().equals("RemoveMatch")).count());
  }

  @Test
  void aMonitorIsCancelledWhileItWaits() {
    systemd.is(UNIT, "activating");
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 10_000, 20_000));
    executor.world.settle();
    executor.client.ask(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000));
    executor.world.settle();
    assertEquals(ExecStatus.CANCELLED, executor.last().status());
    systemd.becomes(UNIT, "failed");
    executor.pass(60_000);
    assertEquals(1, executor.results().size());
  }

  @Test
  void aMachineWithoutABusIsAskedBySystemctl() {
    systemd.bus.lose("there is no socket");
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW).exits(0, "LoadState=loaded\nActiveState=active\n");
    assertEquals(OcfCode.OK, executor.last().code());
    assertTrue(world.logged("there is no socket"));
    systemd.bus.back();
    executor.pass(2_000);
    systemd.is(UNIT, "active");
    executor.ask("r", WEB, "monitor");
    executor.world.settle();
    assertEquals(List.of(), executor.world.programs().running(), "it is back");
    assertEquals(2, executor.results().size());
  }

  @Test
  void aBusWithoutSystemdIsAsGoodAsNone() {
    systemd.says("GetNameOwner", new Failed("org.freedesktop.DBus.Error.NameHasNoOwner", "nobody is called so"));
    executor.ask("r", WEB, "monitor");
    executor.runs(SHOW);
    assertFalse(systemd.bus.isOpen());
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "stop"})
  void aBusThatIsLostInTheMiddleIsGoneRound(String action) {
    ask(action);
    systemd.bus.lose("gone");
    assertEquals(List.of(), executor.results(), "nothing is known yet");
    executor.pass(1_000);
    executor.runs("systemctl " + action + " -- web.service").exits(0, "");
    assertEquals(OcfCode.OK, executor.last().code());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBusThatIsLostBeforeAnythingWasAskedForIsGoneRound(boolean back) {
    executor.ask("r", WEB, "start");
    var install = executor.world.programs().running().getFirst();
    systemd.bus.lose("gone");
    if (back) {
      systemd.bus.back();
      executor.ask("r2", new AgentName("systemd", "", "b"), "monitor"); // makes a new connection
    }
    install.exits(0, "");
    executor.pass(1_000);
    if (back) {
      systemd.is(UNIT, "active");
      systemd.ends("done");
    } else {
      executor.world.programs().running().getFirst().exits(0, ""); // the drop-in, once more
      executor.runs("systemctl daemon-reload").exits(0, "");
      executor.runs("systemctl start -- web.service").exits(0, "");
    }
    assertEquals("start", executor.last().request().operation().text());
    assertEquals(OcfCode.OK, executor.last().code());
  }

  @Test
  void aBusThatIsBackIsAskedForTheSameAgain() {
    ask("start");
    systemd.asked();
    systemd.bus.lose("gone");
    systemd.bus.back();
    systemd.is(UNIT, "active");
    executor.pass(1_000);
    assertEquals(List.of("Subscribe", "StartUnit web.service replace"), systemd.asked());
    systemd.ends("done");
    assertEquals(OcfCode.OK, executor.last().code());
  }

  @Test
  void aUnitThatEndedWhileTheBusWasAwayIsNoticedWhenItIsBack() {
    watched();
    systemd.bus.lose("gone");
    executor.pass(5_000);
    systemd.is(UNIT, "failed");
    assertEquals(1, executor.results().size());
    systemd.bus.back();
    executor.pass(8_000);
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  /// As at `systemctl daemon-reexec`.
  @Test
  void aSystemdThatBeginsAnewIsListenedToAnew() {
    watched();
    systemd.beginsAnew();
    assertFalse(systemd.bus.isOpen());
    executor.pass(1_000);
    assertTrue(systemd.bus.isOpen());
    systemd.becomes(UNIT, "failed");
    assertEquals(OcfCode.NOT_RUNNING, executor.last().code());
  }

  @Test
  void unitsThatStartTogetherHaveSystemdReadItsFilesTogether() {
    watched();
    systemd.bus.takes(Duration.ofMillis(700));
    for (var name : List.of("a", "b", "c", "d")) {
      executor.ask(name, new AgentName("systemd", "", name), "start");
    }
    executor.world.programs().running().forEach(it -> it.exits(0, ""));
    executor.pass(700);
    assertEquals(List.of("Reload", "StartUnit a.service replace", "Reload"), systemd.asked());
    executor.pass(700);
    assertEquals(3, systemd.asked().size(), "the others' starts");
  }

  @Test
  void filesThatSystemdCannotReadAreAWarning() {
    systemd.says("Reload", FakeSystemd.error("Busy", "too many reloads"));
    ask("start");
    assertTrue(world.logged("too many reloads"));
    systemd.is(UNIT, "active");
    systemd.ends("done");
    assertEquals(OcfCode.OK, executor.last().code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"no object", "/a'b", "/a b", "relative"})
  void anObjectThatIsNoneIsNotPutIntoARule(String path) {
    systemd.says("LoadUnit", new Returned(List.of(path)));
    executor.ask("r", WEB, "monitor");
    executor.pass(10_000);
    executor.runs(SHOW);
    assertTrue(systemd.bus.calls().stream().noneMatch(it -> it.arguments().toString().contains(path)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "web@*", "a b", "ä", "web@", "web@.service", "@web", ".service"})
  void aNameThatNoUnitCanHaveIsNeverGivenToSystemd(String type) {
    for (var action : List.of("start", "monitor", "stop")) {
      executor.ask("r", new AgentName("systemd", "", type), action);
      executor.world.settle();
      assertEquals(action.equals("stop") ? OcfCode.OK : OcfCode.NOT_INSTALLED, executor.last().code());
    }
    assertEquals(0, systemd.bus.opened());
  }

  /// A signal may be lost.
  @Test
  void whatIsWaitedForWithoutALimitIsLookedAtNowAndThen() {
    executor.ask(ExecutorUnderTest.request("r", WEB, "monitor", 0, 0));
    executor.world.settle();
    systemd.is(UNIT, "activating");
    executor.ask(ExecutorUnderTest.request("r2", WEB, "monitor", 0, 0));
    executor.world.settle();
    systemd.is(UNIT, "active");
    executor.pass(10_000);
    assertEquals(OcfCode.OK, executor.last().code());
    executor.world.pass(Duration.ofMinutes(10));
  }
}
