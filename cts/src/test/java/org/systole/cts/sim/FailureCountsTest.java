package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;

/// A failure counts once, also when the attribute manager beside the DC is lost while it is told.
final class FailureCountsTest {
  private static final int ROUNDS = 3;

  private final SimCluster cluster = RealDaemons.cluster(3, 3);

  private static String failures(SimNode node) {
    var cib = node.cib();
    var status = cib == null ? null : cib.first("status");
    var found =
        status == null
            ? null
            : status.find(it -> it.get("name", "").startsWith("fail-count-b#monitor"));
    return found == null ? "0" : found.get("value", "");
  }

  private void settle() {
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.unsettled().toString());
  }

  @Test
  void aFailureIsCountedOnceWhenTheAttributeManagerIsLostWhileItIsTold() {
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    settle();
    // The manager beside the leader of the membership is told first: that must not be the DC's.
    cluster.node("node1").hang("controld", Duration.ofSeconds(60).toNanos());
    cluster.run(Duration.ofSeconds(60));
    settle();
    var dc = cluster.node(cluster.dcs().getFirst());
    var home = cluster.node(cluster.resourceOn("b").getFirst());
    for (var round = 1; round <= ROUNDS; round++) {
      cluster
          .trace()
          .once(
              "info: fail-count-b",
              first -> {
                assertNotEquals(dc.name(), first);
                cluster.queue().after(0, () -> dc.kill("attrd"));
              });
      home.force("b", "stopped");
      cluster.run(Duration.ofSeconds(20));
      settle();
      assertEquals(String.valueOf(round), failures(home));
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aFailureThatNoDcHadCountedIsNoticed() {
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    settle();
    var update = AttrUpdates.set("fail-count-b#monitor_10000", null, "value++");
    cluster.ask("node2", AttrMessage.SOCKET, AttrMessage.PROTOCOL, update, _ -> {});
    cluster.run(Duration.ofSeconds(1));
    assertEquals(Set.of(SimCheck.COUNTED_TWICE), cluster.checksFailed());
  }
}
