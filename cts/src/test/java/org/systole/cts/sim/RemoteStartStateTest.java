package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// A remote node says in which state it wants to join, and that is written before it is used.
final class RemoteStartStateTest {
  private static final String FAR = SimOptions.host(1);

  /// Of two nodes one is lost, and fencing it fails. What people change is confirmed only once it is, but
  /// a remote node is connected at once.
  @Test
  void itIsWrittenThoughTheOtherOfTwoNodesIsNotFencedYet() {
    var cluster = RealDaemons.cluster(1, 2);
    cluster.quorumOption("two_node", "1");
    cluster.addHost(FAR);
    cluster.variable("PCMK_node_start_state", "online");
    var options = new SimOptions(Map.of(), true, false, false, false, Map.of(), 1);
    cluster.loadCib(SimCibs.random(2, Map.of("no-quorum-policy", "stop"), options));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    cluster.powerOnAll();
    settle(cluster);
    role(cluster, "node1", "Stopped");
    var attribute = CibOp.deleteAllXPath("//node[@id='far1']/instance_attributes");
    cluster.update("node1", List.of(attribute), _ -> {});
    settle(cluster);
    assertEquals(0, cluster.streams().connectedTo(cluster.node(FAR), 0).size());

    cluster.node("node1").agentFault("fence_sim", "*", List.of("fails"));
    cluster.node("node2").powerOff();
    cluster.run(Duration.ofSeconds(5));
    var before = cluster.trace().lines().size();
    role(cluster, "node1", "Started");
    cluster.run(Duration.ofSeconds(8));

    var since = cluster.trace().lines().stream().skip(before);
    assertTrue(since.anyMatch(it -> it.contains("Result of far1_start_0 on node1: exit status 0")), cluster.trace()::toString);
  }

  private static void role(SimCluster cluster, String node, String role) {
    var nvpair = Element.of("nvpair", "id", "far-role", "name", "target-role", "value", role);
    var meta = Element.builder("meta_attributes").attr("id", "far-meta").add(nvpair);
    cluster.update(
        node,
        List.of(CibOp.put("resources", Element.builder("primitive").attr("id", FAR).add(meta).build())),
        _ -> {});
    cluster.run(Duration.ofSeconds(1));
  }

  private static void settle(SimCluster cluster) {
    var settled = cluster.settle(Duration.ofMinutes(3));
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }
}
