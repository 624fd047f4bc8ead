package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;

/// Resources that are fence devices: what the fencer is asked, and what happens when it is not
/// there. The test plays the fencer.
final class FenceDevicesTest {
  private static final AgentName XVM = new AgentName("stonith", "", "fence_xvm");
  private static final FenceMessage.Reply ANSWERS =
      new FenceMessage.DeviceResult(0, ExecStatus.DONE, "", "fine");

  private final TestWorld world = new TestWorld();
  private final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  private final Deque<Long> runs = new ArrayDeque<>();
  private FenceMessage.Reply registered = new FenceMessage.Ok();
  private FenceMessage.@Nullable Reply result = ANSWERS;
  private final ExecutorUnderTest executor;

  FenceDevicesTest() {
    fencer.script(this::asked);
    executor = new ExecutorUnderTest(world);
  }

  private void asked(long id, FenceMessage.Request request) {
    switch (request) {
      case FenceMessage.Subscribe _ -> fencer.reply(id, new FenceMessage.Ok());
      case FenceMessage.RegisterDevice _, FenceMessage.DeregisterDevice _ ->
          fencer.reply(id, registered);
      case FenceMessage.RunDevice _ -> {
        if (result == null) {
          runs.add(id);
        } else {
          fencer.reply(id, result);
        }
      }
      case FenceMessage.MetadataQuery(var agent, var _) ->
          fencer.reply(
              id,
              agent.equals("fence_xvm")
                  ? new FenceMessage.Metadata("<resource-agent/>", ExecStatus.DONE, "")
                  : new FenceMessage.Refused(ExecStatus.INVALID, "no such agent"));
      default -> throw new IllegalStateException("unexpected: " + request);
    }
  }

  private void ask(String operation) {
    executor.ask("dev", XVM, operation);
    world.settle();
  }

  private void recur() {
    executor.ask(ExecutorUnderTest.request("dev", XVM, "monitor", 10_000, 20_000));
    world.settle();
  }

  private OcfCode probe() {
    ask("monitor");
    return executor.last().code();
  }

  private <T extends FenceMessage.Request> List<T> received(Class<T> kind) {
    return fencer.received().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /// What came since an earlier look.
  private List<String> kinds(int since) {
    var kinds = new ArrayList<String>();
    fencer.received().stream().skip(since).forEach(it -> kinds.add(it.getClass().getSimpleName()));
    return kinds;
  }

  @Test
  void aStartRegistersAndMonitorsTheDevice() {
    ask("start");

    var told = received(FenceMessage.RegisterDevice.class).getFirst();
    assertEquals("dev", told.device());
    assertEquals("fence_xvm", told.agent());
    assertEquals("10.0.0.1", told.parameters().get("ip"));
    var run = received(FenceMessage.RunDevice.class).getFirst();
    assertEquals("dev", run.device());
    assertEquals("monitor", run.action());
    assertNull(run.target());
    assertEquals(20_000, run.timeoutMillis());
    assertEquals(OcfCode.OK, executor.last().code());
    assertEquals("fine", executor.last().output());
  }

  @Test
  void aProbeFindsTheDevicesStartedHereWithoutTheFencer() {
    assertEquals(OcfCode.NOT_RUNNING, probe());
    ask("start");
    assertEquals(OcfCode.OK, probe());
    ask("stop");
    assertEquals(OcfCode.NOT_RUNNING, probe());
    assertEquals(1, received(FenceMessage.RunDevice.class).size());
  }

  @Test
  void aDeviceThatDoesNotAnswerHasNotStarted() {
    result = new FenceMessage.DeviceResult(1, ExecStatus.DONE, "no power switch there", "");
    ask("start");

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertEquals("no power switch there", executor.last().exitReason());
    assertEquals(OcfCode.NOT_RUNNING, probe());
  }

  @Test
  void aDeviceTheFencerRefusesHasNotStarted() {
    registered = new FenceMessage.Refused(ExecStatus.INVALID, "\"x\" is not a fence agent");
    ask("start");

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertEquals(ExecStatus.ERROR, executor.last().status());
    assertEquals("\"x\" is not a fence agent", executor.last().exitReason());
    assertEquals(List.of(), received(FenceMessage.RunDevice.class));
  }

  @Test
  void anAnswerOfAnotherKindIsAnErrorThatShowsIt() {
    registered = new FenceMessage.Devices(List.of());
    ask("start");
    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertTrue(executor.last().exitReason().startsWith("the fencer answered Devices"));
    ask("stop");
    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    registered = new FenceMessage.Ok();
    result = new FenceMessage.Ok();
    ask("start");
    assertEquals(ExecStatus.ERROR, executor.last().status());
  }

  @Test
  void aStopThatTheFencerRefusesHasFailed() {
    ask("start");
    registered = new FenceMessage.Refused(ExecStatus.INVALID, "not now");
    ask("stop");

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertEquals(OcfCode.OK, probe(), "it is there still");
  }

  @Test
  void aDeviceHasNoOtherActions() {
    ask("promote");

    assertEquals(OcfCode.UNIMPLEMENTED, executor.last().code());
    assertEquals(ExecStatus.ERROR, executor.last().status());
  }

  @ParameterizedTest
  @CsvSource({
    "0, DONE, OK, DONE",
    "1, DONE, UNKNOWN_ERROR, DONE",
    "1, TIMEOUT, UNKNOWN_ERROR, TIMEOUT",
    "1, NO_FENCE_DEVICE, NOT_RUNNING, DONE",
    "1, INVALID, UNKNOWN_ERROR, ERROR",
    "1, NOT_SUPPORTED, UNIMPLEMENTED, NOT_SUPPORTED",
    "1, NOT_INSTALLED, UNKNOWN_ERROR, NOT_INSTALLED"
  })
  void theFencersResultsAreTranslated(
      int rc, ExecStatus status, OcfCode code, ExecStatus meaning) {
    result = new FenceMessage.DeviceResult(rc, status, "why", "");
    recur();

    assertEquals(code, executor.last().code());
    assertEquals(meaning, executor.last().status());
  }

  @Test
  void aMonitorThatRecursAsksTheDeviceEachTime() {
    ask("start");
    recur();
    executor.pass(10_000);
    executor.pass(10_000);

    assertEquals(4, received(FenceMessage.RunDevice.class).size());
  }

  @Test
  void aFencerThatIsLostDuringAMonitorIsWaitedForAndAskedAgain() {
    ask("start");
    result = null;
    recur();
    var before = executor.results().size();
    fencer.drop("it died");
    assertEquals(before, executor.results().size(), "that it was away says nothing of the device");
    result = ANSWERS;
    executor.pass(5_000);

    assertEquals(before + 1, executor.results().size());
    assertEquals(OcfCode.OK, executor.last().code());
  }

  @Test
  void devicesAreRegisteredAndMonitoredAgainWhenAFencerIsBack() {
    ask("start");
    var since = fencer.received().size();
    fencer.drop("it died");
    executor.pass(5_000);

    assertEquals(List.of("Subscribe", "RegisterDevice", "RunDevice"), kinds(since));
    assertEquals("dev", received(FenceMessage.RegisterDevice.class).getLast().device());
    assertEquals(
        "10.0.0.1", received(FenceMessage.RegisterDevice.class).getLast().parameters().get("ip"));
    assertTrue(world.logged("dev answered"));
  }

  @Test
  void aFencersRefusalToRegisterADeviceAgainIsLogged() {
    ask("start");
    registered = new FenceMessage.Refused(ExecStatus.INVALID, "too many");
    var since = fencer.received().size();
    fencer.drop("it died");
    executor.pass(5_000);

    assertEquals(List.of("Subscribe", "RegisterDevice"), kinds(since));
    assertTrue(world.logged("WARNING: The fencer refuses to register dev again: too many"));
  }

  @Test
  void aStoppedDeviceIsNotRegisteredAgain() {
    ask("start");
    ask("stop");
    var since = fencer.received().size();
    fencer.drop("it died");
    executor.pass(5_000);

    assertEquals(List.of("Subscribe"), kinds(since));
  }

  @Test
  void withoutAFencerAStopIsDoneAndAStartWaitsForIt() {
    var alone = new TestWorld();
    var without = new ExecutorUnderTest(alone);
    without.ask("dev", XVM, "stop");
    without.pass(1_000);
    assertEquals(OcfCode.OK, without.last().code(), "nothing that is gone knows of it");

    without.ask("dev", XVM, "start");
    without.pass(19_000);
    assertEquals(1, without.results().size());
    without.pass(2_000);
    assertEquals(OcfCode.UNKNOWN_ERROR, without.last().code());
    assertEquals(ExecStatus.ERROR, without.last().status());
    assertFalse(without.last().exitReason().isEmpty());
  }

  @Test
  void aMonitorWaitsForALostFencerNoLongerThanItsTime() {
    ask("start");
    result = null;
    fencer.drop("it died");
    var begun = world.nanoTime();
    recur(); // the fencer is back soon, and never answers
    executor.pass(120_000);

    assertEquals(OcfCode.UNKNOWN_ERROR, executor.last().code());
    assertTrue(world.nanoTime() > begun);
    assertTrue(executor.last().execMillis() <= 60_000, () -> executor.last().toString());
  }

  @Test
  void aDeviceAnEarlierExecutorStartedIsFoundAndRegisteredAgain() {
    remember("start", 0, "monitor", 0);
    assertEquals(OcfCode.OK, probe());
    var since = fencer.received().size();
    fencer.drop("it died");
    executor.pass(5_000);
    assertEquals(List.of("Subscribe", "RegisterDevice", "RunDevice"), kinds(since));
  }

  @Test
  void aDeviceAnEarlierExecutorStoppedOrFailedToStartIsNotFound() {
    remember("start", 0, "stop", 0);
    assertEquals(OcfCode.NOT_RUNNING, probe());

    remember("start", 1);
    assertEquals(OcfCode.NOT_RUNNING, probe());
  }

  /// @param results operations of an earlier executor, each with its exit status
  private void remember(Object... results) {
    var all = new ArrayList<OperationResult>();
    for (var i = 0; i < results.length; i += 2) {
      var parameters = new TreeMap<>(Map.of("ip", "10.0.0.1"));
      var request =
          new OperationRequest(
              new ResourceId("dev"), XVM, new OperationName((String) results[i]), 0, 20_000, 0, parameters, "k");
      all.add(OperationResult.made(request, (int) results[i + 1], ExecStatus.DONE, "", 1));
    }
    executor.client.ask(new ExecMessage.Remember(1, all));
  }

  @Test
  void metadataComesFromTheFencerAndARefusalGivesNone() {
    assertEquals(
        new ExecMessage.Metadata("<resource-agent/>", ExecStatus.DONE, ""), metadata("fence_xvm"));
    assertEquals(
        new ExecMessage.Metadata("", ExecStatus.INVALID, "no such agent"), metadata("fence_no"));
  }

  private ExecMessage.Reply metadata(String agent) {
    var query = new ExecMessage.MetadataQuery(new AgentName("stonith", "", agent), 1000);
    var id = executor.client.ask(query);
    world.pass(Duration.ofMillis(10));
    return executor.client.answerTo(id);
  }
}
