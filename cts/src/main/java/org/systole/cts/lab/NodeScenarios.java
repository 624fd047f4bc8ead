package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Nodes that die, hang or lose their supervisor.
final class NodeScenarios {
  private static final int SLOW_FENCING_SECONDS = 8;
  private static final int STALLS = 3;

  /// Of the token time the last quarter or more is left to go on in, on a machine with little to spare.
  private static final Shape SLOW = new Shape(3, 6000, List.of(), "0s");

  private NodeScenarios() {}

  static List<Scenario> all() {
    return List.of(
        Scenario.of("kill-dc", "the DC loses its power", it -> kill(it, true)),
        Scenario.of("kill-node", "another node loses its power", it -> kill(it, false)),
        Scenario.of("hang-dc", "all processes of the DC stand still", it -> hang(it, true)),
        Scenario.of("hang-node", "those of another node do", it -> hang(it, false)),
        Scenario.of("hang-dc-wakes", "a hung DC goes on before it is fenced", it -> wake(it, true)),
        Scenario.of("hang-node-wakes", "another node does", it -> wake(it, false)),
        new Scenario(
            "leader-stalls",
            "the one that leads the membership stands still for less than the token time",
            SLOW,
            false,
            NodeScenarios::stall),
        Scenario.of(
            "kill-pacemakerd-on-dc", "the DC's supervisor is killed", it -> supervisor(it, true)),
        Scenario.of("kill-pacemakerd-elsewhere", "another node's is", it -> supervisor(it, false)));
  }

  private static void kill(Run run, boolean dc) throws IOException {
    var victim = run.victim(dc);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim); // so that none starts another
    run.fault(() -> powerOff(run, victim, processes));
    recovers(run, victim.name());
  }

  static void powerOff(Run run, LocalNode node, List<Long> processes) throws IOException {
    LabProcesses.kill(processes);
    run.lab().evidence().dead(node.name());
  }

  private static void hang(Run run, boolean dc) throws IOException {
    var victim = run.victim(dc);
    run.mustFence(victim);
    run.fault(() -> LabProcesses.freeze(victim));
    recovers(run, victim.name());
  }

  private static void recovers(Run run, String name) {
    var victim = run.lab().node(name);
    var others = run.others(victim);
    run.awaitDetection(others.getFirst(), victim);
    run.awaitRecovery(others);
  }

  /// The others have decided to fence it, but that takes a while: what it does meanwhile counts.
  /// Either it is a member again before the power goes, and its fencing is given up because what
  /// runs there can be asked again; or the power was quicker. In both cases nothing is active twice.
  private static void wake(Run run, boolean dc) throws IOException {
    var victim = run.victim(dc);
    var witness = run.others(victim).getFirst();
    var evidence = run.lab().evidence();
    run.mayFence(victim);
    evidence.delayFencing(SLOW_FENCING_SECONDS);
    run.fault(() -> LabProcesses.freeze(victim));
    try {
      run.awaitDetection(witness, victim);
      run.await("fencing begun", "the begin of a fencing", () -> hasBegun(run, victim.name()));
      LabProcesses.thaw(victim);
      run.await(
          "back",
          witness,
          witness.name() + " sees " + victim.name() + " come back",
          it -> it.online().contains(victim.name()));
      run.awaitRecovery(run.lab().nodes());
    } finally {
      evidence.delayFencing(0);
    }
  }

  private static boolean hasBegun(Run run, String victim) {
    try {
      return run.lab().evidence().fencings(run.since()).stream()
          .anyMatch(it -> it.target().equals(victim));
    } catch (IOException e) {
      return false;
    }
  }

  /// Quorum lapses, and is back: nothing may be stopped for want of it. The DC is to be another node, which is left to plan.
  private static void stall(Run run) throws IOException {
    var leader = run.lab().node(run.leader());
    while (run.dc().equals(leader.name())) {
      run.touch(leader, "controld");
      LabProcesses.only(leader, "controld").destroyForcibly();
      run.lab().await("another DC than " + leader.name(), it -> it.dc() != null && !it.dc().equals(leader.name()));
      Health.await(run.lab());
    }
    var dc = run.lab().node(run.dc());
    for (var stall = 1; stall <= STALLS; stall++) {
      var lapses = LabLogs.lapses(dc);
      run.fault(() -> LabProcesses.freeze(leader));
      try {
        run.await("lapsed", "the end of the quorum on " + dc.name(), () -> LabLogs.lapses(dc) > lapses);
      } finally {
        LabProcesses.thaw(leader);
      }
      run.await("quorum", "the return of the quorum on " + dc.name(), () -> LabLogs.isQuorate(dc));
      Health.await(run.lab());
      run.nothingHappened();
    }
  }

  /// Nobody starts it again, so the node must go down as a whole and be fenced.
  private static void supervisor(Run run, boolean dc) throws IOException {
    var victim = run.victim(dc);
    run.mustFence(victim);
    var before = victim.processes();
    run.fault(() -> LabProcesses.only(victim, "pacemakerd").destroyForcibly());
    run.await(
        "all its processes gone",
        "the end of all processes of " + victim.name(),
        () -> before.stream().noneMatch(ProcessHandle::isAlive));
    recovers(run, victim.name());
  }
}
