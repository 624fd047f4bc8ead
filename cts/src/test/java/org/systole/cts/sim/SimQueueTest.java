package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SimQueueTest {
  private static final long SECOND = 1_000_000_000L;

  private final SimCluster cluster = new SimCluster(5, 1);
  private final SimQueue queue = cluster.queue();
  private final SimProcess process =
      new SimProcess(cluster.node("node1"), "controld", cluster.nextPid());
  private final List<String> happened = new ArrayList<>();

  @Test
  void whatFellDueWhileAProcessStoodStillHappensInOrderWhenItGoesOn() {
    process.stop();
    queue.after(SECOND, process, () -> happened.add("first"));
    queue.after(2 * SECOND, process, () -> happened.add("second"));
    cluster.run(Duration.ofSeconds(3));
    assertEquals(List.of(), happened);

    process.goOn();
    queue.after(0, process, () -> happened.add("later"));
    cluster.run(Duration.ofSeconds(1));
    assertEquals(List.of("first", "second", "later"), happened);
  }

  /// As with the real loop: a timer that is due, and is cancelled by what the process does before, does not fire.
  @Test
  void whatFellDueWhileAProcessStoodStillCanBeCancelledByWhatHappensBefore() {
    process.stop();
    var timers = new ArrayList<SimQueue.Event>();
    queue.after(SECOND, process, () -> timers.getFirst().cancel());
    timers.add(queue.after(2 * SECOND, process, () -> happened.add("cancelled")));
    cluster.run(Duration.ofSeconds(3));

    process.goOn();
    cluster.run(Duration.ofSeconds(1));
    assertEquals(List.of(), happened);
  }

  /// Each question has a timer that is cancelled by its answer, long before it is due.
  @Test
  void whatIsCancelledIsNotKeptUntilItWouldBeDueAndTheRestHappensInOrder() {
    var expected = new ArrayList<String>();
    for (var at = 0; at < 20_000; at++) {
      var name = "at " + (at * 7919 % 5000) + ", asked for as number " + at;
      var event = queue.after(SECOND + at * 7919 % 5000, () -> happened.add(name));
      if (at % 10 == 0) {
        expected.add(name);
      } else {
        event.cancel();
      }
    }
    assertTrue(queue.kept() < 6_000, () -> queue.kept() + " are kept");

    cluster.run(Duration.ofSeconds(2));
    expected.sort(Comparator.comparingInt(it -> Integer.parseInt(it.split("[ ,]")[1])));
    assertEquals(expected, happened);
  }

  /// What a fault does a minute later would come over a cluster that has been cleaned up and is at rest.
  @Test
  void whatFaultsWouldDoLaterIsLeftOutOnceTheyHaveEnded() {
    var live = RealDaemons.cluster(1, 3);
    live.loadCib(SimCibs.standard(3));
    live.powerOnAll();
    assertTrue(live.settle(Duration.ofMinutes(2)), live.unsettled()::toString);
    live.queue().strike(SECOND, () -> happened.add("before"));
    live.queue().strike(50 * SECOND, () -> happened.add("a strike"));
    live.queue().after(50 * SECOND, () -> happened.add("a remedy"));
    live.run(Duration.ofSeconds(2));

    var promises = new SimPromises(live);
    SimRun.end(live, promises, new SimChanges(live, promises), new SimRoleChanges(live));
    live.run(Duration.ofMinutes(1));
    assertEquals(List.of("before", "a remedy"), happened);
    assertEquals(List.of(), live.failures());
  }

  /// A fencing that hung strikes when the faults are over, and nobody but people would switch the machine on again.
  @Test
  void whatTheClusterSwitchesOffAfterTheFaultsIsSwitchedOnAgain() {
    var live = RealDaemons.cluster(1, 3);
    live.addHost("far1");
    var remote = new SimOptions(Map.of(), true, false, false, false, Map.of(), 1);
    live.loadCib(SimCibs.random(3, Map.of("fencing-action", "off"), remote));
    live.powerOnAll();
    assertTrue(live.settle(Duration.ofMinutes(2)), live.unsettled()::toString);
    for (var node : live.nodes()) {
      node.agentFault("fence_sim", "off", List.of("takes", "PT58S"));
    }
    var host = live.node("far1");
    host.powerOff();
    assertTrue(
        live.runUntil(
            () -> live.trace().lines().stream().anyMatch(it -> it.contains("fence_sim   off")),
            Duration.ofMinutes(1)),
        live.trace()::toString);

    var promises = new SimPromises(live);
    SimRun.end(live, promises, new SimChanges(live, promises), new SimRoleChanges(live));
    assertTrue(live.trace().changes().stream().anyMatch(it -> it.startsWith("far1 fenced by ")));
    assertTrue(host.isRunning());
    assertEquals(List.of(), live.failures());
  }
}
