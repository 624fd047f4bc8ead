package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

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
    seen.addAll(List.of(SimFocus.LINKS, SimFocus.ODD, SimFocus.MOVES, SimFocus.STANDING, SimFocus.CALM)); // only where they are asked for
    assertEquals(EnumSet.allOf(SimFocus.class), seen);
  }

  /// Those who were left out meet one who counts, and that lasts long enough for them to be members together.
  @Test
  void aLifeAboutStandingLeavesNodesOutAndHasThemMeet() {
    var cluster = RealDaemons.cluster(1, 5);
    SimStanding.always(1).forEach(cluster::quorumOption);
    cluster.loadCib(SimCibs.standard(5));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var takes = new SimStanding(cluster, new SplittableRandom(1)).happen();
    cluster.run(Duration.ofNanos(takes).minusSeconds(1));

    var lines = cluster.trace().lines();
    var counted = Pattern.compile("last_man_standing: the votes of nodes ([ 0-9]+) count");
    var first = lines.stream().map(counted::matcher).filter(Matcher::find).findFirst().orElseThrow();
    var count = Arrays.stream(first.group(1).split(" ")).map("node"::concat).toList();
    assertTrue(count.size() < 5, count::toString);
    var together = cluster.nodes().stream().map(cluster.order()::members).toList();
    assertTrue(
        together.stream().anyMatch(it -> it.stream().anyMatch(count::contains) && !count.containsAll(it)),
        together::toString);
    assertEquals(List.of(), cluster.failures());
  }

  /// What an administrator changes in an odd life is put back before anybody looks how it ends.
  @Test
  void whatTheClusterBeganWithIsPutBack() {
    var cluster = RealDaemons.cluster(1, 3);
    var cib = SimOdd.CLONES.into(SimCibs.random(3, Map.of(), SimOdd.CLONES.options(SimOptions.USUAL, 1)), 3, 1);
    var original = new SimOriginal();
    original.asked(cib, SimChanges.nodeAttribute(cluster.node("node1"), "standby", "on"));
    original.asked(cib, CibOp.put("resources", SimCibs.resource("extra1")));
    original.asked(cib, CibOp.put("resources", Element.of("primitive", "id", "a", "type", "Dummy")));
    assertEquals(List.of(), original.putBack());

    var max = Element.of("nvpair", "id", "each-clone-max", "name", "clone-max", "value", "1");
    var meta = Element.builder("meta_attributes").attr("id", "each-meta").add(max);
    original.asked(cib, CibOp.put("resources", Element.builder("clone").attr("id", "each-clone").add(meta).build()));
    original.asked(cib, CibOp.put("resources", Element.of("primitive", "id", "a", "type", "Other")));
    var whole = original.putBack().stream().map(CibOp::xml).toList();
    assertEquals(2, whole.size());
    assertTrue(String.join("", whole).contains("type=\"Dummy\""));
    assertTrue(String.join("", whole).contains("name=\"clone-max\" value=\"3\""));
  }

  /// Seeds have what odd lives are about in turn.
  @Test
  void oddLivesAreAboutEachThing() {
    var seen = EnumSet.of(SimOdd.NONE);
    LongStream.range(0, SimOdd.values().length - 1L).forEach(it -> seen.add(SimOdd.of(it)));
    assertEquals(EnumSet.allOf(SimOdd.class), seen);
  }

  /// Another agent of the same resource finds nothing of what the one before started.
  @Test
  void anotherAgentDoesNotFindWhatRuns() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var on = cluster.resourceOn("a");
    var other = Element.of("primitive", "id", "a", "class", "ocf", "provider", "pacemaker", "type", "Other");
    cluster.update(on.getFirst(), List.of(CibOp.put("resources", other)), _ -> {});
    cluster.run(Duration.ofSeconds(20));
    assertEquals(1, cluster.resourceOn("a").size());
    assertEquals(List.of(), cluster.failures());
    assertTrue(cluster.trace().lines().stream().anyMatch(it -> it.contains("Other") && it.contains("a start")));
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
