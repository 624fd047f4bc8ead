package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Controllers among the real daemons, but for a scheduler one can see through.
final class ControllersInAClusterTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SimCluster cluster(long seed, int nodes) {
    var cluster = RealDaemons.cluster(seed, nodes);
    if (!Boolean.getBoolean("sim.scheduler")) {
      cluster.daemon("schedulerd", (_, world, _, _) -> ToyScheduler.start(world));
    }
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    return cluster;
  }

  private static SimCluster running(long seed, int nodes) {
    var cluster = cluster(seed, nodes);
    cluster.powerOnAll();
    settle(cluster);
    return cluster;
  }

  private static void settle(SimCluster cluster) {
    var settled = cluster.settle(MINUTE.multipliedBy(3));
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  private static void runs(SimCluster cluster, String... resources) {
    for (var resource : resources) {
      assertEquals(1, cluster.resourceOn(resource).size(), () -> resource + "\n" + cluster.trace());
    }
  }

  @Test
  void threeNodesElectOneDcAndStartTheirResources() {
    var cluster = running(1, 3);

    assertEquals(1, cluster.dcs().size());
    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void aNodeAloneStartsWithoutWaitingForOthers() {
    var cluster = cluster(2, 1);
    cluster.powerOnAll();

    assertTrue(
        cluster.runUntil(() -> !cluster.resourceOn("a").isEmpty(), Duration.ofSeconds(15)),
        cluster.trace()::toString);
  }

  @Test
  void theDeathOfTheDcIsSurvived() {
    var cluster = running(3, 3);
    var dc = cluster.dcs().getFirst();

    cluster.node(dc).powerOff();
    cluster.run(Duration.ofSeconds(10));
    settle(cluster);

    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void aControllerThatDiesComesBackAndItsResourcesStay() {
    var cluster = running(4, 3);
    var other = cluster.nodes().stream().filter(it -> !it.isDc()).findFirst().orElseThrow().name();

    cluster.node(other).kill("controld");
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);

    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void aNodeThatLeavesHasItsResourcesMovedFirst() {
    var cluster = running(5, 3);
    var leaver = cluster.nodes().stream().filter(it -> !it.isDc()).findFirst().orElseThrow();

    leaver.shutdown();
    assertTrue(cluster.runUntil(() -> !leaver.isRunning(), MINUTE), cluster.trace()::toString);

    assertEquals(List.of(), leaver.activeResources());
    assertTrue(leaver.isPowered(), "it must not have been fenced");
    settle(cluster);
    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void theDcLeavesToo() {
    var cluster = running(6, 3);
    var dc = cluster.node(cluster.dcs().getFirst());

    dc.shutdown();
    assertTrue(cluster.runUntil(() -> !dc.isRunning(), MINUTE), cluster.trace()::toString);

    assertEquals(List.of(), dc.activeResources());
    settle(cluster);
    assertEquals(1, cluster.dcs().size());
    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void theWholeClusterStops() {
    var cluster = running(7, 3);

    cluster.nodes().forEach(SimNode::shutdown);
    var ended =
        cluster.runUntil(
            () -> cluster.nodes().stream().noneMatch(SimNode::isRunning), MINUTE.multipliedBy(3));

    assertTrue(ended, cluster.trace()::toString);
    for (var node : cluster.nodes()) {
      assertTrue(node.isPowered(), node + " must not have been fenced");
      assertEquals(List.of(), node.activeResources());
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aFailedResourceIsRecovered() {
    var cluster = running(8, 3);
    var node = cluster.node(cluster.resourceOn("a").getFirst());

    node.force("a", "stopped");
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    runs(cluster, "a");
  }

  /// Daemons and nodes die in random order; once that is over all is well again.
  @ParameterizedTest
  @MethodSource("seeds")
  void whateverDiesTheClusterComesToRest(long seed) {
    var cluster = cluster(seed, 3);
    var random = new Random(seed);
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(random.nextInt(20)));
    var daemons = List.of("controld", "cibd", "execd", "attrd", "schedulerd", "fenced");
    for (var fault = 0; fault < 6; fault++) {
      var node = cluster.nodes().get(random.nextInt(3));
      switch (random.nextInt(5)) {
        case 0 -> {
          node.powerOff();
          cluster.run(Duration.ofSeconds(random.nextInt(30)));
          node.powerOn();
        }
        case 1 -> node.shutdown();
        default -> node.kill(daemons.get(random.nextInt(daemons.size())));
      }
      cluster.run(Duration.ofMillis(random.nextInt(20_000)));
    }
    cluster.run(Duration.ofSeconds(30));
    for (var node : cluster.nodes()) {
      if (!node.isPowered()) {
        node.powerOn();
      } else if (!node.isRunning()) {
        node.startCluster();
      }
    }
    cluster.run(Duration.ofSeconds(30));
    var settled = cluster.settle(MINUTE.multipliedBy(10));

    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
    assertEquals(1, cluster.dcs().size());
    runs(cluster, "a", "b", "g1", "g2");
  }

  static LongStream seeds() {
    var one = Long.getLong("sim.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("sim.seeds", 20));
  }
}
