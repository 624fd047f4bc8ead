package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPrograms;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;

/// The executor in a world of the test's: agents are programs that end when the test says so.
class ExecutorTest {
  private static final AgentName DUMMY = new AgentName("ocf", "heartbeat", "Dummy");
  private static final String KEY = "3:7:0:01234567-89ab-cdef-0123-456789abcdef";

  private final TestWorld world = new TestWorld();
  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client;

  @BeforeEach
  void start() {
    ExecDaemon.start(
        world, new Layout(Path.of("/"), Path.of("/usr/share")), Map.of("PATH", "/bin"));
    world.programs().all().getFirst().exits(0, "");
    client = world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.ROOT);
    client.ask(new ExecMessage.Subscribe());
  }

  private static ExecMessage.Execute request(
      String resource, String operation, long interval, long timeout, long delay) {
    var request =
        new OperationRequest(
            new ResourceId(resource),
            DUMMY,
            new OperationName(operation),
            interval,
            timeout,
            delay,
            Map.of("state", "/x"),
            KEY);
    return new ExecMessage.Execute(request, interval > 0);
  }

  private long ask(String resource, String operation, long interval) {
    var reply = client.answer(request(resource, operation, interval, 20_000, 0));
    return assertInstanceOf(ExecMessage.Accepted.class, reply).callId();
  }

  private List<OperationResult> results() {
    return client.events().stream().map(it -> ((ExecMessage.Result) it).result()).toList();
  }

  private OperationResult last() {
    return results().getLast();
  }

  private List<String> running() {
    return world.programs().running().stream()
        .map(it -> String.join(" ", it.program().command()))
        .map(it -> it.substring(it.lastIndexOf('/') + 1))
        .toList();
  }

  private TestPrograms.Run program() {
    return world.programs().running().getFirst();
  }

  private void ends(int status) {
    program().exits(status, "");
  }

  private ExecMessage.ResourceState state(String resource) {
    var reply = client.answer(new ExecMessage.StateQuery(resource));
    return ((ExecMessage.State) reply).resources().getFirst();
  }

  private void pass(long millis) {
    world.pass(Duration.ofMillis(millis));
  }

  @Test
  void anOperationRunsTheAgentAndItsResultHasKeyAndTimes() {
    var call = ask("r", "start", 0);
    assertEquals(List.of("Dummy start"), running());
    pass(1500);
    program().exits(0, "hello");
    var result = last();
    assertEquals(call, result.callId());
    assertEquals(KEY, result.request().transitionKey());
    assertEquals(ExecStatus.DONE, result.status());
    assertEquals(0, result.rc());
    assertEquals("hello", result.output());
    assertEquals(1500, result.execMillis());
    assertEquals(0, result.queueMillis());
    assertEquals(result.lastRunSeconds(), result.lastChangeSeconds());
  }

  @Test
  void anAgentGetsParametersAndItsOwnName() {
    ask("r", "start", 0);
    var environment = program().program().environment();
    assertEquals("/x", environment.get("OCF_RESKEY_state"));
    assertEquals("r", environment.get("OCF_RESOURCE_INSTANCE"));
    assertEquals("Dummy", environment.get("OCF_RESOURCE_TYPE"));
    assertEquals("heartbeat", environment.get("OCF_RESOURCE_PROVIDER"));
    assertEquals(Duration.ofSeconds(20), program().program().timeout());
  }

  @Test
  void operationsOfOneResourceWaitForEachOtherAndThoseOfTwoDoNot() {
    ask("a", "start", 0);
    ask("a", "monitor", 0);
    ask("b", "start", 0);
    assertEquals(List.of("Dummy start", "Dummy start"), running());
    pass(700);
    ends(0);
    assertEquals(List.of("Dummy start", "Dummy monitor"), running());
    world.programs().running().getLast().exits(7, "");
    assertEquals("monitor", last().request().operation().text());
    assertEquals(700, last().queueMillis());
    assertEquals(7, last().rc());
  }

  @Test
  void aRecurringOperationRunsAgainAnIntervalAfterItsEnd() {
    ask("r", "monitor", 10_000);
    pass(3000);
    ends(0);
    pass(9_999);
    assertEquals(List.of(), running());
    pass(1);
    assertEquals(List.of("Dummy monitor"), running());
  }

  @Test
  void aRecurringResultIsReportedOnlyWhenItChanges() {
    ask("r", "monitor", 10_000);
    ends(0);
    pass(10_000);
    ends(0);
    assertEquals(1, results().size());
    pass(10_000);
    ends(7);
    assertEquals(2, results().size());
    assertEquals(7, last().rc());
    assertTrue(last().lastChangeSeconds() >= last().lastRunSeconds());
    pass(10_000);
    ends(7);
    assertEquals(2, results().size());
  }

  @Test
  void theSameMonitorAskedForAgainReportsUnderTheNewCall() {
    var first = ask("r", "monitor", 10_000);
    ends(0);
    var second = ask("r", "monitor", 10_000);
    assertTrue(second > first);
    assertEquals(List.of("Dummy monitor"), running(), "it does not wait for its interval");
    ends(0);
    assertEquals(second, last().callId());
    assertEquals(2, results().size(), "told although nothing changed");
    assertEquals(1, state("r").recurring().size());
  }

  /// Who asks has lost sight of the one before: it would find the time limit of before recorded, and ask for ever.
  @Test
  void theSameMonitorWithAnotherTimeLimitGoesByThatFromItsNextRunOn() {
    ask("r", "monitor", 10_000);
    assertInstanceOf(ExecMessage.Accepted.class, client.answer(request("r", "monitor", 10_000, 16_000, 0)));
    ends(0);
    assertEquals(20_000, last().request().timeoutMillis(), "it had that one");
    pass(10_000);
    assertEquals(Duration.ofSeconds(16), program().program().timeout());
    ends(0);
    assertInstanceOf(ExecMessage.Accepted.class, client.answer(request("r", "monitor", 10_000, 17_000, 0)));
    assertEquals(Duration.ofSeconds(17), program().program().timeout());
    ends(0);
    assertEquals(17_000, last().request().timeoutMillis());
    assertEquals(1, state("r").recurring().size());
  }

  @Test
  void aStopEndsTheMonitorsOfItsResourceFirst() {
    ask("r", "monitor", 10_000);
    ends(0);
    ask("r", "stop", 0);
    assertEquals(ExecStatus.CANCELLED, last().status());
    assertEquals(List.of("Dummy stop"), running());
    ends(0);
    pass(60_000);
    assertEquals(List.of(), running());
    assertEquals(List.of(), state("r").recurring());
  }

  @Test
  void aMonitorThatRunsIsKilledByAStopAndIsNoFailure() {
    ask("r", "monitor", 10_000);
    ask("r", "stop", 0);
    world.settle();
    assertEquals(ExecStatus.CANCELLED, last().status());
    assertEquals("monitor", last().request().operation().text());
    assertEquals(List.of("Dummy stop"), running());
  }

  @Test
  void aDemotionAndAPromotionEndMonitorsAProbeDoesNot() {
    for (var operation : List.of("demote", "promote", "start", "reload", "migrate_to")) {
      ask("r", "monitor", 10_000);
      ends(0);
      ask("r", operation, 0);
      assertEquals(ExecStatus.CANCELLED, last().status(), operation);
      ends(0);
    }
    ask("r", "monitor", 10_000);
    ends(0);
    ask("r", "monitor", 0);
    ends(0);
    assertEquals(1, state("r").recurring().size());
  }

  @Test
  void aCancelledMonitorIsReportedAndDoesNotRunAgain() {
    ask("r", "monitor", 10_000);
    ends(0);
    var answer = client.answer(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000));
    assertEquals(new ExecMessage.Cancelled(true, false), answer);
    assertEquals(ExecStatus.CANCELLED, last().status());
    assertEquals(OcfCode.NONE.number(), last().rc());
    assertEquals(
        new ExecMessage.Cancelled(false, false),
        client.answer(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000)));
    pass(60_000);
    assertEquals(List.of(), running());
  }

  @Test
  void aMonitorCancelledWhileItRunsIsKilled() {
    ask("r", "monitor", 10_000);
    var answer = client.answer(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 10_000));
    assertEquals(new ExecMessage.Cancelled(true, true), answer);
    assertEquals(List.of(), running());
    assertEquals(ExecStatus.CANCELLED, last().status());
    pass(60_000);
    assertEquals(List.of(), running());
  }

  @Test
  void aStartThatRunsCannotBeCancelledOneThatWaitsCan() {
    ask("r", "start", 0);
    ask("r", "monitor", 0);
    assertEquals(
        new ExecMessage.Cancelled(false, true),
        client.answer(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("start"), 0)));
    assertEquals(
        new ExecMessage.Cancelled(true, false),
        client.answer(new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 0)));
    ends(0);
    assertEquals(List.of(), running());
    assertEquals(
        new ExecMessage.Cancelled(false, false),
        client.answer(new ExecMessage.Cancel(new ResourceId("unknown"), new OperationName("monitor"), 0)));
  }

  @Test
  void aStartDelayIsWaitedForOnce() {
    client.ask(request("r", "monitor", 10_000, 5_000, 30_000));
    pass(29_999);
    assertEquals(List.of(), running());
    pass(1);
    ends(0);
    pass(10_000);
    assertEquals(List.of("Dummy monitor"), running());
  }

  /// Elsewhere the resource would be started once it is stopped here, and here, too, a bit later.
  @Test
  void aStartThatIsDelayedDoesNotComeAfterAStopThatWasAskedForLater() {
    client.ask(request("r", "start", 0, 20_000, 30_000));
    pass(29_000);
    assertEquals(List.of(), running());
    var waiting = state("r").pending().stream().map(it -> it.request().operation().text()).toList();
    assertEquals(List.of("start"), waiting, "a controller that is started now knows of it");
    ask("r", "stop", 0);
    assertEquals(List.of("Dummy start"), running());
    ends(0);
    assertEquals(List.of("Dummy stop"), running());
    ends(0);
    pass(60_000);
    assertEquals(List.of(), running());
  }

  @Test
  void aStartThatIsDelayedRunsOnceItsTimeHasComeAndNotAfterItWasForgotten() {
    client.ask(request("r", "start", 0, 20_000, 30_000));
    pass(30_000);
    assertEquals(List.of("Dummy start"), running());
    ends(0);
    assertEquals(0, last().queueMillis());
    client.ask(request("r", "start", 0, 20_000, 30_000));
    client.ask(new ExecMessage.Forget(new ResourceId("r")));
    pass(60_000);
    assertEquals(List.of(), running());
  }

  @Test
  void anAgentThatTakesTooLongHasTimedOut() {
    ask("r", "start", 0);
    pass(20_000);
    assertEquals(ExecStatus.TIMEOUT, last().status());
    assertEquals(1, last().rc());
    assertEquals("Resource agent did not complete within 20s", last().exitReason());
    assertEquals(20_000, last().execMillis());
  }

  @Test
  void anAgentThatIsNotThereIsNotInstalled() {
    world.programs().script(_ -> new Exit.NotStarted("/x/Dummy: no such file"));
    ask("r", "monitor", 0);
    assertEquals(ExecStatus.NOT_INSTALLED, last().status());
    assertEquals(OcfCode.NOT_INSTALLED.number(), last().rc());
    world.programs().script(_ -> new Exit.NotStarted("/x/Dummy: not executable"));
    ask("r", "monitor", 0);
    assertEquals(ExecStatus.ERROR, last().status());
    assertEquals(OcfCode.INSUFFICIENT_PRIVILEGES.number(), last().rc());
    world.programs().script(_ -> new Exit.NotStarted("too many processes"));
    ask("r", "monitor", 0);
    assertEquals("too many processes", last().exitReason());
    assertEquals(1, last().rc());
  }

  @Test
  void anAgentKilledBySomebodyElseHasFailedWithTheSignalsName() {
    ask("r", "monitor", 0);
    program().kill();
    world.settle();
    assertEquals(ExecStatus.ERROR, last().status());
    assertEquals("Resource agent interrupted by Killed signal", last().exitReason());
  }

  @Test
  void theLastReasonTheAgentGaveIsReported() {
    var errors = "x\nocf-exit-reason:first\nocf-exit-reason:second\nmore\n";
    world.programs().script(_ -> new Exit.Exited(5, 0, "out", errors, Duration.ZERO));
    ask("r", "start", 0);
    assertEquals("second", last().exitReason());
    assertEquals(errors, last().output());
    assertEquals(5, last().rc());
  }

  @Test
  void anUnprivilegedClientMayOnlyQuery() {
    var guest = world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.MEMBER);
    for (var request :
        List.of(
            request("r", "start", 0, 1000, 0),
            new ExecMessage.Subscribe(),
            new ExecMessage.Forget(new ResourceId("r")),
            new ExecMessage.Remember(1, List.of()),
            new ExecMessage.Cancel(new ResourceId("r"), new OperationName("monitor"), 1))) {
      assertEquals(
          new ExecMessage.Refused(
              "user alice may not do this: only root and the cluster's own user may"),
          guest.answer(request));
    }
    assertEquals(new ExecMessage.State(List.of()), guest.answer(new ExecMessage.StateQuery("")));
    assertEquals(List.of(), running());
  }

  @Test
  void aMonitorThatHangsInTheKernelIsReportedAndDoesNotRunASecondTime() {
    ask("r", "monitor", 10_000);
    var stuck = program();
    stuck.hangs();
    var before = world.programs().all().size();
    pass(20_000);
    assertEquals(ExecStatus.TIMEOUT, last().status());
    assertTrue(world.logged("hangs in the kernel"));
    pass(60_000);
    assertEquals(before, world.programs().all().size(), "no second monitor hangs beside it");
    stuck.wakes();
    pass(10_000);
    assertEquals(List.of("Dummy monitor"), running(), "once it is gone, the next runs");
    program().hangs();
    pass(20_000);
    ask("r", "stop", 0);
    assertEquals(List.of("Dummy stop"), running(), "a stop is tried beside one that hangs");
  }

  @Test
  void aStopWaitsUntilAStartThatHangsInTheKernelIsGone() {
    ask("r", "start", 0);
    var stuck = program();
    stuck.hangs();
    pass(20_000);
    assertEquals(ExecStatus.TIMEOUT, last().status(), "the start is told");
    ask("r", "stop", 0);
    pass(600_000);
    assertEquals(List.of(), running(), "it may yet mount what the stop would not have found");
    assertEquals("start", last().request().operation().text());
    stuck.wakes();
    assertEquals(List.of("Dummy stop"), running());
    ends(0);
    assertEquals(0, last().rc());
  }

  @Test
  void anUnprivilegedClientSeesNoParametersAndNoOutput() {
    world.programs().script(_ -> new Exit.Exited(0, 0, "the password", "", Duration.ZERO));
    ask("r", "start", 0);
    ask("r", "monitor", 10_000);
    var guest = world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.MEMBER);
    var state = (ExecMessage.State) guest.answer(new ExecMessage.StateQuery("r"));
    var seen = state.resources().getFirst();
    assertEquals(2, seen.lastResults().size());
    assertEquals(1, seen.recurring().size());
    for (var result : seen.lastResults()) {
      assertEquals(Map.of(), result.parameters());
      assertEquals("", result.output());
    }
    assertEquals(Map.of(), seen.recurring().getFirst().request().parameters());
    assertTrue(last().parameters().containsKey("state"), "who is privileged sees them");
  }

  @Test
  void anAgentOutsideItsDirectoryIsRefused() {
    for (var agent :
        List.of(
            new AgentName("ocf", "..", "Dummy"),
            new AgentName("ocf", "heartbeat", "../../bin/sh"),
            new AgentName("lsb", "", "a/b"),
            new AgentName("upstart", "", "x"))) {
      var request =
          new OperationRequest(new ResourceId("r"), agent, new OperationName("start"), 0, 1000, 0, Map.of(), KEY);
      assertInstanceOf(
          ExecMessage.Refused.class, client.answer(new ExecMessage.Execute(request, false)));
    }
    assertEquals(List.of(), running());
  }

  /// What is answered to a request in which another text stands for one that it has.
  private ExecMessage.@Nullable Reply answerTo(
      ExecMessage.Request request, String text, String instead) {
    var id = client.ask(new ExecMessage.StateQuery("")) + 1_000; // not that of another
    var frame = new String(ExecMessage.PROTOCOL.request(id, request), StandardCharsets.UTF_8);
    var changed = frame.replace("\"" + text + "\"", "\"" + instead + "\"");
    assertNotEquals(frame, changed);
    client.sendRaw(changed.getBytes(StandardCharsets.UTF_8));
    world.settle();
    return client.answerTo(id);
  }

  /// What can never be a name goes neither into a queue nor to an agent, a log or the CIB, and
  /// whoever asked is told.
  @ParameterizedTest
  @ValueSource(strings = {"", "\\u0000", "web\\n", "\\t", "a\\u001bb", "\\u0085"})
  void whatCanBeNoNameIsRefusedWholeAndNothingIsRun(String name) {
    ask("here", "start", 0);
    var before = client.answer(new ExecMessage.StateQuery(""));
    var running = running();
    var operation = new OperationName("look");
    var execute = request("web", "look", 10_000, 1000, 0);
    var old = OperationResult.made(execute.request(), OcfCode.OK, ExecStatus.DONE, "", 1);
    for (var request :
        List.of(
            execute,
            new ExecMessage.Cancel(new ResourceId("web"), operation, 10_000),
            new ExecMessage.Remember(900, List.of(old)))) {
      for (var field : List.of("web", "look")) {
        var answer = answerTo(request, field, name);
        assertInstanceOf(ExecMessage.Refused.class, answer, request + " " + field);
        var why = ((ExecMessage.Refused) answer).why();
        var kind = field.equals("web") ? "resource" : "operation";
        assertTrue(why.contains(kind), why);
        assertTrue(why.chars().noneMatch(Character::isISOControl), why);
      }
    }
    var forget = answerTo(new ExecMessage.Forget(new ResourceId("web")), "web", name);
    assertInstanceOf(ExecMessage.Refused.class, forget);
    assertFalse(client.isCutOff());
    assertEquals(before, client.answer(new ExecMessage.StateQuery("")));
    assertEquals(running, running());
    var next = client.answer(request("next", "start", 0, 1000, 0));
    assertEquals(new ExecMessage.Accepted(2), next, "no number was used up either");
  }

  @Test
  void anInvalidRequestIsRefused() {
    assertInstanceOf(ExecMessage.Refused.class, client.answer(request("r", "start", -1, 1000, 0)));
    assertInstanceOf(ExecMessage.Refused.class, client.answer(request("r", "start", 0, -1, 0)));
    assertInstanceOf(ExecMessage.Refused.class, client.answer(request("r", "start", 0, 0, -1)));
  }

  @Test
  void moreThanAHundredWaitingOperationsOfAResourceAreRefused() {
    ask("r", "start", 0);
    for (var i = 0; i < ResourceQueue.WAITING_MAX; i++) {
      ask("r", "monitor", 0);
    }
    assertInstanceOf(ExecMessage.Refused.class, client.answer(request("r", "monitor", 0, 1000, 0)));
    ask("other", "start", 0);
  }

  @Test
  void whatIsForgottenLeavesNothingBut() {
    ask("r", "monitor", 10_000);
    ends(0);
    ask("r", "monitor", 0);
    client.ask(new ExecMessage.Forget(new ResourceId("r")));
    assertEquals(ExecStatus.CANCELLED, last().status());
    assertTrue(last().forgotten());
    ends(0);
    assertTrue(last().forgotten(), "nobody is to record it");
    pass(60_000);
    assertEquals(List.of(), running());
    ask("other", "monitor", 0); // empty queues go when something new comes
    ends(0);
    assertEquals(
        List.of(new ResourceId("other")),
        ((ExecMessage.State) client.answer(new ExecMessage.StateQuery("")))
            .resources().stream().map(ExecMessage.ResourceState::resource).toList());
  }

  @Test
  void theStateHasLastResultsRecurringAndWaitingOperations() {
    ask("r", "start", 0);
    ends(0);
    ask("r", "monitor", 10_000);
    ends(0);
    ask("r", "notify", 0);
    ask("r", "monitor", 0);
    var state = state("r");
    assertEquals(
        List.of("r_start_0", "r_monitor_10000"),
        state.lastResults().stream().map(it -> it.request().key()).toList());
    assertEquals(
        List.of("r_monitor_10000"),
        state.recurring().stream().map(it -> it.request().key()).toList());
    assertEquals(
        List.of("r_notify_0", "r_monitor_0"),
        state.pending().stream().map(it -> it.request().key()).toList());
  }

  @Test
  void resultsOfAnEarlierExecutorAreRememberedButDoNotReplaceKnownOnes() {
    ask("r", "start", 0);
    ends(0);
    var before = new TreeMap<>(Map.of("state", "/old"));
    var old = new OperationRequest(new ResourceId("r"), DUMMY, new OperationName("start"), 0, 1, 0, before, KEY);
    var other =
        new OperationRequest(new ResourceId("r"), DUMMY, new OperationName("monitor"), 10_000, 1, 0, before, KEY);
    client.ask(
        new ExecMessage.Remember(
            40,
            List.of(
                OperationResult.made(old, 5, ExecStatus.DONE, "", 1),
                OperationResult.made(other, 0, ExecStatus.DONE, "", 1))));
    var state = state("r");
    assertEquals(List.of(0, 0), state.lastResults().stream().map(OperationResult::rc).toList());
    assertEquals(List.of(), state.recurring(), "what is remembered does not run");
    assertEquals(41, ask("r", "stop", 0), "calls go on from the highest seen");
  }

  @Test
  void metadataIsTheAgentsOutputOrTheReasonThereIsNone() {
    world.programs().script(_ -> new Exit.Exited(0, 0, "<resource-agent/>", "", Duration.ZERO));
    assertEquals(
        new ExecMessage.Metadata("<resource-agent/>", ExecStatus.DONE, ""), metadata(DUMMY));
    world.programs().script(_ -> new Exit.Exited(3, 0, "<resource-agent/>", "", Duration.ZERO));
    assertEquals(new ExecMessage.Metadata("", ExecStatus.ERROR, "exit status 3"), metadata(DUMMY));
    assertEquals(
        ExecStatus.NOT_INSTALLED,
        ((ExecMessage.Metadata) metadata(new AgentName("ocf", "a/b", "x"))).status());
  }

  private ExecMessage.Reply metadata(AgentName agent) {
    var id = client.ask(new ExecMessage.MetadataQuery(agent, 1000));
    world.settle();
    return client.answerTo(id);
  }

  @Test
  void theLinesOfATransitionHaveItsName() {
    ask("r", "start", 0);
    ends(0);
    var name = " | transition=7-01234567";
    assertTrue(world.logged("INFO: Running r_start_0 (call 1)" + name), world.lines()::toString);
    assertTrue(world.logged("INFO: r_start_0 (call 1) exited with 0 after 0 ms" + name));
  }

  @Test
  void aClientThatLeavesGetsNoMoreResultsAndOthersDo() {
    var other = world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.ROOT);
    other.ask(new ExecMessage.Subscribe());
    client.close();
    other.ask(request("r", "start", 0, 1000, 0));
    ends(0);
    assertEquals(1, other.events().size());
    assertEquals(List.of(), client.events());
  }

  @Test
  void initScriptsStatusesAreTranslated() {
    var lsb = new AgentName("lsb", "", "svc");
    var codes = Map.of(0, 0, 1, 7, 3, 7, 4, 1, 150, 5, 151, 4);
    codes.forEach(
        (status, code) -> {
          world.programs().script(_ -> new Exit.Exited(status, 0, "", "", Duration.ZERO));
          var request =
              new OperationRequest(new ResourceId("s"), lsb, new OperationName("monitor"), 0, 1000, 0, Map.of(), KEY);
          client.ask(new ExecMessage.Execute(request, false));
          assertEquals(code, last().rc(), "status " + status);
        });
    assertEquals(
        List.of("/etc/init.d/svc", "status"), world.programs().all().getLast().program().command());
    world.programs().script(_ -> new Exit.Exited(99, 0, "", "", Duration.ZERO));
    var stop = new OperationRequest(new ResourceId("s"), lsb, new OperationName("stop"), 0, 1000, 0, Map.of(), KEY);
    client.ask(new ExecMessage.Execute(stop, false));
    assertEquals(1, last().rc());
  }
}
