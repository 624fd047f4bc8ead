package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// A node was lost where nobody had the quorum to have it fenced, and comes back by itself.
final class ReturningNodeTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /// The last of three nodes has node1 back in its membership, whose controller hangs.
  private static SimCluster withNode1Back(long seed, Duration hanging) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), cluster.trace()::toString);
    cluster.node("node1").powerOff();
    cluster.node("node2").powerOff();
    cluster.run(Duration.ofMinutes(1));
    cluster.node("node1").powerOn();
    assertTrue(cluster.runUntil(() -> cluster.node("node1").process("controld") != null, LIMIT));
    cluster.node("node1").hang("controld", hanging.toNanos());
    assertTrue(cluster.runUntil(() -> isMember(cluster), LIMIT), cluster.trace()::toString);
    return cluster;
  }

  private static boolean isMember(SimCluster cluster) {
    var cib = cluster.cib("node3");
    var status = cib == null ? null : cib.first("status");
    var node = status == null ? null : status.first("node_state", "1");
    return node != null && !"0".equals(node.get("in_ccm"));
  }

  /// Something to plan for.
  private static void configure(SimCluster cluster) {
    var primitive =
        Element.of("primitive", "id", "c", "class", "ocf", "provider", "sim", "type", "Dummy");
    cluster.update("node3", List.of(CibOp.put("resources", primitive)), _ -> {});
  }

  private static boolean isFenced(SimCluster cluster) {
    return cluster.trace().changes().contains("node1 fenced by node3");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itIsNotFencedBecauseOthersPlanBeforeItsControllerIsUp(long seed) {
    var cluster = withNode1Back(seed, Duration.ofSeconds(2));

    configure(cluster);
    cluster.run(Duration.ofMinutes(1));

    assertTrue(cluster.settle(LIMIT), cluster.trace()::toString);
    assertFalse(isFenced(cluster), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  @Test
  void itIsFencedIfItsControllerDoesNotComeUpInTime() {
    var cluster = withNode1Back(1, Duration.ofMillis(1));
    var since = cluster.now();

    while (!isFenced(cluster) && cluster.now().minus(since).toSeconds() < 30) {
      cluster.node("node1").kill("controld");
      cluster.run(Duration.ofMillis(20));
    }

    assertTrue(isFenced(cluster), cluster.trace()::toString);
    assertTrue(cluster.now().minus(since).toSeconds() >= 20, cluster.trace()::toString);
    assertTrue(cluster.settle(LIMIT), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }
}
