package org.systole.pacemakerd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.layout.Layout;
import org.systole.common.world.ClusterAccount;
import org.systole.controld.client.CtlMessage;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.schedulerd.client.SchedulerMessage;

class SupervisorTest {
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Layout LAYOUT =
      new Layout(Path.of("/sim/node1"), Path.of("/usr/share"));

  private final FakeHost host =
      new FakeHost(
          Map.of(
              "cibd", CibMessage.SOCKET,
              "fenced", FenceMessage.SOCKET,
              "execd", ExecMessage.SOCKET,
              "attrd", AttrMessage.SOCKET,
              "schedulerd", SchedulerMessage.SOCKET,
              "controld", CtlMessage.SOCKET));
  private final Map<String, String> environment = new LinkedHashMap<>();
  private boolean stopped;

  /// A node that has been up for a minute, in a tree of its own.
  private Supervisor up() {
    return up(new Layout(Path.of("/sim/node1"), Path.of("/usr/share")));
  }

  private Supervisor up(Layout layout) {
    environment.put("PATH", "/bin");
    var supervisor = new Supervisor(host, layout, environment, () -> stopped = true);
    supervisor.start();
    answer();
    host.pass(Duration.ofMinutes(1));
    return supervisor;
  }

  /// From now on all running daemons answer.
  private void answer() {
    host.runs.forEach(it -> it.answers = true);
  }

  private void pass(long seconds) {
    host.pass(Duration.ofSeconds(seconds));
  }

  private FakeHost.Run newest(String name) {
    return host.newest(name);
  }

  @Test
  void theDaemonsAreStartedInOrderWithTheSupervisorsEnvironment() {
    var supervisor = up();
    assertEquals(DAEMONS, host.running());
    assertEquals(Supervisor.State.RUNNING, supervisor.state());
    for (var run : host.runs) {
      assertEquals(List.of("/usr/libexec/systole/" + run.name), run.program.command());
      assertEquals(environment, run.program.environment());
      assertTrue(run.program.isDaemon());
    }
  }

  @Test
  void theServiceManagerHearsThatTheNodeIsUpOnceAllDaemonsAnswerAndThatItStops() {
    var supervisor = new Supervisor(host, LAYOUT, environment, () -> stopped = true);
    supervisor.start();
    pass(5);
    host.runs.stream().skip(1).forEach(it -> it.answers = true);
    pass(5);
    assertEquals(List.of(), host.told, "cibd does not answer");
    answer();
    pass(5);
    assertEquals(List.of("READY=1\nSTATUS=Running"), host.told);
    supervisor.stop();
    assertTrue(host.told.getLast().startsWith("STOPPING=1\n"), host.told::toString);
    pass(60);
    assertEquals(2, host.told.size());
  }

  @Test
  void aDaemonThatDoesNotAnswerDoesNotHoldUpTheMachinesStart() {
    new Supervisor(host, LAYOUT, environment, () -> stopped = true).start();
    pass(60);
    assertEquals(1, host.told.size());
    assertTrue(host.told.getFirst().startsWith("READY=1\n"), host.told::toString);
    assertTrue(host.told.getFirst().contains("not all daemons answer"), host.told::toString);
  }

  @Test
  void allDaemonsAndLaterOnesAreToldWhoseDebuggingMessagesAreWanted() {
    var supervisor = up();
    assertEquals("", newest("attrd").program.input());
    supervisor.setDebug("attrd\ncontrold");
    assertEquals("attrd,controld", host.debug, "one line, whatever a client sends");
    for (var run : host.runs) {
      assertEquals(List.of("debug attrd,controld"), run.heard, run.name);
    }
    newest("attrd").exit(1, 0);
    pass(1);
    assertEquals("debug attrd,controld\n", newest("attrd").program.input());
    supervisor.setDebug("default");
    newest("cibd").exit(1, 0);
    pass(1);
    assertEquals("", newest("cibd").program.input());
  }

  @Test
  void theInstallationIsFoundWhereTheEnvironmentSays() {
    environment.put(Layout.HOME, "/opt/systole");
    up();
    assertEquals(List.of("/opt/systole/libexec/systole/cibd"), newest("cibd").program.command());
  }

  @Test
  void daemonsThatDoNotNeedRootRunAsTheClustersUser() {
    environment.put(ClusterAccount.VARIABLE, ClusterAccount.USER);
    up();
    for (var run : host.runs) {
      var own = List.of("/usr/libexec/systole/" + run.name);
      var asAccount = ClusterAccount.SETPRIV.stream().map(it -> ClusterAccount.as(it, own)).toList();
      var asRoot = List.of("fenced", "execd").contains(run.name);
      assertEquals(asRoot ? List.of(own) : asAccount, run.commands, run.name);
    }
  }

  @Test
  void aDaemonThatEndsIsStartedAgainAtOnceAndTheOthersRunOn() {
    up();
    newest("execd").exit(1, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(2, host.starts("execd"));
    assertEquals(
        List.of("cibd", "fenced", "attrd", "schedulerd", "controld", "execd"), host.running());
  }

  @Test
  void howADaemonEndedIsToldInWords() {
    up();
    newest("execd").exit(137, 9);
    newest("attrd").exit(1, 0);
    host.pass(Duration.ofMillis(1));
    for (var said :
        List.of(
            "execd ended by itself (killed by signal 9 after 0ms); starting it again",
            "attrd ended by itself (exit status 1 after 0ms); starting it again")) {
      assertTrue(host.log.contains("ERROR " + said), () -> "" + host.log);
    }
  }

  @Test
  void aDaemonThatEndsRightAfterItsStartIsGivenHalfASecond() {
    up();
    newest("attrd").exit(0, 11);
    host.pass(Duration.ofMillis(1));
    newest("attrd").exit(0, 11);
    host.pass(Duration.ofMillis(498));
    assertEquals(2, host.starts("attrd"));
    host.pass(Duration.ofMillis(2));
    assertEquals(3, host.starts("attrd"));
  }

  @Test
  void aDaemonThatEndsForTheHundredAndFirstTimeStaysDown() {
    up();
    for (var times = 1; times <= 101; times++) {
      assertTrue(newest("attrd").isRunning(), "after %d ends".formatted(times - 1));
      newest("attrd").exit(1, 0);
      pass(3);
    }
    assertFalse(newest("attrd").isRunning());
    assertEquals(101, host.starts("attrd"));
    assertTrue(host.log.contains("CRITICAL attrd ended more than 100 times; it stays down"));
  }

  @Test
  void endsOfADaemonThatLivedForHoursInBetweenDoNotAddUp() {
    up();
    for (var times = 1; times <= 60; times++) {
      newest("attrd").exit(1, 0);
      pass(3);
    }
    answer();
    pass(3601);
    for (var times = 1; times <= 100; times++) {
      assertTrue(newest("attrd").isRunning(), "after %d more ends".formatted(times - 1));
      newest("attrd").exit(1, 0);
      pass(3);
    }
    assertTrue(newest("attrd").isRunning());
    newest("attrd").exit(1, 0);
    pass(3);
    assertFalse(newest("attrd").isRunning());
  }

  @Test
  void onlyTheFirstControllerHearsInWhichStateTheNodeIsToStart() {
    environment.put("PCMK_node_start_state", "standby");
    up();
    assertEquals("standby", newest("controld").program.environment().get("PCMK_node_start_state"));
    newest("controld").exit(1, 0);
    pass(1);
    assertNull(newest("controld").program.environment().get("PCMK_node_start_state"));
  }

  @Test
  void aDaemonThatCannotBeStartedIsTriedAgainAndTheNodeStaysUp() {
    environment.put("PCMK_node_start_state", "standby");
    host.cannotStart.put("controld", 40);
    var supervisor = up();
    assertEquals(0, host.starts("controld"));
    assertEquals(Supervisor.State.RUNNING, supervisor.state());
    assertTrue(
        host.log.contains(
            "ERROR Cannot start controld (attempt 1): Resource temporarily unavailable"));

    pass(21);

    assertEquals(1, host.starts("controld"));
    assertEquals(
        "standby",
        newest("controld").program.environment().get("PCMK_node_start_state"),
        "it is the first one that runs");
    assertEquals(0, supervisor.status());
  }

  @Test
  void aDaemonThatEndedAndCannotBeStartedAgainAtOnceComesBack() {
    up();
    host.cannotStart.put("cibd", 3);
    newest("cibd").exit(0, 9);
    pass(5);
    assertEquals(1, host.starts("cibd"));
    pass(2);
    assertEquals(2, host.starts("cibd"));
    assertFalse(stopped);
  }

  @Test
  void aControllerThatCannotBeStartedWhileTheNodeLeavesIsWaitedFor() {
    var supervisor = up();
    newest("controld").exit(1, 0);
    host.cannotStart.put("controld", 10);
    host.pass(Duration.ofMillis(1));
    supervisor.stop();
    pass(10); // two reasons to try do not make it try more often
    assertEquals(List.of("cibd", "fenced", "execd", "attrd", "schedulerd"), host.running());

    pass(15);
    answer();
    pass(40);

    assertEquals(2, host.starts("controld"));
    assertEquals(1, newest("controld").terminated, "it has the resources moved away");
    assertTrue(stopped);
  }

  @Test
  void aNodeWhoseControllerCanNeverBeStartedStopsInTheEnd() {
    var supervisor = up();
    newest("controld").exit(1, 0);
    host.cannotStart.put("controld", 1000);
    host.pass(Duration.ofMillis(1));
    supervisor.stop();
    pass(100);
    assertFalse(stopped);
    pass(100);
    assertTrue(stopped);
    assertEquals(List.of(), host.running());
    assertTrue(host.log.contains("CRITICAL The node stops without moving its resources away"));
  }

  @Test
  void aDaemonThatCannotGoOnShutsTheNodeDown() {
    var supervisor = up();
    newest("fenced").exit(100, 0);
    pass(1);
    assertTrue(stopped);
    assertEquals(100, supervisor.status());
    assertEquals(1, newest("controld").terminated);
    assertEquals(1, host.starts("fenced"), "it is not needed while the node stops at once");
  }

  @Test
  void aControllerThatCannotGoOnIsNotStartedToLeave() {
    var supervisor = up();
    newest("controld").exit(100, 0);
    pass(1);
    assertTrue(stopped);
    assertEquals(1, host.starts("controld"));
    assertEquals(100, supervisor.status());
  }

  @Test
  void aPanicKillsAllAndRebootsTheMachine() {
    up(new Layout(Path.of("/"), Path.of("/usr/share")));
    newest("controld").exit(101, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(List.of("reboot"), host.running());
    assertEquals(
        List.of("/usr/sbin/reboot", "--force", "--force"), newest("reboot").program.command());
    assertNull(host.exited);
    newest("reboot").exit(0, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(101, host.exited);
  }

  @Test
  void aPanicGoesAsTheHostsOptionSaysAndRebootsWhereThatFails() {
    environment.put("PCMK_panic_action", "sync-crash");
    up(new Layout(Path.of("/"), Path.of("/usr/share")));
    newest("controld").exit(101, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(List.of("sync"), host.running());
    newest("sync").exit(0, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(List.of("/usr/bin/tee", "/proc/sysrq-trigger"), newest("tee").program.command());
    assertEquals("c", newest("tee").program.input());
    newest("tee").exit(1, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(List.of("reboot"), host.running());
    assertNull(host.exited);
  }

  @Test
  void aPanicOfOneOfSeveralNodesOnAMachineEndsThatNodeOnly() {
    up();
    newest("cibd").exit(101, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(101, host.exited);
    assertEquals(List.of(), host.running());
  }

  @Test
  void withFailFastTheEndOfADaemonIsAPanic() {
    environment.put("PCMK_fail_fast", "true");
    up();
    newest("attrd").exit(1, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(101, host.exited);
  }

  @Test
  void withFailFastWhatCannotBeStartedIsTriedAgainAllTheSame() {
    environment.put("PCMK_fail_fast", "yes");
    host.cannotStart.put("attrd", 2);
    up();
    assertNull(host.exited);
    assertEquals(1, host.starts("attrd"));
  }

  @Test
  void aPanicWhileTheNodeStopsIsAPanic() {
    var supervisor = up();
    newest("controld").obeys = false;
    supervisor.stop();
    newest("controld").exit(101, 0);
    host.pass(Duration.ofMillis(1));
    assertEquals(101, host.exited);
  }

  @Test
  void theDaemonsAreStoppedInReverseOrderOneAfterTheOther() {
    var supervisor = up();
    host.runs.forEach(it -> it.obeys = false);
    supervisor.stop();
    assertEquals(Supervisor.State.STOPPING, supervisor.state());
    for (var name : DAEMONS.reversed()) {
      pass(1);
      var asked = host.runs.stream().filter(it -> it.terminated > 0 && it.isRunning());
      assertEquals(List.of(name), asked.map(it -> it.name).toList());
      newest(name).exit(0, 0);
    }
    assertFalse(stopped);
    pass(1);
    assertTrue(stopped);
    assertEquals(Supervisor.State.STOPPED, supervisor.state());
    assertEquals(0, supervisor.status());
  }

  @Test
  void stoppingTwiceIsStoppingOnce() {
    var supervisor = up();
    newest("controld").obeys = false;
    supervisor.stop();
    supervisor.stop();
    pass(1);
    assertEquals(1, newest("controld").terminated);
  }

  @Test
  void theControllerHasTwentyMinutesToLeaveAndIsKilledThen() {
    var supervisor = up();
    newest("controld").obeys = false;
    supervisor.stop();
    pass(20 * 60 - 1);
    assertFalse(newest("controld").killed);
    pass(2);
    assertTrue(newest("controld").killed);
    assertEquals(1, host.starts("controld"), "a second one would need as long");
    assertTrue(stopped);
  }

  @Test
  void anotherDaemonHasHalfAMinuteToStop() {
    var supervisor = up();
    newest("execd").obeys = false;
    supervisor.stop();
    pass(29);
    assertFalse(newest("execd").killed);
    assertEquals(List.of("cibd", "fenced", "execd"), host.running());
    pass(2);
    assertTrue(newest("execd").killed);
    assertTrue(stopped);
  }

  @Test
  void aControllerThatDiesWhileLeavingIsStartedAgainToLeave() {
    var supervisor = up();
    newest("controld").obeys = false;
    supervisor.stop();
    for (var death = 1; death <= 2; death++) {
      newest("controld").exit(0, 11);
      pass(1);
      assertEquals(death + 1, host.starts("controld"));
      newest("controld").obeys = false;
      assertEquals(0, newest("controld").terminated, "the signal would end one that is starting");
      answer();
      pass(4);
      assertEquals(1, newest("controld").terminated);
    }
    newest("controld").exit(0, 11);
    pass(1);
    assertEquals(3, host.starts("controld"));
    assertTrue(stopped, "it was started three times");
  }

  @Test
  void aControllerThatNeverAnswersIsToldToLeaveAfterHalfAMinute() {
    var supervisor = up();
    newest("controld").exit(1, 0);
    host.pass(Duration.ofMillis(1));
    newest("controld").obeys = false;
    supervisor.stop();
    pass(29);
    assertEquals(0, newest("controld").terminated);
    pass(2);
    assertEquals(1, newest("controld").terminated);
  }

  @Test
  void aDaemonTheLeavingControllerNeedsIsStartedAgain() {
    var supervisor = up();
    newest("controld").obeys = false;
    supervisor.stop();
    newest("execd").exit(0, 9);
    pass(1);
    assertEquals(2, host.starts("execd"));
  }

  @Test
  void aDaemonThatEndsBeforeItsTurnIsNotStartedAgainOnceTheControllerHasLeft() {
    var supervisor = up();
    newest("schedulerd").obeys = false;
    supervisor.stop();
    pass(1);
    newest("cibd").exit(1, 0);
    pass(1);
    assertEquals(1, host.starts("cibd"));
    newest("schedulerd").exit(0, 0);
    pass(1);
    assertTrue(stopped);
  }

  @Test
  void aDaemonThatDoesNotAnswerForTwentySecondsIsKilledAndStartedAgain() {
    up();
    newest("cibd").answers = false;
    pass(19);
    assertFalse(newest("cibd").killed);
    pass(8);
    assertTrue(host.runs.getFirst().killed);
    assertEquals(2, host.starts("cibd"));
    assertTrue(host.log.contains("ERROR cibd does not answer any more; killing it"));
  }

  @Test
  void aDaemonThatHasSaidHowLongItIsBusyIsWaitedForThatMuchLonger() {
    up();
    newest("schedulerd").answers = false;
    newest("schedulerd").announce(Duration.ofMinutes(2));
    pass(139);
    assertEquals(1, host.starts("schedulerd"));
    pass(6);
    assertEquals(2, host.starts("schedulerd"));
  }

  @Test
  void anAnswerEndsWhatWasAnnounced() {
    up();
    newest("schedulerd").announce(Duration.ofMinutes(2));
    pass(4);
    newest("schedulerd").answers = false;
    pass(27);
    assertEquals(2, host.starts("schedulerd"));
  }

  @Test
  void aDaemonThatHasNeverAnsweredIsGivenThreeMinutes() {
    up();
    newest("fenced").exit(1, 0);
    pass(170);
    assertEquals(2, host.starts("fenced"));
    pass(12);
    assertEquals(3, host.starts("fenced"));
  }

  @Test
  void aSupervisorThatStoodStillItselfKillsNoDaemon() {
    up();
    host.stall(Duration.ofMinutes(5));
    pass(10);
    assertEquals(6, host.runs.size());
  }

  @Test
  void theDaemonsAreAskedEveryThreeSecondsInOneTurn() {
    up();
    var before = host.nanoTime();
    newest("cibd").answers = false;
    newest("execd").answers = false;
    while (host.starts("cibd") == 1 && host.nanoTime() - before < Duration.ofMinutes(1).toNanos()) {
      host.pass(SECOND);
    }
    assertEquals(host.newest("cibd").at, host.newest("execd").at);
  }
}
