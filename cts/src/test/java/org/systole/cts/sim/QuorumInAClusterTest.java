package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Votes are counted once, whatever restarts and whatever is cut.
final class QuorumInAClusterTest {
  @Test
  void aNodeThatRestartsDoesNotVoteAgainWhileItsFirstVoteMayCount() {
    var cluster = RealDaemons.cluster(1, 5);
    cluster.loadCib(SimCibs.standard(5));
    List.of("node1", "node2", "node3").forEach(it -> cluster.node(it).powerOn());
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    cluster.partition(List.of(List.of("node1", "node2", "node3"), List.of("node4", "node5")));
    List.of("node4", "node5").forEach(it -> cluster.node(it).powerOn());
    cluster.run(Duration.ofSeconds(20));

    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4", "node5")));
    cluster.node("node3").powerOff();
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(30));

    assertEquals(List.of(), cluster.failures());
    assertEquals(
        List.of("node3", "node4", "node5"), cluster.order().members(cluster.node("node4")));
  }

  /// Who is not the leader hears of the others' answers only by what the leader confirms.
  @Test
  void whoAnsweredAfterItWasTakenForEndedHasAClaimThatIsWaitedFor() {
    var cluster = RealDaemons.cluster(1, 5);
    cluster.loadCib(SimCibs.standard(5));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var alone = cluster.node("node3");
    var others = cluster.nodes().stream().filter(it -> it != alone).toList();

    others.forEach(it -> cluster.network().takesForEnded(it, alone));
    cluster.run(Duration.ofMillis(1_700));
    cluster.partition(List.of(others.stream().map(SimNode::name).toList(), List.of("node3")));
    others.forEach(it -> cluster.network().refuses(it, alone));
    cluster.run(Duration.ofSeconds(4));

    assertEquals(List.of(), cluster.failures());
    assertEquals(4, quorate(cluster).size());
  }

  /// Stops the cluster software of a node in good order and starts it with another node list.
  private static void renew(SimCluster cluster, String name, int listed) {
    var node = cluster.node(name);
    node.shutdown();
    assertTrue(cluster.runUntil(() -> !node.isRunning(), Duration.ofMinutes(5)), name);
    node.listNodes(listed);
    node.startCluster();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.unsettled()::toString);
  }

  /// A node that has just started does not vote at once.
  private static void awaitQuorum(SimCluster cluster, int nodes) {
    assertTrue(
        cluster.runUntil(() -> quorate(cluster).size() == nodes, Duration.ofSeconds(10)),
        () -> quorate(cluster).toString());
  }

  private static List<String> quorate(SimCluster cluster) {
    return cluster.nodes().stream()
        .filter(it -> cluster.order().isQuorate(it))
        .map(SimNode::name)
        .toList();
  }

  /// Any share of the cluster may stop there; nobody has to fence anybody.
  private static SimCluster of(int nodes, int listed) {
    var cluster = RealDaemons.cluster(1, nodes);
    cluster.loadCib(SimCibs.standard(listed));
    cluster.nodes().forEach(it -> it.listNodes(listed));
    cluster.nodes().subList(0, listed).forEach(SimNode::powerOn);
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    return cluster;
  }

  @Test
  void noHalfOfFourActsOnceAFourthNodeWasAddedNodeByNode() {
    var cluster = of(4, 3);
    for (var name : List.of("node1", "node2", "node3")) {
      renew(cluster, name, 4);
      awaitQuorum(cluster, 3);
    }
    cluster.node("node4").listNodes(4);

    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4")));
    cluster.node("node4").powerOn();
    cluster.run(Duration.ofSeconds(30));

    assertEquals(List.of(), quorate(cluster));
    cluster.heal();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.unsettled()::toString);
    assertEquals(4, quorate(cluster).size());
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void twoOfThreeActOnceTheFourthNodeWasRemovedNodeByNode() {
    var cluster = of(4, 4);
    for (var name : List.of("node1", "node2", "node3")) {
      renew(cluster, name, 3);
      awaitQuorum(cluster, 4);
    }
    cluster.node("node4").shutdown();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.unsettled()::toString);
    assertEquals(List.of("node1", "node2", "node3"), quorate(cluster));

    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3")));
    cluster.run(Duration.ofSeconds(15));

    assertEquals(List.of("node1", "node2"), quorate(cluster));
    assertEquals(List.of(), cluster.failures());
  }

  private static SimCluster leaving(int nodes) {
    var cluster = RealDaemons.cluster(1, nodes);
    cluster.quorumOption("last_man_standing", "1");
    cluster.quorumOption("last_man_standing_window", "3000");
    cluster.checks().withoutFencing();
    cluster.loadCib(SimCibs.standard(nodes, Map.of("fencing-enabled", "false")));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    return cluster;
  }

  /// What last_man_standing has lowered is no matter of a side that most of those who were counted
  /// have left.
  @Test
  void theSmallerPartOfALoweredMembershipHasNoQuorumWithANodeThatWasLeftOut() {
    var cluster = leaving(4);
    cluster.partition(List.of(List.of("node1", "node2", "node3"), List.of("node4")));
    cluster.run(Duration.ofSeconds(40));

    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4")));
    cluster.run(Duration.ofSeconds(20));

    assertEquals(List.of("node3", "node4"), cluster.order().members(cluster.node("node4")));
    assertEquals(List.of("node1", "node2"), quorate(cluster));
    assertEquals(List.of(), cluster.failures());
  }

  /// A majority by the file, but not of those who count.
  @Test
  void thoseWhoWereLeftOutHaveNoQuorumWithOneOfThoseWhoCount() {
    var cluster = leaving(5);
    cluster.partition(List.of(List.of("node1", "node2", "node3"), List.of("node4", "node5")));
    cluster.run(Duration.ofSeconds(40));

    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4", "node5")));
    cluster.run(Duration.ofSeconds(20));
    assertEquals(
        List.of("node3", "node4", "node5"), cluster.order().members(cluster.node("node4")));
    assertEquals(List.of("node1", "node2"), quorate(cluster));

    cluster.heal();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), cluster.unsettled()::toString);
    assertEquals(5, quorate(cluster).size());
    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4", "node5")));
    cluster.run(Duration.ofSeconds(20));
    assertEquals(List.of("node3", "node4", "node5"), quorate(cluster), "all count again");
    assertEquals(List.of(), cluster.failures());
  }

  /// Who counts is on disk: the others hear of it from the node that was started anew.
  @Test
  void thoseWhoWereLeftOutHaveNoQuorumWithOneThatCountsAndWasStartedAnew() {
    var cluster = leaving(5);
    cluster.partition(List.of(List.of("node1", "node2", "node3"), List.of("node4", "node5")));
    cluster.run(Duration.ofSeconds(40));

    cluster.node("node3").powerOff();
    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3", "node4", "node5")));
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(90));

    assertEquals(
        List.of("node3", "node4", "node5"), cluster.order().members(cluster.node("node4")));
    assertEquals(List.of("node1", "node2"), quorate(cluster));
    assertEquals(List.of(), cluster.failures());
  }

  /// The same number of votes, but not of the same nodes.
  @Test
  void threeOfFourThatAreNotTheThreeWhoWereCountedAreCountedAsThoseWhoAreThere() {
    var cluster = leaving(4);
    cluster.partition(List.of(List.of("node1", "node3", "node4"), List.of("node2")));
    cluster.run(Duration.ofSeconds(40));
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3", "node4")));
    cluster.run(Duration.ofSeconds(2));
    cluster.partition(List.of(List.of("node1", "node4"), List.of("node2", "node3")));
    cluster.run(Duration.ofSeconds(20));
    assertTrue(quorate(cluster).size() <= 2, quorate(cluster)::toString);
    assertEquals(List.of(), cluster.failures());
  }
}
