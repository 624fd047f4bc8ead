package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// That a stop for want of a quorum which is about to come is noticed, and no other.
final class SimNeedlessStopsTest {
  private static final String WITHOUT = "warning: Fencing and resource management disabled due to lack of quorum";
  private static final String PLANNED = "notice: Calculated transition 3, saving inputs";
  private static final String STOP = "info: Initiating a_stop_0 on node2 (action 9)";
  private static final String FENCE = "notice: Requesting fencing (reboot) of node node1";

  private final SimCluster cluster = new SimCluster(1, 3);
  private final SimNeedlessStops stops = new SimNeedlessStops(cluster);
  private final SimNode dc = cluster.node("node1");

  private SimNeedlessStopsTest members(boolean quorate, int... ids) {
    var members =
        Arrays.stream(ids)
            .mapToObj(id -> new Member(new NodeId(id), new NodeName("node" + id), 1))
            .toList();
    cluster.order().told(dc.name(), new Membership(7 + ids.length, members, quorate));
    return this;
  }

  private void plan(String... said) {
    cluster.run(Duration.ofMillis(5));
    planAtOnce(said);
  }

  private void planAtOnce(String... said) {
    List.of(said).forEach(it -> stops.said(dc, "schedulerd", it));
  }

  private Set<SimCheck> begins(String what) {
    stops.said(dc, "controld", what);
    return cluster.checksFailed();
  }

  @Test
  void aStopThatAMajorityBeginsWhileItsQuorumIsDueIsNoticed() {
    members(false, 1, 2).plan(WITHOUT, PLANNED);

    assertEquals(Set.of(), begins("info: Initiating a_start_0 on node2 (action 8)"));
    assertEquals(Set.of(), begins(STOP.replace("node2", "node3")), "of a node that is not with them");
    assertEquals(Set.of(SimCheck.NEEDLESS_STOP), begins(STOP));
  }

  @Test
  void soIsAFencingOfOneOfItsOwn() {
    members(false, 1, 2).plan(WITHOUT, PLANNED);

    assertEquals(Set.of(SimCheck.NEEDLESS_STOP), begins(FENCE));
  }

  @Test
  void aMinorityMustStopAndWhoHasQuorumMay() {
    members(false, 1).plan(WITHOUT, PLANNED);
    assertEquals(Set.of(), begins(FENCE));
    members(true, 1, 2);
    assertEquals(Set.of(), begins(STOP));
    members(false, 1, 2).plan(PLANNED);
    assertEquals(Set.of(), begins(STOP), "planned with quorum");
    members(false, 1).plan(WITHOUT, PLANNED);
    members(false, 1, 2);
    assertEquals(Set.of(), begins(STOP), "planned before the other one came");
    members(false, 1, 2, 3).planAtOnce(WITHOUT, PLANNED);
    assertEquals(Set.of(), begins(STOP), "asked for before the DC has heard of the third");
  }
}
