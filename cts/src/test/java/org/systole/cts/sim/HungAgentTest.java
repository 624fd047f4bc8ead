package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A start whose system call (a mount, say) hangs in the kernel beyond its timeout, cannot be killed,
/// and takes effect when the device answers again.
final class HungAgentTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static SimCluster withAStartThatHangs(Duration time) {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    var agents =
        cluster.nodes().stream()
            .map(SimNode::agents)
            .filter(it -> it.active().contains("a"))
            .findFirst()
            .orElseThrow();
    agents.fault("a", "start", new SimAgents.Fault(0, false, time, null));
    agents.hangInKernel("a", "start");
    agents.force("a", SimAgents.State.STOPPED); // it fails, and is recovered
    return cluster;
  }

  private static boolean anybodyIsFenced(SimCluster cluster) {
    return cluster.trace().toString().contains("fenced by");
  }

  @Test
  void theStopWaitsForItAndTheResourceGoesOnElsewhere() {
    var cluster = withAStartThatHangs(Duration.ofSeconds(70));
    cluster.run(Duration.ofMinutes(4));
    assertEquals(List.of(), cluster.failures());
    assertFalse(anybodyIsFenced(cluster));
    assertEquals(1, cluster.nodes().stream().filter(it -> it.agents().active().contains("a")).count());
  }

  @Test
  void whereItHangsForLongTheStopFailsAndTheNodeIsFenced() {
    var cluster = withAStartThatHangs(Duration.ofMinutes(30));
    cluster.run(Duration.ofMinutes(6));
    assertEquals(List.of(), cluster.failures());
    assertTrue(anybodyIsFenced(cluster));
    assertEquals(1, cluster.nodes().stream().filter(it -> it.agents().active().contains("a")).count());
  }
}
