package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class SimFocusTest {
  /// A fault that waits for words that nobody says any more never comes.
  @Test
  void whatFaultsWaitForIsSaid() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var node = cluster.node(cluster.resourceOn("a").getFirst());

    node.force("a", "stopped");
    cluster.run(Duration.ofSeconds(15));
    cluster.node(cluster.resourceOn("a").getFirst()).powerOff();
    cluster.run(Duration.ofSeconds(15));

    var lines = cluster.trace().lines();
    for (var awaited :
        List.of(SimFault.COUNTED, SimFault.MEMBERS_CHANGE, SimFault.FENCING_BEGINS)) {
      assertTrue(lines.stream().anyMatch(it -> it.contains(awaited)), awaited);
    }
  }

  /// Maps that are made of others at once have an order of their own in each process.
  @Test
  void optionsAreToldAndConfiguredInOneOrder() {
    var drawn = Map.of("e", "1", "a", "2", "d", "3", "b", "4", "g", "5", "c", "6", "f", "7");
    var options = new SimOptions(drawn, true, false, false, false, drawn, 0);
    assertEquals(List.of("a", "b", "c", "d", "e", "f", "g"), List.copyOf(options.cluster().keySet()));
    var about = SimFocus.PEOPLE.options(options);
    assertEquals(List.of("a", "b", "c", "d", "e", "f", "g"), List.copyOf(about.defaults().keySet()));
  }

  @Test
  void thatStrangersHaveManyProgramsRunIsNoticed() {
    var cluster = RealDaemons.cluster(1, 1);
    cluster.checks().describing(cluster.node("node1"), 12);
    assertEquals(Set.of(), cluster.checksFailed());
    cluster.checks().describing(cluster.node("node1"), 13);
    assertEquals(Set.of(SimCheck.CROWDED), cluster.checksFailed());
  }

  @Test
  void thatMembersChangeThoughTheyHaveALinkIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.nodes().forEach(it -> it.file().links(2));
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    var fault = new SimLinkFault(cluster, new SplittableRandom(1));
    fault.unnoticed("nothing", () -> cluster.run(Duration.ofSeconds(10)));
    assertEquals(Set.of(), cluster.checksFailed());
    fault.unnoticed(
        "a link",
        () -> {
          cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
          cluster.run(Duration.ofSeconds(10));
        });
    assertEquals(Set.of(SimCheck.LINK_MISSED), cluster.checksFailed());
  }

  @Test
  void someLivesAreAboutEachThing() {
    var seen = EnumSet.noneOf(SimFocus.class);
    LongStream.range(0, 2_000).forEach(it -> seen.add(SimPlan.of(it).focus()));
    seen.add(SimFocus.LINKS); // only where it is asked for
    assertEquals(EnumSet.allOf(SimFocus.class), seen);
  }

  /// What strangers say and who is taken for ended is told again as it was.
  @Test
  void whatHappensInThemCanBeToldAgain() {
    for (var about : List.of(SimFocus.STRANGERS, SimFocus.MEMBERS)) {
      var seed = LongStream.range(0, 2_000).filter(it -> SimPlan.of(it).focus() == about).findFirst();
      var run = new SimRun(seed.orElseThrow());
      run.carryOut();
      var deeds = run.cluster().story().deeds();

      var again = new SimRun(seed.orElseThrow(), deeds);

      assertEquals(run.cluster().failures(), again.carryOut());
      assertEquals(happened(run), happened(again), about.toString());
    }
  }

  /// What the nodes said and did while there were faults; who is asked to clean up after them is drawn.
  private static List<String> happened(SimRun run) {
    var lines = run.cluster().trace().lines();
    var end = IntStream.range(0, lines.size()).filter(it -> lines.get(it).contains("faults end")).findFirst();
    return lines.subList(0, end.orElseThrow()).stream().filter(it -> !it.contains(" sim ")).toList();
  }
}
