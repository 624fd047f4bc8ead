package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
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
}
