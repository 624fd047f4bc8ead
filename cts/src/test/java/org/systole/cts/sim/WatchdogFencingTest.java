package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;

/// Nodes that are counted as fenced because their watchdog has certainly reset them. There is no
/// other way to fence: the power switch fails.
final class WatchdogFencingTest {
  private static final Duration FORM = Duration.ofMinutes(3);

  private static SimCluster cluster(int nodes, String wait) {
    return cluster(nodes, Map.of("no-quorum-policy", "stop", "fencing-watchdog-timeout", wait));
  }

  private static SimCluster cluster(int nodes, Map<String, String> options) {
    var cluster = RealDaemons.cluster(11, nodes);
    if (nodes == 2) {
      cluster.quorumOption("two_node", "1");
    }
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.loadCib(SimCibs.standard(nodes, options));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    cluster.nodes().forEach(it -> it.agentFault("fence_sim", "*", List.of("fails")));
    cluster.run(Duration.ofSeconds(5));
    return cluster;
  }

  private static boolean says(SimCluster cluster, String text) {
    return cluster.trace().toString().contains(text);
  }

  private static boolean isCounted(SimCluster cluster, String node) {
    return cluster
        .trace()
        .toString()
        .lines()
        .anyMatch(
            it -> it.contains("of " + node + " by") && it.contains("with watchdog succeeded"));
  }

  @Test
  void theClusterCountsOnTheWatchdogAndSaysSo() {
    var cluster = cluster(3, "10s");
    var cib = cluster.node("node1").cib();
    assertTrue(cib != null && cib.toString().contains("have-watchdog"), "no have-watchdog");
    var set = cib.find(it -> it.is("nvpair") && it.get("name", "").equals("have-watchdog"));
    assertEquals("true", set == null ? "" : set.get("value"));
  }

  @Test
  void aLostNodeIsCountedAsFencedOnlyAfterItsReset() {
    var cluster = cluster(3, "10s");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(9));
    assertFalse(isCounted(cluster, "node1"), "too early");
    assertTrue(says(cluster, "node1: reset by its watchdog"));
    cluster.run(Duration.ofSeconds(30));
    assertTrue(isCounted(cluster, "node1"), cluster.trace()::toString);
    cluster.heal();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aWaitShorterThanTheWatchdogIsRefusedWithTheInequality() {
    var cluster = cluster(3, "5s");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(60));
    assertFalse(isCounted(cluster, "node1"));
    assertTrue(says(cluster, "5000 ms > 5000 ms does not hold"), cluster.trace()::toString);
  }

  @Test
  void aNegativeWaitIsTwiceTheWatchdogsTime() {
    var cluster = cluster(3, "-1");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(40));
    assertTrue(says(cluster, "Waiting 12250 ms for node1"), cluster.trace()::toString);
    assertTrue(isCounted(cluster, "node1"));
  }

  @Test
  void aMemberResetsItselfWhenItIsToBeFenced() {
    var cluster = cluster(3, "10s");
    var answers = new ArrayList<FenceMessage.Reply>();
    var request =
        new FenceMessage.Fence(new NodeName("node3"), "reboot", 60_000, 0, 0, "test", true, 0);
    new SimCommand(cluster.node("node1"))
        .ask(FenceMessage.SOCKET, FenceMessage.PROTOCOL, request, answers::add);
    cluster.run(Duration.ofSeconds(30));
    assertTrue(says(cluster, "node3: reset by its watchdog"), cluster.trace()::toString);
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void withTwoNodeNobodyIsCountedAsFenced() {
    var cluster = cluster(2, "10s");
    cluster.partition(List.of(List.of("node1"), List.of("node2")));
    cluster.run(Duration.ofSeconds(60));
    assertFalse(isCounted(cluster, "node1"));
    assertFalse(isCounted(cluster, "node2"));
    assertTrue(says(cluster, "with two_node each half"), cluster.trace()::toString);
  }

  @Test
  void whereQuorumIsIgnoredNobodyIsCountedAsFenced() {
    var cluster =
        cluster(3, Map.of("no-quorum-policy", "ignore", "fencing-watchdog-timeout", "10s"));
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(30));
    assertFalse(isCounted(cluster, "node1"));
    assertTrue(says(cluster, "no-quorum-policy=ignore: a node without"));
  }

  @Test
  void aNodeThatComesBackInTimeIsNotCounted() {
    var cluster = cluster(3, "20s");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(3));
    cluster.heal();
    cluster.run(Duration.ofSeconds(60));
    assertFalse(isCounted(cluster, "node1"), cluster.trace()::toString);
    assertFalse(says(cluster, "node1: reset by its watchdog"));
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  /// What a permit is worth goes by the token time that is in force, a fencer's wait by that of its start.
  @Test
  void aTokenTimeThatHasBecomeLongerCostsNoCertainty() {
    var cluster = RealDaemons.cluster(11, 3);
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.variable("SBD_WATCHDOG_TIMEOUT", "10");
    cluster.loadCib(SimCibs.standard(3, Map.of("no-quorum-policy", "stop", "fencing-watchdog-timeout", "11s")));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    cluster.nodes().forEach(it -> it.agentFault("fence_sim", "*", List.of("fails")));
    cluster.nodes().forEach(it -> it.file().token(30_000));
    SimConfFile.reload(cluster, cluster.node("node1"));
    cluster.run(Duration.ofSeconds(60));
    assertTrue(says(cluster, "asked on node1: done"), cluster.trace()::toString);
    cluster.partition(List.of(List.of("node3"), List.of("node1", "node2")));
    cluster.run(Duration.ofSeconds(120));
    assertTrue(says(cluster, "Waiting 15000 ms for node3"), cluster.trace()::toString);
    assertTrue(says(cluster, "10000 ms > 22500 ms does not hold"), "the loss of node1 would cost all");
  }
}
