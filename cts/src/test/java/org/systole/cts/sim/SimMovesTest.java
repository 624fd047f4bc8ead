package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Lives in which connections move.
final class SimMovesTest {
  private final SimCluster cluster = RealDaemons.cluster(2, 3);
  private final SimBites bites = new SimBites(cluster);

  SimMovesTest() {
    var options = SimFocus.MOVES.options(SimOptions.USUAL);
    for (var host = 1; host <= options.hosts(); host++) {
      cluster.addHost(SimOptions.host(host));
    }
    cluster.loadCib(SimCibs.random(3, Map.of("no-quorum-policy", "stop"), options));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
  }

  private void happen() {
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    var random = new SplittableRandom(5);
    for (var fault = 0; fault < 3; fault++) {
      new SimMoveFault(cluster, random, changes, bites).happen();
    }
  }

  @Test
  void connectionsMoveWhileSomethingIsUnderWayAndNobodyWaitsInVain() {
    happen();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    var struck = bites.counts().values().stream().mapToInt(SimBites.Count::struck).sum();
    assertTrue(struck > 0, bites.counts()::toString);
    assertEquals("[]", cluster.failures().toString());
  }

  @Test
  void aDcThatWaitsInVainIsFound() {
    happen();
    cluster.checks().said("controld", "error: No result of a_start_0 from node1 in time");
    assertTrue(cluster.failures().toString().contains("waits-in-vain"), cluster.failures().toString());
  }

  @Test
  void remoteNodesAreRemovedStepByStepAndAddedAgain() {
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    var random = new SplittableRandom(7);
    for (var fault = 0; fault < 4; fault++) {
      new SimRemovalFault(cluster, random, changes, bites).happen();
    }
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    assertTrue(bites.counts().keySet().stream().anyMatch(it -> it.startsWith("removed in order")), bites.counts()::toString);
    assertEquals("[]", cluster.failures().toString());
  }

  @Test
  void aHostThatIsFencedThoughItWasStoppedInOrderIsFound() {
    var host = cluster.hosts().getFirst();
    var removals = cluster.checks().removals();
    removals.fences("reboot", host.name());
    removals.begin(host);
    removals.fences("monitor", host.name());
    removals.fences("reboot", "node1");
    assertEquals("[]", cluster.failures().toString());

    removals.fences("reboot", host.name());

    assertTrue(cluster.failures().toString().contains("removed-host"), cluster.failures().toString());
  }

  @Test
  void aHostThatIsFencedForItsConnectionThoughItIsWellIsFound() {
    var host = cluster.hosts().getFirst();
    var planned = "notice: Actions: Fence (reboot) %s '%s'".formatted(host.name(), "remote connection is unrecoverable");
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    host.resetConnections(); // with a cause, that is
    isFenced(host, planned);
    assertEquals("[]", cluster.failures().toString());
    cluster.run(Duration.ofMinutes(2)); // it is fenced for that, and back
    assertEquals(Set.of(), cluster.checksFailed());
    cluster.checks().said("controld", "notice: Requesting fencing (reboot) of node " + host.name()); // a person, that is
    host.agentFault("a", "stop", List.of("fails"));
    isFenced(host, planned.replace("remote connection is unrecoverable", "a failed there"));
    assertEquals("[]", cluster.failures().toString());

    isFenced(host, planned);

    assertTrue(cluster.failures().toString().contains("well-host"), cluster.failures().toString());
  }

  private void isFenced(SimNode host, String planned) {
    cluster.checks().said("schedulerd", planned);
    cluster.checks().said("controld", "notice: Requesting fencing (reboot) of node " + host.name());
  }

  @Test
  void aHostOfWhichSomethingIsLeftIsFound() {
    var host = cluster.hosts().getFirst();

    cluster.checks().removals().end(host);

    var found = cluster.failures().toString();
    assertTrue(found.contains("removed-host") && found.contains("a node_state, a primitive"), found);
  }
}
