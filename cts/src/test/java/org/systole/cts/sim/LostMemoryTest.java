package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// The executor and the controller of a node die in the same instant, perhaps with others: nobody is
/// left on it who knows what it runs. The administrator has nothing looked for on nodes that start.
final class LostMemoryTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> KNOWING = List.of("execd", "controld");
  private static final List<String> OTHERS = List.of("cibd", "fenced", "attrd", "schedulerd");

  private static SimCluster running(long seed, int nodes) {
    var cluster = RealDaemons.cluster(seed, nodes);
    cluster.loadCib(SimCibs.standard(nodes, Map.of("enable-startup-probes", "false")));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    cluster.powerOnAll();
    settle(cluster);
    return cluster;
  }

  private static void settle(SimCluster cluster) {
    var settled = cluster.settle(LIMIT);
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  /// What is started where it does not run already wants to be on another node than the one that it
  /// runs on.
  private static void preferOthers(SimCluster cluster, String node) {
    var changes = new ArrayList<CibOp>();
    changes.add(
        CibOp.put(
            "rsc_defaults",
            Element.builder("meta_attributes")
                .attr("id", "defaults")
                .add(
                    Element.of(
                        "nvpair", "id", "sticky", "name", "resource-stickiness", "value", "1000"))
                .build()));
    for (var resource : List.of("a", "b", "g", "store-clone")) {
      changes.add(
          CibOp.put(
              "constraints",
              Element.of(
                  "rsc_location",
                  "id",
                  "not-" + resource,
                  "rsc",
                  resource,
                  "node",
                  node,
                  "score",
                  "-100")));
    }
    cluster.update(node, changes, _ -> {});
    settle(cluster);
  }

  private static List<String> deeds(SimCluster cluster, int since) {
    var changes = cluster.trace().changes();
    return changes.subList(since, changes.size()).stream()
        .filter(it -> !it.contains("DC"))
        .toList();
  }

  private static void kill(SimCluster cluster, String node, List<String> daemons) {
    daemons.forEach(it -> assertTrue(cluster.node(node).kill(it)));
  }

  static Stream<Arguments> sets() {
    var sets = new ArrayList<Arguments>();
    for (var bits = 0; bits < 1 << OTHERS.size(); bits++) {
      var set = new ArrayList<>(KNOWING);
      for (var at = 0; at < OTHERS.size(); at++) {
        if ((bits >> at & 1) == 1) {
          set.add(OTHERS.get(at));
        }
      }
      sets.add(Arguments.of(set, 1 + bits % 3));
    }
    return sets.stream();
  }

  @ParameterizedTest(name = "{0} of node{1}")
  @MethodSource("sets")
  void whatRanOnWithoutThemIsFoundAndNotStartedElsewhere(List<String> daemons, int node) {
    var cluster = running(20 + node, 3);
    var name = "node" + node;
    preferOthers(cluster, name);
    var since = cluster.trace().changes().size();

    kill(cluster, name, daemons);
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @Test
  void aNodeAloneFindsWhatItRuns() {
    var cluster = running(30, 1);
    var since = cluster.trace().changes().size();

    kill(cluster, "node1", KNOWING);
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32, 33})
  void whatAnAgentCannotTellIsStoppedBeforeItIsStartedElsewhere(long seed) {
    var cluster = running(seed, 3);
    var name = cluster.resourceOn("b").getFirst();
    preferOthers(cluster, name);
    var since = cluster.trace().changes().size();

    cluster.node(name).agentFault("b", "monitor", List.of("fails"));
    kill(cluster, name, KNOWING);
    cluster.run(Duration.ofSeconds(30));
    cluster.node(name).agentFault("b", "monitor", List.of("well"));
    settle(cluster);

    var deeds = deeds(cluster, since);
    assertEquals("b stopped on " + name, deeds.getFirst(), cluster.trace()::toString);
    assertEquals(1, cluster.resourceOn("b").size(), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(longs = {61, 62, 63})
  void whatRunsWhereAllNodesLostTheirClusterSoftwareAtOnceIsFound(long seed) {
    var cluster = running(seed, 3);
    preferOthers(cluster, cluster.resourceOn("b").getFirst());

    cluster.nodes().forEach(it -> it.kill("pacemakerd"));
    var since = cluster.trace().changes().size();
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(longs = {71, 72, 73})
  void aStartThatNobodyHasWrittenDownIsNotForgotten(long seed) {
    var cluster = running(seed, 3);
    var dc = cluster.dcs().getFirst();
    cluster.node(dc).agentFault("fresh", "start", List.of("takes", "PT20S"));
    cluster.update(
        dc,
        List.of(
            CibOp.put("resources", SimCibs.resource("fresh")),
            CibOp.put("constraints", location("fresh-first", dc, "100"))),
        _ -> {});
    assertTrue(cluster.runUntil(() -> isStarting(cluster, dc), LIMIT));

    cluster.update(
        dc, List.of(CibOp.put("constraints", location("fresh-first", dc, "-100"))), _ -> {});
    kill(cluster, dc, List.of("execd", "controld", "cibd"));
    cluster.node(dc).agentFault("fresh", "start", List.of("well"));
    cluster.run(Duration.ofSeconds(60));
    settle(cluster);

    assertEquals(1, cluster.resourceOn("fresh").size(), cluster.trace()::toString);
  }

  private static boolean isStarting(SimCluster cluster, String node) {
    return cluster.node(node).processes().stream().anyMatch(it -> it.name().equals("Dummy"))
        && cluster.trace().lines().getLast().contains("fresh start");
  }

  private static Element location(String id, String node, String score) {
    return Element.of("rsc_location", "id", id, "rsc", "fresh", "node", node, "score", score);
  }

  @ParameterizedTest
  @ValueSource(longs = {81, 82, 83})
  void whatRunsAfterItsHistoryWasCleanedUpIsFound(long seed) {
    var cluster = running(seed, 3);
    preferOthers(cluster, cluster.resourceOn("b").getFirst());
    var since = cluster.trace().changes().size();

    cluster.ask(
        "node1",
        CtlMessage.SOCKET,
        CtlMessage.PROTOCOL,
        new CtlMessage.ClearHistory("", ""),
        answer -> assertEquals(new CtlMessage.Done(), answer));
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43})
  void whatWasTakenOutOfTheConfigurationMeanwhileIsStopped(long seed) {
    var cluster = running(seed, 3);
    var name = cluster.resourceOn("b").getFirst();

    kill(cluster, name, KNOWING);
    cluster.update(
        name.equals("node1") ? "node2" : "node1",
        List.of(CibOp.deleteXPath("//primitive[@id='b']")),
        _ -> {});
    cluster.run(Duration.ofSeconds(40));
    settle(cluster);

    assertEquals(List.of(), cluster.resourceOn("b"), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aNodeThatIsToStopJustThenIsNotFencedAndLeavesNothingRunning(int node) {
    var cluster = running(50 + node, 3);
    var name = "node" + node;

    kill(cluster, name, KNOWING);
    cluster.run(Duration.ofMillis(100));
    cluster.node(name).shutdown();
    cluster.run(Duration.ofSeconds(60));

    assertTrue(
        cluster.trace().changes().stream().noneMatch(it -> it.startsWith(name + " fenced")),
        cluster.trace()::toString);
    assertEquals(List.of(), cluster.node(name).activeResources(), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }
}
