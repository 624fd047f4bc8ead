package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Two nodes and a quorum device, Debian's own.
final class DeviceScenarios {
  private static final int TOKENS = 6;

  private DeviceScenarios() {}

  static List<Scenario> all() {
    return List.of(
        of("device-kill-leader", "of two nodes with a device, the leader dies", it -> kill(it, true)),
        of("device-kill-other", "the other one does", it -> kill(it, false)),
        of("device-hang-leader", "the leader stands still", it -> hang(it, true)),
        of("device-hang-other", "the other one does", it -> hang(it, false)),
        of("device-cut", "the two are cut apart; both reach the device", DeviceScenarios::cut),
        of(
            "device-cut-off-leader",
            "the leader reaches neither the other nor the device",
            it -> cutOff(it, true)),
        of("device-cut-off-other", "the other one reaches neither", it -> cutOff(it, false)),
        of("device-lost", "the device is lost, and comes back", DeviceScenarios::lost),
        of("device-line", "one node's line to the device is cut", DeviceScenarios::line));
  }

  private static Scenario of(String name, String about, Scenario.Story story) {
    return new Scenario(
        name,
        about,
        Shape.DEVICE,
        false,
        run -> {
          awaitVotes(run);
          story.tell(run);
        });
  }

  private static LocalNode victim(Run run, boolean leads) throws IOException {
    var leader = run.lab().node(run.leader());
    return run.loaded(leads ? leader : run.lab().otherThan(leader.name()));
  }

  private static void kill(Run run, boolean leads) throws IOException {
    var victim = victim(run, leads);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    recovers(run, victim);
  }

  private static void hang(Run run, boolean leads) throws IOException {
    var victim = victim(run, leads);
    run.mustFence(victim);
    run.fault(() -> LabProcesses.freeze(victim));
    recovers(run, victim);
  }

  private static void recovers(Run run, LocalNode victim) {
    var others = run.others(victim);
    run.awaitDetection(others.getFirst(), victim);
    run.awaitRecovery(others);
  }

  /// The tie breaker is the lowest id, but who held the vote last may keep it: either may win.
  private static void cut(Run run) throws IOException {
    var one = run.lab().nodes().getFirst();
    var other = run.lab().nodes().getLast();
    run.mayFence(one);
    run.mayFence(other);
    run.fault(() -> run.lab().network().cut(Run.id(one), Run.id(other)));
    run.await(
        "fenced",
        "one of the two fenced",
        () -> isFenced(run, one) || isFenced(run, other));
    LabFailure.unless(
        !(isFenced(run, one) && isFenced(run, other)), "both nodes were fenced after a cut");
    var winner = isFenced(run, one) ? other : one;
    run.note(winner.name() + " has the vote");
    run.awaitRecovery(List.of(winner));
    run.lab().network().heal();
  }

  private static void cutOff(Run run, boolean leads) throws IOException {
    var victim = victim(run, leads);
    run.mustFence(victim);
    run.fault(() -> run.lab().network().partition(List.of(Run.id(victim))));
    recovers(run, victim);
    run.lab().network().heal();
  }

  private static void lost(Run run) throws IOException {
    run.fault(() -> run.lab().qnetd().kill());
    var patience = run.patience(TOKENS * run.lab().shape().tokenMillis());
    run.await("looked", "time enough for something to happen", patience);
    run.nothingHappened();
    run.lab().qnetd().start();
    awaitVotes(run);
    run.reached("votes again");
    run.nothingHappened();
  }

  private static void line(Run run) throws IOException {
    var one = run.lab().nodes().getFirst();
    run.fault(() -> run.lab().network().cut(Run.id(one), run.lab().deviceId()));
    var patience = run.patience(TOKENS * run.lab().shape().tokenMillis());
    run.await("looked", "time enough for something to happen", patience);
    run.nothingHappened();
    run.lab().network().heal();
    awaitVotes(run);
    run.reached("votes again");
    run.nothingHappened();
  }

  private static void awaitVotes(Run run) {
    Lab.awaitProcess(
        "both nodes have the device's vote",
        () -> run.lab().nodes().stream().allMatch(DeviceScenarios::hasVote));
  }

  /// As the node itself says: two members that are connected and have it.
  private static boolean hasVote(LocalNode node) {
    try {
      var said = node.run("corosync-quorumtool", "-s").output();
      return said.lines().filter(it -> it.contains(" A,V,NMW ")).count() == 2;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isFenced(Run run, LocalNode node) {
    try {
      return run.lab().evidence().fenced(run.since()).containsKey(node.name());
    } catch (IOException e) {
      return false;
    }
  }
}
