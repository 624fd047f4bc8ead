package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Faults of odd lives strike what they are about.
final class SimBitesTest {
  private static final int FAULTS = 10; // by chance one may find nothing to strike

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void whatOddLivesAreAboutHappens(SimOdd about) {
    var seed = about.ordinal() - 1L;
    var cluster = living(about, seed);
    var promises = new SimPromises(cluster);
    var changes = new SimChanges(cluster, promises);
    var bites = new SimBites(cluster);
    RandomGenerator random = new SplittableRandom(seed);
    for (var fault = 0; fault < FAULTS && struck(bites) == 0; fault++) {
      new SimOddFault(cluster, random, changes, bites).happen(about);
    }
    assertTrue(struck(bites) > 0, bites.counts()::toString);
  }

  private static int struck(SimBites bites) {
    return bites.counts().values().stream().mapToInt(SimBites.Count::struck).sum();
  }

  private static SimCluster living(SimOdd about, long seed) {
    assertEquals(about, SimOdd.of(seed));
    var nodes = about.nodes(3, seed);
    var options = about.options(SimOptions.USUAL, seed);
    var inside = about.inside(seed);
    var cluster = RealDaemons.cluster(seed, nodes);
    for (var host = 1; host <= options.hosts(); host++) {
      cluster.addHost(SimOptions.host(host));
    }
    SimInside.add(cluster, inside.names());
    if (nodes == 2) {
      cluster.quorumOption("two_node", "1");
    }
    about.quorum(seed).forEach(cluster::quorumOption);
    cluster.checks().withoutFencing();
    cluster.loadCib(about.into(inside.into(SimCibs.random(nodes, Map.of("no-quorum-policy", "stop"), options)), nodes, seed));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    return cluster;
  }

  @Test
  void whatIsAwaitedStrikesOnceItIsSaidOrMisses() {
    var cluster = RealDaemons.cluster(1, 1);
    var bites = new SimBites(cluster);
    bites.await("said", (_, text) -> text.equals("now"));
    bites.await("unsaid", (_, text) -> text.equals("never"));
    cluster.note("now");
    cluster.note("now");
    bites.judge();
    cluster.note("never");
    bites.count("said", false);
    assertEquals(Map.of("said", new SimBites.Count(2, 1), "unsaid", new SimBites.Count(1, 0)), bites.counts());
  }
}
