package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// The cluster's roles outlive what the CIB outlives.
final class RolesReplicationTest {
  private static final int SEEDS = Integer.getInteger("roles.seeds", 6);

  @Test
  void whatWasAcknowledgedOutlivesPartitionsAndLostPower() {
    for (var seed = 400; seed < 400 + SEEDS; seed++) {
      live(seed);
    }
  }

  private static void live(long seed) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(3));
    var random = new Random(seed);
    var asked = new LinkedHashSet<String>();
    var acknowledged = new LinkedHashSet<String>();
    var nodes = List.of("node1", "node2", "node3");
    for (var round = 0; round < 8; round++) {
      for (var at = 0; at < 3; at++) {
        var id = "r" + round + "-" + at;
        asked.add(id);
        define(cluster.node(nodes.get(random.nextInt(3))), id, () -> acknowledged.add(id));
      }
      cluster.run(Duration.ofMillis(random.nextInt(200)));
      trouble(cluster, nodes, random);
      cluster.run(Duration.ofMillis(random.nextInt(10_000)));
    }
    cluster.heal();
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(5));
    assertEquals(List.of(), cluster.failures(), () -> "seed " + seed + "\n" + cluster.trace());
    var first = roles(cluster, "node1");
    assertNotNull(first, "seed " + seed);
    for (var node : nodes) {
      assertEquals(first, roles(cluster, node), "seed " + seed + ", " + node);
    }
    for (var id : acknowledged) {
      assertTrue(first.contains("\"" + id + "\""), () -> "seed " + seed + ": " + id + " is lost");
    }
    assertTrue(acknowledged.size() > 8, () -> "seed " + seed + ": only " + acknowledged);
  }

  private static void define(SimNode node, String id, Runnable fine) {
    var steps = Element.of("steps").plus(Element.of("role", "id", id, "jig", "noop"));
    new SimCommand(node)
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            new CibMessage.Update(List.of(CibOp.roles(steps)), false, "", "test", 20_000),
            answer -> {
              if (answer instanceof CibMessage.Answer it && it.rc().isOk()) {
                fine.run();
              }
            });
  }

  private static void trouble(SimCluster cluster, List<String> nodes, Random random) {
    var alone = nodes.get(random.nextInt(3));
    switch (random.nextInt(5)) {
      case 0 -> {
        cluster.partition(
            List.of(List.of(alone), nodes.stream().filter(it -> !it.equals(alone)).toList()));
        cluster.run(Duration.ofMillis(random.nextInt(20_000)));
        cluster.heal();
      }
      case 1 -> {
        cluster.node(alone).pause();
        cluster.run(Duration.ofMillis(random.nextInt(15_000)));
        cluster.node(alone).resume();
      }
      case 2 -> {
        cluster.node(alone).powerOff();
        cluster.run(Duration.ofMillis(random.nextInt(5_000)));
        cluster.powerOnAll();
      }
      case 3 -> cluster.node(alone).kill("cibd");
      default -> {}
    }
  }

  private static String roles(SimCluster cluster, String node) {
    var answers = new ArrayList<CibMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(CibMessage.SOCKET, CibMessage.PROTOCOL, new CibMessage.RolesQuery(""), answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(70));
    return ((CibMessage.Answer) answers.getFirst()).xml();
  }
}
