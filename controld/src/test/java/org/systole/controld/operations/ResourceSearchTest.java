package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;

/// `web` may run with the parameter `/tmp/old`; the configuration has `/tmp/x`.
final class ResourceSearchTest {
  private static final ResourceId WEB = new ResourceId("web");
  private static final LeftRunning.Resource OLD = left("/tmp/old");

  private final RunnerUnderTest node = RunnerUnderTest.up();

  private static LeftRunning.Resource left(String state) {
    return new LeftRunning.Resource(WEB, RunnerUnderTest.DUMMY, Map.of("state", state));
  }

  /// The value with which the executor was asked for a probe, if it was.
  private List<String> probed() {
    return node.deeds().contains("do web_monitor_0")
        ? List.of(node.request("web_monitor_0").parameters().get("state"))
        : List.of();
  }

  private List<String> written() {
    return node.deeds().stream().filter(it -> it.startsWith("write ")).toList();
  }

  private void probe() {
    node.runner.execute(
        RunnerUnderTest.action("monitor", "/tmp/x"), RunnerUnderTest.KEY.replace(":0:", ":7:"));
    node.world.settle();
  }

  @Test
  void whatRunsWithItsOldParametersIsTheAnswerToAProbeWithNewOnes() {
    node.runner.presume(OLD);
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    assertEquals("20000", node.request("web_monitor_0").parameters().get("CRM_meta_timeout"));
    node.ends("web_monitor_0", 0);
    assertEquals(
        List.of("write web_last_failure_0 monitor 0", "write web_last_0 monitor 0"), written());
    node.order("stop", 0, "");
    assertEquals("/tmp/old", node.request("web_stop_0").parameters().get("state"));
  }

  @Test
  void whereTheOldParametersFindNothingTheProbeFollows() {
    for (var rc : new int[] {7, 5}) {
      node.runner.presume(OLD);
      probe();
      assertEquals(List.of("/tmp/old"), probed());
      node.ends("web_monitor_0", rc);
      assertEquals(List.of("/tmp/x"), probed(), "exit " + rc);
      assertEquals(List.of(), node.running());
      node.ends("web_monitor_0", 0);
      node.order("stop", 0, "");
      assertEquals(
          "/tmp/x", node.request("web_stop_0").parameters().get("state"), "what was found");
      node.ends("web_stop_0", 0);
      node.order("delete", 0, "");
      node.deeds();
    }
  }

  @Test
  void aFirstProbeThatCannotTellIsTheAnswer() {
    node.runner.presume(OLD);
    probe();
    node.deeds();
    node.ends("web_monitor_0", 7, ExecStatus.TIMEOUT);
    assertEquals(
        List.of("write web_last_failure_0 monitor 7", "write web_last_0 monitor 7"), written());
  }

  @Test
  void nothingIsProbedTwiceWithTheSameParameters() {
    node.runner.presume(left("/tmp/x"));
    probe();
    assertEquals(List.of("/tmp/x"), probed());
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("write web_last_0 monitor 7"), written());
    assertEquals(List.of(), node.running());
  }

  @Test
  void anotherAgentIsAskedFirst() {
    var before = new AgentName("ocf", "heartbeat", "Stateful");
    node.runner.presume(new LeftRunning.Resource(WEB, before, Map.of("state", "/tmp/x")));
    probe();
    assertEquals(before, node.request("web_monitor_0").agent());
    node.ends("web_monitor_0", 7);
    assertEquals(RunnerUnderTest.DUMMY, node.request("web_monitor_0").agent());
  }

  @Test
  void whatAnotherAgentHasStartedIsStoppedByThatOne() {
    var before = new AgentName("ocf", "heartbeat", "Stateful");
    node.runner.presume(new LeftRunning.Resource(WEB, before, Map.of("state", "/tmp/x")));
    probe();
    node.ends("web_monitor_0", 0);
    node.order("stop", 0, "");
    assertEquals(before, node.request("web_stop_0").agent());
    node.ends("web_stop_0", 0);

    node.order("start", 0, "");
    assertEquals(RunnerUnderTest.DUMMY, node.request("web_start_0").agent());
    node.ends("web_start_0", 0);
    node.order("stop", 0, "");
    assertEquals(RunnerUnderTest.DUMMY, node.request("web_stop_0").agent());
  }

  @Test
  void whatRanBeforeACleanUpIsLookedForWithWhatItWasStartedWith() {
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.order("delete", 0, "");
    assertEquals(List.of("web"), node.running(), "the next controller has to know of it");
    node.deeds();
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/new"), RunnerUnderTest.KEY);
    assertEquals(List.of("/tmp/x"), probed());
    node.ends("web_monitor_0", 0);
    assertEquals(List.of("write web_last_0 monitor 0"), written());
  }

  @Test
  void whatRanBeforeACleanUpIsStoppedWithWhatItWasStartedWith() {
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.order("delete", 0, "");
    node.deeds();
    node.runner.execute(RunnerUnderTest.action("stop", "/tmp/new"), RunnerUnderTest.KEY); // planned before
    node.world.settle();
    assertEquals("/tmp/x", node.request("web_stop_0").parameters().get("state"));
    node.ends("web_stop_0", 0);
    assertEquals(List.of(), node.running());
    node.runner.execute(RunnerUnderTest.action("stop", "/tmp/new"), RunnerUnderTest.KEY);
    node.world.settle();
    assertEquals("/tmp/new", node.request("web_stop_0").parameters().get("state"), "it does not run any more");
  }

  /// Nobody takes down what it was started with.
  @Test
  void whatIsCleanedUpWhileItIsStartedIsLookedForWithWhatItIsStartedWith() {
    node.order("start", 0, "");
    node.order("delete", 0, "");
    assertEquals(List.of("web"), node.running());
    node.tells(RunnerUnderTest.result(node.request("web_start_0"), 1, 0, ExecStatus.DONE).asForgotten());
    node.deeds();
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/new"), RunnerUnderTest.KEY);
    node.world.settle();
    assertEquals(List.of("/tmp/x"), probed());
  }

  /// Of a remote node that was taken over the executor has said with which parameters it runs; no result was heard of it here.
  @Test
  void whatAnotherControllerHasStartedIsLookedForAfterACleanUpWithWhatItWasStartedWith() {
    node.runner.presume(OLD);
    node.runner.adopt(WEB, RunnerUnderTest.DUMMY, 7, List.of());
    node.order("other", "start", 0, "");
    node.ends("other_start_0", 0);
    node.order("delete", 0, "");
    node.deeds();
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    node.ends("web_monitor_0", 0);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
  }

  @Test
  void whatWasStoppedBeforeACleanUpIsNotSuspected() {
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.order("stop", 0, "");
    node.ends("web_stop_0", 0);
    node.order("delete", 0, "");
    node.deeds();
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/new"), RunnerUnderTest.KEY);
    assertEquals(List.of("/tmp/new"), probed());
  }

  @Test
  void theFirstProbeIsRepeatedByAnotherExecutorAndStillLeadsToTheSecond() {
    node.runner.presume(OLD);
    probe();
    node.deeds();
    node.restartExecutor();
    assertEquals(List.of("/tmp/old"), probed());
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("/tmp/x"), probed());
  }

  @Test
  void theAnswerToAnEarlierRequestIsNotTakenForThatToTheNext() {
    node.runner.presume(OLD);
    probe();
    var earlier = node.request("web_monitor_0");
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/x"), "9:9:7:" + RunnerUnderTest.TERM);
    node.deeds();
    node.tells(RunnerUnderTest.result(earlier, 1, 7, ExecStatus.DONE));
    assertEquals(List.of(), node.deeds(), "nobody is told that it does not run");
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("/tmp/x"), probed());
  }

  @Test
  void aResourceUnderSuspicionIsKeptWhileItIsProbed() {
    node.runner.presume(OLD);
    probe();
    assertEquals(List.of(WEB), node.runner.knownResources());
    assertEquals(List.of(OLD), node.runner.leftRunning());
    assertEquals(List.of("web"), node.running());
  }

  @Test
  void theResultOfItsOwnProbeIsNotTakenForThatOfTheDcs() {
    var ended = new AtomicInteger();
    node.runner.look(left("/tmp/x"), ended::incrementAndGet);
    node.world.settle();
    var own = node.request("web_monitor_0");
    node.deeds();
    probe();
    assertEquals(List.of("/tmp/x"), probed());
    node.tells(RunnerUnderTest.result(own, 1, 7, ExecStatus.DONE));
    assertEquals(List.of(), node.deeds(), "it leaves no trace");
    assertEquals(1, ended.get());
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("write web_last_0 monitor 7"), written(), "the DC's answer");
  }

  // What is moved here live

  private static final LeftRunning.Resource SENT = new LeftRunning.Resource(WEB, RunnerUnderTest.DUMMY, OLD.parameters(), new NodeName("node2"));

  private void migrateFrom(String source) {
    node.order("migrate_from", 0, "CRM_meta_migrate_source=\"%s\" CRM_meta_migrate_target=\"node1\"".formatted(source));
  }

  private String asked(String key) {
    return String.valueOf(node.request(key).parameters().get("state"));
  }

  @Test
  void whatArrivesIsTakenInAsItWasSentAndStoppedSo() {
    probe();
    node.ends("web_monitor_0", 7);
    node.runner.arrives(SENT);
    assertEquals(List.of("web"), node.running(), "the next controller has to know of it");
    migrateFrom("node2");
    assertEquals("/tmp/old", asked("web_migrate_from_0"));
    assertEquals("20000", node.request("web_migrate_from_0").parameters().get("CRM_meta_timeout"));
    node.ends("web_migrate_from_0", 0);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
    node.ends("web_stop_0", 0);
    assertEquals(List.of(), node.running());
    migrateFrom("node2");
    assertEquals("/tmp/x", asked("web_migrate_from_0"), "sent by a build that does not tell with what");
  }

  /// As its history was deleted meanwhile, and the next plan takes it in once more.
  @Test
  void whatWasFoundAsItWasSentIsTakenInSo() {
    node.runner.arrives(SENT);
    migrateFrom("node2");
    node.ends("web_migrate_from_0", 0);
    node.order("delete", 0, "");
    node.deeds();
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    node.ends("web_monitor_0", 0);
    migrateFrom("node2");
    assertEquals("/tmp/old", asked("web_migrate_from_0"));
  }

  /// The executor tells of the probe from before, and the one before has kept what is to come.
  @Test
  void whatArrivesIsKnownToTheControllerThatComesAfter() {
    node.runner.presume(SENT);
    probe();
    node.ends("web_monitor_0", 7);
    node.ends("web_monitor_0", 7);
    node.order("other", "start", 0, "");
    node.ends("other_start_0", 0);
    migrateFrom("node2");
    assertEquals("/tmp/old", asked("web_migrate_from_0"));
  }

  @Test
  void whatAnotherNodeWasToSendIsNotTakenForIt() {
    node.runner.arrives(SENT);
    migrateFrom("node3");
    assertEquals("/tmp/x", asked("web_migrate_from_0"));
  }

  @Test
  void whatArrivesUnheardOfIsLookedForAndStoppedAsItWasSent() {
    probe();
    node.ends("web_monitor_0", 7); // before it was sent
    node.runner.arrives(SENT);
    node.deeds();
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    node.ends("web_monitor_0", 0);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
  }

  /// It may be on its way still.
  @Test
  void whatHasNotArrivedByAProbeIsStillTakenInAsItWasSent() {
    node.runner.arrives(SENT);
    probe();
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("/tmp/x"), probed());
    node.ends("web_monitor_0", 7);
    migrateFrom("node2");
    assertEquals("/tmp/old", asked("web_migrate_from_0"));
    node.ends("web_migrate_from_0", 1);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"), "it may have come all the same");
  }

  @Test
  void whatIsStartedAfterThatRunsWithWhatItWasStartedWith() {
    assertEquals("/tmp/x", stoppedAfterAStartThatEndsWith(0));
  }

  private String stoppedAfterAStartThatEndsWith(int rc) {
    node.runner.arrives(SENT);
    node.order("start", 0, "");
    node.ends("web_start_0", rc);
    node.order("stop", 0, "");
    return asked("web_stop_0");
  }

  /// One that was found with the parameters of the configuration is what runs, whatever was to come.
  @Test
  void whatAProbeHasFoundIsStoppedAsItWasFound() {
    node.runner.arrives(SENT);
    probe();
    node.ends("web_monitor_0", 7);
    node.ends("web_monitor_0", 0);
    node.order("stop", 0, "");
    assertEquals("/tmp/x", asked("web_stop_0"));
  }

  /// node2 as the CIB has it since its history was lost.
  private static String source(String operations) {
    return """
        <node_state id="2" uname="node2"><lrm id="2" history-lost="true"><lrm_resources>
          <lrm_resource id="web" class="ocf" provider="heartbeat" type="Dummy">%s</lrm_resource>
        </lrm_resources></lrm></node_state>
        """
        .formatted(operations);
  }

  private static String probed(int rc, int call) {
    return """
        <lrm_rsc_op id="web_last_0" operation="monitor" interval="0" call-id="%d" rc-code="%d" op-status="0"/>
        """
        .formatted(call, rc);
  }

  private boolean looksHere() {
    return node.deeds().contains("do web_monitor_0");
  }

  /// The source looks for it once it has sent it, or has not; nobody else knows that it may be at that.
  @Test
  void whatMayStillArriveIsLookedForOnceItsSourceHasBeenLookedAt() {
    node.runner.arrives(SENT);
    node.cibSays(source(""));
    probe();
    assertFalse(looksHere());
    node.cibSays(source(probed(193, -1)));
    assertFalse(looksHere());
    node.cibSays(source(probed(7, 9)));
    assertTrue(looksHere());
    assertEquals("/tmp/old", asked("web_monitor_0"));
  }

  /// The executor lets the first one end, and says that it counts for nothing.
  @Test
  void ofTwoProbesTheDcHearsAlsoWhereTheResourceIsForgottenDuringTheFirst() {
    node.runner.presume(OLD);
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    node.runner.forget(List.of(WEB), _ -> {});
    node.deeds();
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("acknowledge web_last_failure_0 monitor 1 INVALID"), node.deeds());
  }

  /// As its source was lost: the target's stop does not wait for the source's fencing where there is no plan that knows of both.
  @Test
  void whatIsStoppedBeforeItHasComeIsLookedForAsItWasSent() {
    node.runner.arrives(SENT);
    node.order("stop", 0, "");
    node.ends("web_stop_0", 0);
    node.deeds();
    probe();
    assertEquals(List.of("/tmp/old"), probed());
    node.ends("web_monitor_0", 0);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
  }

  @Test
  void whatIsStoppedAfterItWasToBeTakenInIsGone() {
    node.runner.arrives(SENT);
    migrateFrom("node2");
    node.ends("web_migrate_from_0", 1);
    node.order("stop", 0, "");
    node.ends("web_stop_0", 0);
    assertEquals(List.of(), node.running());
    probe();
    assertEquals(List.of("/tmp/x"), probed());
  }

  @Test
  void aFencedSourceSendsNothing() {
    node.runner.arrives(SENT);
    node.cibSays(source(""));
    probe();
    assertFalse(looksHere());
    node.cibSays("<node_state id='2' uname='node2'/>");
    assertTrue(looksHere());
  }

  @Test
  void aSourceWhoseHistoryIsWholeIsNotWaitedFor() {
    node.runner.arrives(SENT);
    node.cibSays("<node_state id='2' uname='node2'><lrm id='2'><lrm_resources/></lrm></node_state>");
    probe();
    assertTrue(looksHere());
  }

  /// As with `resource-discovery="never"`.
  @Test
  void aSourceWhereNobodyLooksIsNotWaitedForInVain() {
    node.runner.arrives(SENT);
    node.cibSays(source(""));
    for (var told = 0; told < 6; told++) {
      probe();
      assertFalse(looksHere());
      node.world.pass(Duration.ofSeconds(3));
      assertEquals(List.of("acknowledge web_last_failure_0 monitor 1 INVALID"), node.deeds());
    }
    probe();
    assertTrue(looksHere());
    node.ends("web_monitor_0", 7);
    node.ends("web_monitor_0", 7);
    node.deeds();
    node.runner.arrives(SENT);
    probe();
    assertFalse(looksHere(), "it is another migration");
  }

  @Test
  void whatWaitsForItsSourceIsGivenUpForWhatIsAskedNext() {
    node.runner.arrives(SENT);
    node.cibSays(source(""));
    probe();
    node.deeds();
    node.order("stop", 0, "");
    assertEquals(List.of("write web_last_0 stop 193", "acknowledge web_last_failure_0 monitor 1 INVALID", "do web_stop_0"), node.deeds());
    node.ends("web_stop_0", 0);
    node.cibSays(source(probed(7, 9)));
    assertFalse(looksHere());
  }

  /// A plan has it started only where it is not to arrive any more: what was to be sent is not what a start that fails leaves behind.
  @Test
  void whatFailsToStartAfterThatIsStoppedAsItWasStarted() {
    assertEquals("/tmp/x", stoppedAfterAStartThatEndsWith(1));
  }

  /// With what ran here before the machine was started anew it is not stopped: a probe has found that this is over.
  @Test
  void whatDoesNotRunAnyMoreIsNotStoppedInsteadOfWhatHasArrived() {
    node.runner.presume(left("/tmp/x"));
    probe();
    node.ends("web_monitor_0", 7);
    node.runner.arrives(SENT);
    migrateFrom("node2");
    node.ends("web_migrate_from_0", 1);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
  }

  @Test
  void whatDoesNotRunAnyMoreIsNotTakenForWhatArrives() {
    node.runner.presume(left("/tmp/before"));
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/before"), RunnerUnderTest.KEY);
    node.world.settle();
    node.ends("web_monitor_0", 7);
    migrateFrom("node2"); // by a build that does not tell with what
    assertEquals("/tmp/x", asked("web_migrate_from_0"));
    node.ends("web_migrate_from_0", 1);
    node.order("stop", 0, "");
    assertEquals("/tmp/x", asked("web_stop_0"));
  }

  @Test
  void whatIsOnItsWayIsNotForgottenAsItIsNotFoundYet() {
    node.runner.arrives(SENT);
    node.cibSays(
        source("<lrm_rsc_op id='web_last_0' operation='migrate_to' interval='0' call-id='-1' op-status='-1' migrate_target='node1'/>"));
    node.world.pass(Duration.ofMinutes(5));
    node.runner.look(SENT, () -> {});
    node.world.settle();
    node.ends("web_monitor_0", 7);
    node.order("stop", 0, "");
    assertEquals("/tmp/old", asked("web_stop_0"));
  }

  /// It may have been told before the CIB knows of it.
  @Test
  void whatIsNotFoundAndNotOnItsWayIsForgotten() {
    node.cibSays("");
    for (var seconds : new int[] {30, 60}) {
      node.runner.arrives(SENT);
      node.world.pass(Duration.ofSeconds(seconds));
      node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/old"), RunnerUnderTest.KEY);
      node.world.settle();
      node.ends("web_monitor_0", 7);
      assertEquals(seconds < 60 ? List.of("web") : List.of(), node.running());
    }
  }

  /// The cluster has forgotten it, and this controller is about to.
  @Test
  void whatRunsIsLookedForWithWhatItWasStartedWithAlsoBeforeItIsForgotten() {
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.deeds();
    node.runner.execute(RunnerUnderTest.action("monitor", "/tmp/new"), RunnerUnderTest.KEY);
    node.world.settle();
    assertEquals(List.of("/tmp/x"), probed());
    node.ends("web_monitor_0", 7);
    assertEquals(List.of("/tmp/new"), probed());
    node.ends("web_monitor_0", 7);
    node.runner.execute(RunnerUnderTest.action("stop", "/tmp/new"), RunnerUnderTest.KEY);
    node.world.settle();
    assertEquals("/tmp/new", asked("web_stop_0"), "it does not run any more");
  }

  /// As where a probe cannot tell, or it is to be moved elsewhere as it was changed.
  @Test
  void whatRanBeforeACleanUpIsStoppedWithWhatItWasStartedWithAlsoAfterAFailure() {
    for (var failing : List.of("monitor", "migrate_to")) {
      node.order("start", 0, "");
      node.ends("web_start_0", 0);
      node.order("delete", 0, "");
      node.runner.execute(RunnerUnderTest.action(failing, "/tmp/new"), RunnerUnderTest.KEY);
      node.world.settle();
      node.ends("web_%s_0".formatted(failing), 1);
      assertEquals(List.of("web"), node.running());
      node.runner.execute(RunnerUnderTest.action("stop", "/tmp/new"), RunnerUnderTest.KEY);
      node.world.settle();
      assertEquals("/tmp/x", asked("web_stop_0"), failing);
      node.ends("web_stop_0", 0);
      assertEquals(List.of(), node.running());
    }
  }

  @Test
  void whoHasWaitedForAnEarlierProbeIsToldOfTheNext() {
    var ended = new AtomicInteger();
    node.runner.look(OLD, ended::incrementAndGet);
    node.world.pass(Duration.ofMillis(10));
    node.runner.look(OLD, ended::incrementAndGet);
    node.world.settle();
    node.ends("web_monitor_0", 7);
    assertEquals(2, ended.get());
  }
}
