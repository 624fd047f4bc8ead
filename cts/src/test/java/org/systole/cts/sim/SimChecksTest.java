package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlWriter;

/// A check that cannot fail is worth nothing.
final class SimChecksTest {
  @Test
  void aResourceOnTwoNodesIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(
        XmlWriter.compact(SimCibs.standard(3))
            .replace(
                "name=\"fencing-enabled\" value=\"true\"",
                "name=\"fencing-enabled\" value=\"false\"")
            .replace(
                "name=\"no-quorum-policy\" value=\"stop\"",
                "name=\"no-quorum-policy\" value=\"ignore\""));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);

    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.settle(Duration.ofMinutes(2));

    assertTrue(
        cluster.failures().stream().anyMatch(it -> it.contains("at the same time")),
        cluster.failures()::toString);
  }

  @Test
  void aCrashOfADaemonIsNoticed() {
    var cluster = new SimCluster(1, 1);
    cluster.daemon(
        "pacemakerd",
        (_, world, _, _) ->
            world.post(
                () -> {
                  throw new IllegalStateException("a mistake");
                }));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(2));

    assertTrue(cluster.failures().getFirst().contains("a mistake"));
  }

  @Test
  void aClusterWithoutFaultsFailsNoCheck() {
    var cluster = RealDaemons.cluster(2, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();

    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);

    cluster.finish();
    assertEquals(List.of(), cluster.failures());
    assertEquals(1, cluster.dcs().size());
    for (var resource : List.of("a", "b", "g1", "g2")) {
      assertEquals(1, cluster.resourceOn(resource).size(), resource);
    }
    assertEquals(3, cluster.resourceOn("store").size());
  }
}
