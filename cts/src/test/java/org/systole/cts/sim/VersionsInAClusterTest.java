package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// Nodes of this build and of the previous one in one cluster, see [PreviousBuild].
final class VersionsInAClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration LOAD = Duration.ofSeconds(15);
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");

  private static SimBuild previous;

  @BeforeAll
  static void build() throws Exception {
    previous = PreviousBuild.get();
  }

  /// @param old the nodes that have the previous build
  private static SimCluster running(long seed, int nodes, List<String> old) {
    var cluster = RealDaemons.cluster(seed, nodes);
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    old.forEach(it -> cluster.node(it).install(previous));
    cluster.powerOnAll();
    settle(cluster);
    return cluster;
  }

  private static List<String> names(SimCluster cluster) {
    return cluster.nodes().stream().map(SimNode::name).toList();
  }

  private static void settle(SimCluster cluster) {
    var settled = cluster.settle(LIMIT);
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  private static List<String> deeds(SimCluster cluster, int since) {
    var changes = cluster.trace().changes();
    return changes.subList(since, changes.size()).stream()
        .filter(it -> !it.contains("DC") && !it.contains("cluster software"))
        .toList();
  }

  private static void maintenance(SimCluster cluster, boolean on) {
    var option =
        Element.of(
            "nvpair", "id", "opt-maintenance", "name", "maintenance-mode", "value", on + "");
    var set =
        Element.builder("cluster_property_set").attr("id", "cib-bootstrap-options").add(option);
    change(cluster, cluster.dcs().getFirst(), set.build());
    settle(cluster);
  }

  private static void change(SimCluster cluster, String node, Element properties) {
    var acknowledged = new ArrayList<Boolean>();
    cluster.update(
        node,
        List.of(CibOp.put("crm_config", properties)),
        it -> acknowledged.add(it != null && it.rc().isOk()));
    assertTrue(cluster.runUntil(() -> !acknowledged.isEmpty(), LIMIT), cluster.trace()::toString);
    assertEquals(List.of(true), acknowledged, cluster.trace()::toString);
  }

  /// Replaces the build on one node after the other while all are written to.
  private static void upgrade(
      SimCluster cluster, @Nullable SimBuild to, SimChanges changes) {
    for (var node : cluster.nodes()) {
      changes.writing(true);
      node.shutdown();
      assertTrue(cluster.runUntil(() -> !node.isRunning(), LIMIT), cluster.trace()::toString);
      node.install(to);
      node.startCluster();
      cluster.run(LOAD);
      changes.writing(false);
      settle(cluster);
    }
  }

  /// What the links have said of the level they speak.
  private static List<String> levels(SimCluster cluster) {
    return cluster.trace().lines().stream()
        .filter(it -> it.contains("members speak level"))
        .map(it -> it.substring(it.indexOf("members speak") - "All ".length()))
        .toList();
  }

  /// What fails is noticed, so it is watched.
  private static void assertWatched(SimCluster cluster, String resource) {
    var since = cluster.trace().changes().size();
    var node = cluster.resourceOn(resource).getFirst();
    cluster.node(node).force(resource, "stopped");
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);
    assertEquals(
        List.of(
            "%s stopped on %s".formatted(resource, node),
            "%s started on %s".formatted(resource, node)),
        deeds(cluster, since),
        cluster.trace()::toString);
  }

  @ParameterizedTest(name = "seed {0}, {1} nodes")
  @CsvSource({"1, 3", "2, 5"})
  void anUpgradeInPlaceForwardsAndBackTouchesNoResourceAndLosesNoChange(long seed, int nodes) {
    var all = RealDaemons.cluster(seed, nodes);
    var cluster = running(seed, nodes, names(all));
    var promises = new SimPromises(cluster);
    var changes = new SimChanges(cluster, promises);
    maintenance(cluster, true);
    var since = cluster.trace().changes().size();

    upgrade(cluster, null, changes);
    assertTrue(levels(cluster).getLast().startsWith("All members speak"), "" + levels(cluster));
    upgrade(cluster, previous, changes);
    assertTrue(levels(cluster).getLast().startsWith("The members speak"), "" + levels(cluster));
    maintenance(cluster, false);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
    assertTrue(promises.count() > nodes * 4, promises.count() + " changes acknowledged");
    promises.check();
    cluster.finish();
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
    assertWatched(cluster, "a");
  }

  @ParameterizedTest(name = "seed {0}, previous build on {1}")
  @CsvSource({"3, node1", "4, node1 node2", "5, node3"})
  void aMixedClusterFormsElectsChangesItsCibFencesAndRecovers(long seed, String old) {
    var cluster = running(seed, 3, List.of(old.split(" ")));
    for (var round = 0; round < 3; round++) {
      var dc = cluster.dcs().getFirst();
      for (var node : names(cluster)) {
        change(
            cluster,
            node,
            Element.builder("cluster_property_set")
                .attr("id", "mixed-" + round + "-" + node)
                .build());
      }
      var since = cluster.trace().changes().size();
      cluster.node(dc).powerOff();
      cluster.run(Duration.ofSeconds(20));
      assertTrue(
          deeds(cluster, since).stream().anyMatch(it -> it.startsWith(dc + " fenced by")),
          cluster.trace()::toString);
      cluster.node(dc).powerOn();
      cluster.run(Duration.ofSeconds(20));
      settle(cluster);
    }
    cluster.finish();
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  @Test
  void theDaemonsOfOneNodeAreUpgradedUnderItsOldSupervisorOneByOneAndAllAtOnce() {
    var cluster = running(6, 3, List.of("node1", "node2", "node3"));
    for (var node : cluster.nodes()) {
      var since = cluster.trace().changes().size();
      node.install(null);
      for (var daemon : DAEMONS) {
        assertTrue(node.kill(daemon));
        cluster.run(Duration.ofSeconds(20));
        settle(cluster);
      }
      assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);

      DAEMONS.forEach(it -> assertTrue(node.kill(it)));
      cluster.run(Duration.ofSeconds(30));
      settle(cluster);
      assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
    }
    assertWatched(cluster, "a");
    assertWatched(cluster, "b");
  }
}
