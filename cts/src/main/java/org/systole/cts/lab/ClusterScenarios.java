package org.systole.cts.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.systole.cts.local.LocalNode;

/// Whole clusters that start, stop, or see all their nodes come and go; and changes made meanwhile.
final class ClusterScenarios {
  private static final int WRITES = 200;
  private static final int WRITES_BEFORE = 10;
  private static final Duration FLAPPING = Duration.ofMinutes(2);
  private static final Duration BREATH = Duration.ofSeconds(2);

  private ClusterScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario(
            "start", "three new nodes form a cluster", Shape.THREE, true, ClusterScenarios::start),
        Scenario.of("stop-dc", "the DC is stopped in good order", it -> stop(it, true)),
        Scenario.of("stop-node", "another node is", it -> stop(it, false)),
        Scenario.of(
            "restart-cluster",
            "all nodes are stopped and started, the configuration stays",
            ClusterScenarios::restart),
        Scenario.of(
            "dc-killed-during-writes",
            "the DC loses its power during 200 changes from the others",
            ClusterScenarios::writes),
        new Scenario(
            "rolling-restart",
            "five nodes are restarted one by one, under load",
            Shape.FIVE,
            false,
            ClusterScenarios::rolling),
        Scenario.of(
            "flapping",
            "nodes and cables come and go for two minutes",
            ClusterScenarios::flapping));
  }

  private static void start(Run run) throws IOException {
    var lab = run.lab();
    run.fault(
        () -> {
          for (var node : lab.nodes()) {
            node.start();
          }
        });
    var first = lab.nodes().getFirst();
    run.await("DC", first, "a DC", it -> it.dc() != null);
    run.await("online", first, "all nodes online", it -> Health.isComplete(lab, it));
    Health.configure(lab);
    run.awaitRecovery(lab.nodes());
  }

  private static void stop(Run run, boolean dc) throws IOException {
    var node = run.victim(dc);
    run.touch(node);
    run.fault(
        () -> LabFailure.unless(node.shutDown(Lab.LIMIT), node.name() + " did not stop in time"));
    run.reached("stopped");
    var others = run.others(node);
    run.await("detection", others.getFirst(), node.name() + " down", it -> it.isDown(node.name()));
    run.awaitRecovery(others);
    LabFailure.unless(!node.isRunning(), "processes of " + node.name() + " are left");
    node.start();
  }

  private static void restart(Run run) throws IOException {
    var lab = run.lab();
    var before = configuration(lab);
    lab.nodes().forEach(run::touch);
    run.fault(
        () -> {
          var late = lab.stop();
          LabFailure.unless(late.isEmpty(), "did not stop in time: " + late);
        });
    run.reached("stopped");
    for (var resource : Health.EXCLUSIVE) {
      var holders = lab.evidence().holders(resource);
      LabFailure.unless(holders.isEmpty(), resource + " still runs on " + holders);
    }
    for (var node : lab.nodes()) {
      node.start();
    }
    run.awaitRecovery(lab.nodes());
    Health.await(lab);
    LabFailure.unless(before.equals(configuration(lab)), "the configuration has changed");
  }

  private static String configuration(Lab lab) throws IOException {
    return Lab.succeed(lab.nodes().getFirst(), "cibadmin", "--query", "-o", "configuration")
        .output();
  }

  private static void writes(Run run) throws IOException {
    var victim = run.victim(true);
    var others = run.others(victim);
    run.mustFence(victim);
    var processes = LabProcesses.all(victim);
    try (var writers = new Writers()) {
      writers.burst(others, WRITES);
      Lab.awaitProcess(
          "the first changes acknowledged", () -> writers.acknowledged() >= WRITES_BEFORE);
      run.fault(
          () -> {
            NodeScenarios.powerOff(run, victim, processes);
            run.note("%d changes before".formatted(writers.acknowledged()));
          });
      run.awaitDetection(others.getFirst(), victim);
      run.await("all answered", "an answer to each change", writers::areDone);
      // the plans of the recovery are overtaken by the changes; the fenced node may be back by then
      run.awaitRecovery(run.lab().nodes());
      run.note(writers.told());
      writers.verify(run.lab());
    }
  }

  /// Changes are made on every node, and a resource is sent about, while each node goes and
  /// returns.
  private static void rolling(Run run) throws IOException {
    var lab = run.lab();
    lab.nodes().forEach(run::touch);
    try (var writers = new Writers()) {
      writers.steadily(lab.nodes());
      run.fault(() -> {});
      for (var node : lab.nodes()) {
        send("first", run.others(node).get(run.number() % 4));
        LabFailure.unless(node.shutDown(Lab.LIMIT), node.name() + " did not stop in time");
        send("second", run.others(node).get((run.number() + 1) % 4));
        node.start();
        lab.await(node, "all nodes online again", it -> Health.isComplete(lab, it));
        run.reached(node.name());
      }
      run.awaitRecovery(lab.nodes());
      writers.stop();
      run.note(writers.told());
      for (var resource : List.of("first", "second")) {
        Lab.succeed(lab.nodes().getFirst(), "crm_resource", "-r", resource, "--clear");
      }
      writers.verify(lab);
    }
  }

  private static void send(String resource, LocalNode to) throws IOException {
    Lab.succeed(to, "crm_resource", "-r", resource, "--clear");
    Lab.succeed(to, "crm_resource", "-r", resource, "--move", "-N", to.name(), "-f");
  }

  private static void flapping(Run run) throws IOException {
    var lab = run.lab();
    var random = new Random(run.number());
    run.anyFencing();
    lab.nodes().forEach(run::touch);
    try (var writers = new Writers()) {
      writers.steadily(lab.nodes());
      run.fault(() -> {});
      var end = System.nanoTime() + FLAPPING.toNanos();
      while (System.nanoTime() < end) {
        flap(run, lab.nodes().get(random.nextInt(lab.nodes().size())), random);
      }
      run.reached("flapped");
      writers.stop();
      run.note(writers.told());
      for (var node : lab.nodes()) {
        powerOn(node);
      }
      run.awaitRecovery(lab.nodes());
      writers.verify(lab);
    }
  }

  /// A cable is off for less or for more than the token timeout.
  private static void flap(Run run, LocalNode node, Random random) throws IOException {
    if (random.nextBoolean()) {
      NodeScenarios.powerOff(run, node, LabProcesses.freeze(node));
      LockSupport.parkNanos(BREATH.toNanos());
      powerOn(node);
    } else {
      run.lab().network().cable(Run.id(node), false);
      LockSupport.parkNanos(BREATH.multipliedBy(1 + random.nextInt(3)).toNanos());
      run.lab().network().cable(Run.id(node), true);
    }
    LockSupport.parkNanos(BREATH.toNanos());
  }

  private static void powerOn(LocalNode node) throws IOException {
    if (!node.isRunning()) { // else it has been fenced meanwhile
      node.start();
    }
  }
}
