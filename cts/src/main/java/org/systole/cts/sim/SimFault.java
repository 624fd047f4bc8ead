package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// One random fault.
final class SimFault {
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld", "pacemakerd");

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimNode node;

  SimFault(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
    this.node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  void happen() {
    switch (random.nextInt(17)) {
      case 0 -> node.powerOff();
      case 1 -> node.powerOn();
      case 2, 3 -> node.kill(DAEMONS.get(random.nextInt(DAEMONS.size())));
      case 4 -> partition();
      case 5 -> cluster.heal();
      case 6 -> pause();
      case 7 -> agent();
      case 8 -> network();
      case 9 -> disk();
      case 10 -> resource();
      case 11 -> oneWay();
      case 12 -> fencing();
      case 13 -> node.skewClock(Duration.ofSeconds(random.nextInt(-3_600, 3_600)));
      case 14 -> stopping();
      case 15 -> twoAtOnce();
      default -> node.shutdown();
    }
  }

  private void partition() {
    var one = new ArrayList<String>();
    var two = new ArrayList<String>();
    for (var each : cluster.nodes()) {
      (random.nextBoolean() ? one : two).add(each.name());
    }
    cluster.partition(List.of(one, two));
  }

  private void oneWay() {
    var other = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    cluster.cut(node.name(), other.name());
  }

  /// Fencing does not work for a while.
  private void fencing() {
    cluster.note("fencing fails");
    for (var each : cluster.nodes()) {
      each.agentFault("fence_sim", "*", List.of("fails"));
      cluster
          .queue()
          .after(10_000_000_000L, () -> each.agentFault("fence_sim", "*", List.of("well")));
    }
  }

  /// A resource that has to move cannot be stopped.
  private void stopping() {
    var active = node.activeResources();
    if (!active.isEmpty()) {
      var resource = active.get(random.nextInt(active.size()));
      cluster.note(node.name() + ": " + resource + " cannot be stopped");
      node.agentFault(resource, "stop", List.of("fails"));
      node.force(resource, "stopped");
    }
  }

  private void twoAtOnce() {
    new SimFault(cluster, random).happen();
    cluster.run(Duration.ofMillis(random.nextInt(300)));
    new SimFault(cluster, random).happen();
  }

  private void pause() {
    node.pause();
    cluster.queue().after(random.nextLong(10_000_000_000L), node::resume);
  }

  private void agent() {
    var resources = cluster.exclusiveResources();
    var resource = resources.get(random.nextInt(resources.size()));
    var action = List.of("start", "monitor").get(random.nextInt(2));
    var what =
        switch (random.nextInt(3)) {
          case 0 -> List.of("fails");
          case 1 -> List.of("hangs");
          default -> List.of("takes", "PT3S");
        };
    cluster.note(node.name() + ": " + resource + " " + action + " " + what);
    node.agentFault(resource, action, what);
    cluster.queue().after(5_000_000_000L, () -> node.agentFault(resource, action, List.of("well")));
  }

  private void network() {
    if (random.nextBoolean()) {
      cluster.loss(random.nextDouble() / 5);
    } else {
      cluster.delay(Duration.ofMillis(random.nextInt(200)));
    }
  }

  private void disk() {
    cluster.note(node.name() + ": slow disk");
    node.slowDisk(Duration.ofMillis(random.nextInt(1_000)));
  }

  private void resource() {
    var active = node.activeResources();
    if (!active.isEmpty()) {
      node.force(active.get(random.nextInt(active.size())), "stopped");
    }
  }
}
