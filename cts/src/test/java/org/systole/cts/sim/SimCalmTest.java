package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

/// That it is noticed when something is done for what a cluster has to bear.
final class SimCalmTest {
  private final SimCluster cluster = new SimCluster(1, 3);

  @Test
  void aStopIsNoticedAndAnotherDcIsNot() {
    cluster.change("a stopped on node1");
    var before = cluster.trace().changes().size();
    cluster.change("node2 is DC");
    SimCalm.check(cluster, before);
    assertEquals(Set.of(), cluster.checksFailed());

    cluster.change("a stopped on node2");
    SimCalm.check(cluster, before);
    assertEquals(Set.of(SimCheck.DISTURBED), cluster.checksFailed());
  }

  @Test
  void soIsAFencing() {
    cluster.change("node1 fenced by node2");
    SimCalm.check(cluster, 0);
    assertEquals(Set.of(SimCheck.DISTURBED), cluster.checksFailed());
  }
}
