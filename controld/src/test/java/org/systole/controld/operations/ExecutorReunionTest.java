package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.operations.RunnerUnderTest.request;
import static org.systole.controld.operations.RunnerUnderTest.result;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.execd.client.ExecMessage;

final class ExecutorReunionTest {
  private final RunnerUnderTest node = new RunnerUnderTest();

  private void started() {
    node.open();
    node.order("start", 0, "");
    node.ends("web_start_0", 0);
    node.world.pass(Duration.ofSeconds(3)); // the agent is asked what it is
    node.deeds();
  }

  private void monitored() {
    started();
    node.order("monitor", 10_000, "");
    node.ends("web_monitor_10000", 0);
    node.deeds();
  }

  private List<String> deedsBut(String left) {
    return node.deeds().stream().filter(it -> !it.startsWith(left)).toList();
  }

  // This controller is new

  @Test
  void aNewControllerTakesOverWhatTheExecutorKnows() {
    var start = result(request("start", 0, 0), 31, 0, ExecStatus.DONE);
    var monitor = result(request("monitor", 10_000, 0), 32, 0, ExecStatus.DONE);
    var promote = request("promote", 0, 0);
    node.knows(List.of(start, monitor), List.of(monitor.request()), List.of(promote));

    node.open();

    assertEquals(List.of("ask for metadata", "ready"), node.deeds());
    assertEquals(List.of("web"), node.running());
    assertEquals(
        List.of("web_last_0 promote 193", "web_monitor_10000 monitor 0"),
        node.told(),
        "a new DC hears of what is under way");
    node.tells(result(promote, 40, 0, ExecStatus.DONE));
    assertTrue(
        node.deeds().stream().anyMatch(it -> it.equals("write web_last_0 promote 0")),
        "what was under way is told of when it ends");
  }

  @Test
  void aNewControllerIsReadyThoughAnAgentGivesNoMetadata() {
    node.knows(List.of(result(request("start", 0, 0), 31, 0, ExecStatus.DONE)), List.of(), List.of());
    node.answersMetadata = false;
    node.open();
    assertEquals(List.of("ask for metadata"), node.deeds());
    assertEquals(List.of(), node.running());

    node.world.pass(Duration.ofSeconds(36));

    assertEquals(List.of("ready"), node.deeds());
    assertEquals(List.of("web"), node.running());
  }

  @Test
  void callsGoOnFromTheHighestThatWasSeen() {
    node.knows(
        List.of(result(request("start", 0, 0), 31, 0, ExecStatus.DONE)),
        List.of(),
        List.of(request("stop", 0, 0)));
    node.open();
    node.deeds();
    node.known.clear();
    node.restartExecutor();
    assertTrue(node.deeds().contains("remember 40 [web_start_0]"));
  }

  @Test
  void anExecutorThatIsLostWhileItsStateIsTakenOverIsNotReady() {
    node.knows(List.of(result(request("start", 0, 0), 31, 0, ExecStatus.DONE)), List.of(), List.of());
    node.answersMetadata = false;
    node.open();
    node.executor.goes("killed");
    assertTrue(node.deeds().stream().noneMatch("ready"::equals));
    node.executor.comes();
    node.answersMetadata = true;
    node.world.pass(Duration.ofSeconds(2));
    assertTrue(node.deeds().contains("ready"));
  }

  @Test
  void anExecutorThatDoesNotAnswerIsAskedAgain() {
    var silent = new boolean[] {true};
    node.executor.script(
        (id, request) -> {
          if (request instanceof ExecMessage.StateQuery) {
            node.executor.reply(
                id,
                silent[0] ? new ExecMessage.Refused("busy") : new ExecMessage.State(List.of()));
          } else {
            node.executor.reply(id, new ExecMessage.Ok());
          }
        });
    node.open();
    node.world.pass(Duration.ofSeconds(5));
    assertEquals(List.of(), node.deeds());
    silent[0] = false;
    node.world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("ready"), node.deeds());
  }

  // The executor is new

  @Test
  void aNewExecutorIsToldWhatWasDone() {
    monitored();
    node.restartExecutor();
    assertEquals(
        List.of(
            "lost",
            "ready",
            "remember 2 [web_start_0, web_monitor_10000]",
            "do web_monitor_10000"),
        node.deeds());
  }

  @Test
  void anExecutorThatKnowsAResourceIsNotSentItsHistory() {
    monitored();
    var monitor = node.request("web_monitor_10000");
    node.knows(List.of(), List.of(monitor), List.of());
    node.restartExecutor();
    assertEquals(List.of("lost", "ready", "remember 2 []"), node.deeds());
  }

  @Test
  void aMonitorThatFindsTheSameAgainIsNotWrittenAgain() {
    monitored();
    node.restartExecutor();
    node.deeds();
    node.ends("web_monitor_10000", 0);
    assertEquals(List.of(), node.deeds());
    node.ends("web_monitor_10000", 7);
    assertTrue(node.deeds().contains("write web_last_failure_0 monitor 7"));
  }

  @Test
  void anOperationThatWasLostWithItsExecutorIsBegunAgainThreeTimesInAll() {
    started();
    node.order("stop", 0, "");
    assertEquals(1, deedsBut("write").size());
    for (var i = 0; i < 2; i++) {
      node.restartExecutor();
      assertTrue(node.deeds().contains("do web_stop_0"));
    }
    node.restartExecutor();
    var deeds = node.deeds();
    assertTrue(deeds.stream().noneMatch("do web_stop_0"::equals));
    assertTrue(deeds.contains("write web_last_failure_0 stop 1"), deeds::toString);
    assertTrue(node.world.logged("the executor ended while it ran this"));
    node.restartExecutor();
    var after = node.deeds().stream().filter(it -> it.contains("stop")).toList();
    assertTrue(after.stream().allMatch(it -> it.startsWith("remember")), "that is over");
  }

  @Test
  void whatWasLostIsBegunAgainInTheOrderAskedFor() {
    started();
    node.order("promote", 0, "");
    node.order("demote", 0, "");
    node.deeds();
    node.restartExecutor();
    assertEquals(
        List.of("do web_promote_0", "do web_demote_0"),
        node.deeds().stream().filter(it -> it.startsWith("do ")).toList());
  }

  @Test
  void aMonitorIsBegunAgainHoweverOftenTheExecutorIsLost() {
    monitored();
    for (var i = 0; i < 6; i++) {
      node.restartExecutor();
      assertTrue(node.deeds().contains("do web_monitor_10000"));
    }
  }

  @Test
  void aMigrationIsNeverRepeated() {
    started();
    node.order("migrate_to", 0, "CRM_meta_migrate_source=\"node1\" CRM_meta_migrate_target=\"b\"");
    node.deeds();
    node.restartExecutor();
    var deeds = node.deeds();
    assertTrue(deeds.stream().noneMatch("do web_migrate_to_0"::equals));
    assertTrue(deeds.stream().anyMatch(it -> it.startsWith("write") && it.endsWith("to 1")));
  }

  @Test
  void anOperationTheExecutorStillRunsIsNotAskedForAgain() {
    started();
    node.order("stop", 0, "");
    node.deeds();
    node.knows(List.of(), List.of(), List.of(node.request("web_stop_0")));
    node.restartExecutor(); // only the connection was lost
    assertEquals(List.of("lost", "ready", "remember 2 []"), node.deeds());
    node.ends("web_stop_0", 0);
    assertEquals(List.of("write web_last_0 stop 0"), node.deeds());
  }

  @Test
  void aResultThatCameWhileNobodyListenedIsTakenFromTheExecutor() {
    started();
    node.order("stop", 0, "");
    node.deeds();
    node.knows(
        List.of(result(node.request("web_stop_0"), 2, 0, ExecStatus.DONE)), List.of(), List.of());
    node.restartExecutor();
    assertEquals(
        List.of("lost", "write web_last_0 stop 0", "ready", "remember 2 []"), node.deeds());
    assertEquals(List.of(), node.running());
  }

  @Test
  void theResultOfAnotherPlanIsNotTakenForThisOne() {
    started();
    node.order("stop", 0, "");
    node.deeds();
    var other = request("stop", 0, 0).under("9:9:0:00000000-0000-0000-0000-000000000000");
    node.knows(List.of(result(other, 2, 0, ExecStatus.DONE)), List.of(), List.of(other));
    node.restartExecutor();
    assertTrue(node.deeds().contains("do web_stop_0"));
  }

  @Test
  void aResultOfAMonitorThatCameMeanwhileIsTakenAndTheMonitorStays() {
    monitored();
    var monitor = node.request("web_monitor_10000");
    node.knows(List.of(result(monitor, 3, 7, ExecStatus.DONE)), List.of(monitor), List.of());
    node.restartExecutor();
    var deeds = node.deeds();
    assertTrue(deeds.contains("write web_last_failure_0 monitor 7"), deeds::toString);
    assertTrue(deeds.stream().noneMatch("do web_monitor_10000"::equals));
  }

  @Test
  void aCancellationIsAskedForAgainIfTheMonitorStillRecurs() {
    monitored();
    node.cancellable.add("web_monitor_10000");
    node.order("cancel", 10_000, "CRM_meta_operation=\"monitor\"");
    var monitor = node.request("web_monitor_10000");
    node.knows(List.of(), List.of(monitor), List.of());
    node.deeds();
    node.restartExecutor();
    assertTrue(node.deeds().contains("cancel"));
    node.ends("web_monitor_10000", 0, ExecStatus.CANCELLED);
    assertTrue(node.deeds().contains("acknowledge web_last_0 cancel 0 DONE"));
  }

  @Test
  void aMonitorThatWasToBeCancelledIsGoneWithItsExecutor() {
    monitored();
    node.cancellable.add("web_monitor_10000");
    node.order("cancel", 10_000, "CRM_meta_operation=\"monitor\"");
    node.deeds();
    node.restartExecutor();
    var deeds = node.deeds();
    assertTrue(deeds.contains("acknowledge web_last_0 cancel 0 DONE"), deeds::toString);
    assertTrue(deeds.stream().noneMatch("do web_monitor_10000"::equals));
  }

  @Test
  void anOrderWhileTheExecutorIsAwayIsCarriedOutWhenItIsBack() {
    started();
    node.executor.goes("killed");
    node.order("monitor", 10_000, "");
    assertTrue(node.deeds().stream().noneMatch(it -> it.startsWith("do ")));
    node.executor.comes();
    node.world.pass(Duration.ofSeconds(2));
    assertEquals(1, node.deeds().stream().filter("do web_monitor_10000"::equals).count());
  }

  @Test
  void metadataThatComesLateBeginsNothingTwice() {
    node.open();
    node.answersMetadata = false;
    node.order("start", 0, ""); // waits for the metadata
    node.answersMetadata = true;
    node.restartExecutor();
    assertEquals(1, node.deeds().stream().filter("do web_start_0"::equals).count());
  }

  @Test
  void aResultOfAnEarlierControllersRequestIsWrittenToo() {
    node.open();
    var foreign =
        OperationRequest.of(
            new ResourceId("web"),
            RunnerUnderTest.DUMMY,
            new OperationName("monitor"),
            0,
            Map.of(),
            request("monitor", 0, 7).transitionKey());
    node.deeds();
    node.tells(result(foreign, 5, 7, ExecStatus.DONE));
    assertEquals(List.of("alert", "write web_last_0 monitor 7"), node.deeds());
  }
}
