package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.CibDaemon;
import org.systole.controld.ControllerDaemon;

/// Controllers among the real daemons, but for a scheduler one can see through.
final class ControllersInAClusterTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SimCluster cluster(long seed, int nodes) {
    var cluster = RealDaemons.cluster(seed, nodes);
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.daemon(
        "controld", (_, world, layout, env) -> ControllerDaemon.start(world, layout, env));
    cluster.daemon("schedulerd", (_, world, _, _) -> ToyScheduler.start(world));
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
      assertEquals(
          1, cluster.resourceOn(resource).size(), () -> resource + "\n" + cluster.trace());
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
    var other =
        cluster.nodes().stream().filter(it -> !it.isDc()).findFirst().orElseThrow().name();

    cluster.node(other).kill("controld");
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);

    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void aNodeThatLeavesHasItsResourcesMovedFirst() {
    var cluster = running(5, 3);
    var leaver =
        cluster.nodes().stream().filter(it -> !it.isDc()).findFirst().orElseThrow();

    leaver.shutdown();
    cluster.runUntil(() -> !leaver.isRunning(), MINUTE);
    settle(cluster);

    assertTrue(!leaver.isRunning(), cluster.trace()::toString);
    assertTrue(leaver.isPowered(), "it must not have been fenced");
    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void theDcLeavesToo() {
    var cluster = running(6, 3);
    var dc = cluster.node(cluster.dcs().getFirst());

    dc.shutdown();
    cluster.runUntil(() -> !dc.isRunning(), MINUTE);
    settle(cluster);

    assertTrue(!dc.isRunning(), cluster.trace()::toString);
    assertEquals(1, cluster.dcs().size());
    runs(cluster, "a", "b", "g1", "g2");
  }

  @Test
  void theWholeClusterStops() {
    var cluster = running(7, 3);

    cluster.nodes().forEach(SimNode::shutdown);
    cluster.runUntil(
        () -> cluster.nodes().stream().noneMatch(SimNode::isRunning), MINUTE.multipliedBy(3));

    for (var node : cluster.nodes()) {
      assertTrue(!node.isRunning(), () -> node.name() + "\n" + cluster.trace());
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
}
