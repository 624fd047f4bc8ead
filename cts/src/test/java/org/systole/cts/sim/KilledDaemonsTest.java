package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.cib.CibOp;

/// One daemon of a node dies or hangs: the supervisor starts it again, and the resources never
/// notice.
final class KilledDaemonsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");

  private static SimCluster running(long seed, int nodes) {
    var cluster = RealDaemons.cluster(seed, nodes);
    cluster.loadCib(SimCibs.standard(nodes));
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

  private static String victim(SimCluster cluster, boolean dc) {
    return cluster.nodes().stream().filter(it -> it.isDc() == dc).findFirst().orElseThrow().name();
  }

  /// What happened to resources and nodes since.
  private static List<String> deeds(SimCluster cluster, int since) {
    var changes = cluster.trace().changes();
    return changes.subList(since, changes.size()).stream()
        .filter(it -> !it.contains("DC"))
        .toList();
  }

  static Stream<Arguments> kills() {
    return DAEMONS.stream()
        .flatMap(
            it ->
                Stream.of(
                    Arguments.of(it, 3, true),
                    Arguments.of(it, 3, false),
                    Arguments.of(it, 1, true)));
  }

  @ParameterizedTest(name = "{0} of {1} nodes, of the DC: {2}")
  @MethodSource("kills")
  void aKilledDaemonIsRestoredAndNothingElseHappens(String daemon, int nodes, boolean dc) {
    for (var seed = 1; seed <= 2; seed++) {
      var cluster = running(seed, nodes);
      var since = cluster.trace().changes().size();

      assertTrue(cluster.node(victim(cluster, dc)).kill(daemon));
      cluster.run(Duration.ofSeconds(20));
      settle(cluster);

      assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
    }
  }

  @ParameterizedTest(name = "of the DC: {0}")
  @ValueSource(booleans = {true, false})
  void aKilledSupervisorWithoutFencingComesBackToWhatItRan(boolean dc) {
    for (var seed = 1; seed <= 3; seed++) {
      var cluster = RealDaemons.cluster(seed, 3);
      cluster.loadCib(SimCibs.standard(3, Map.of("fencing-enabled", "false")));
      cluster.powerOnAll();
      settle(cluster);
      var name = victim(cluster, dc);
      var ran = cluster.node(name).activeResources();

      assertTrue(cluster.node(name).kill("pacemakerd"));
      cluster.run(Duration.ofSeconds(30));
      settle(cluster);

      assertEquals(ran, cluster.node(name).activeResources(), cluster.trace()::toString);
    }
  }

  @Test
  void withoutFencingANodeThatDoesNotComeBackIsRecoveredFromAllTheSame() {
    var cluster = RealDaemons.cluster(4, 3);
    cluster.loadCib(SimCibs.standard(3, Map.of("fencing-enabled", "false")));
    cluster.powerOnAll();
    settle(cluster);
    var name = cluster.resourceOn("a").getFirst();

    cluster.node(name).powerOff();
    cluster.run(Duration.ofSeconds(8));
    assertEquals(List.of(), cluster.resourceOn("a"), "it may still come back");
    cluster.run(Duration.ofSeconds(22));

    assertEquals(1, cluster.resourceOn("a").size(), cluster.trace()::toString);
  }

  static Stream<Arguments> pairs() {
    return DAEMONS.stream()
        .flatMap(
            one ->
                DAEMONS.stream()
                    .filter(it -> it.compareTo(one) > 0)
                    .flatMap(
                        other ->
                            Stream.of(
                                Arguments.of(one, other, true), Arguments.of(one, other, false))));
  }

  @ParameterizedTest(name = "{0} and {1}, of the DC: {2}")
  @MethodSource("pairs")
  void twoDaemonsKilledAtOnceAreRestoredToo(String one, String other, boolean dc) {
    var cluster = running(9, 3);
    var since = cluster.trace().changes().size();
    var node = cluster.node(victim(cluster, dc));

    assertTrue(node.kill(one));
    assertTrue(node.kill(other));
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @ParameterizedTest
  @MethodSource("all")
  void oneDaemonKilledOnAllNodesAtOnceIsRestoredEverywhere(String daemon) {
    var cluster = running(10, 3);
    var since = cluster.trace().changes().size();

    cluster.nodes().forEach(it -> assertTrue(it.kill(daemon)));
    cluster.run(Duration.ofSeconds(40));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void aStartThatItsControllerDidNotLiveToSeeIsNotDoneAgain(long seed) {
    var cluster = running(seed, 3);
    for (var node : cluster.nodes()) {
      node.agentFault("a", "start", List.of("takes", "PT8S"));
    }
    var node = cluster.resourceOn("a").getFirst();
    var since = cluster.trace().changes().size();
    cluster.node(node).force("a", "stopped");
    assertTrue(
        cluster.runUntil(
            () -> deeds(cluster, since).contains("a started on " + node), Duration.ofMinutes(1)),
        cluster.trace()::toString);
    var lines = cluster.trace().lines().size();

    cluster.node(node).kill("controld");
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    assertEquals(
        List.of("a stopped on " + node, "a started on " + node),
        deeds(cluster, since),
        cluster.trace()::toString);
    var all = cluster.trace().lines();
    assertEquals(
        List.of(),
        all.subList(lines, all.size()).stream().filter(it -> it.endsWith(" a start")).toList(),
        cluster.trace()::toString);
  }

  @Test
  void recurringMonitorsGoOnAfterTheExecutorDied() {
    var cluster = running(4, 3);
    var node = cluster.resourceOn("a").getFirst();
    cluster.node(node).kill("execd");
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);
    var since = cluster.trace().changes().size();

    cluster.node(node).force("a", "stopped");
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);

    assertEquals(
        List.of("a stopped on " + node, "a started on " + node),
        deeds(cluster, since),
        cluster.trace()::toString);
  }

  @Test
  void aStartThatItsExecutorDidNotLiveToSeeIsDoneAgain() {
    var cluster = running(5, 3);
    for (var node : cluster.nodes()) {
      node.agentFault("a", "start", List.of("takes", "PT8S"));
    }
    var node = cluster.resourceOn("a").getFirst();
    var since = cluster.trace().changes().size();
    cluster.node(node).force("a", "stopped");
    assertTrue(
        cluster.runUntil(
            () -> deeds(cluster, since).contains("a started on " + node), Duration.ofMinutes(1)),
        cluster.trace()::toString);

    cluster.node(node).kill("execd");
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    assertEquals(List.of(node), cluster.resourceOn("a"), cluster.trace()::toString);
    assertEquals(
        List.of("a stopped on " + node, "a started on " + node),
        deeds(cluster, since),
        cluster.trace()::toString);
  }

  @ParameterizedTest
  @MethodSource("daemons")
  void aDaemonThatHangsIsKilledAndRestored(String daemon) {
    var cluster = running(6, 3);
    var since = cluster.trace().changes().size();

    cluster.node(victim(cluster, false)).hang(daemon, Duration.ofHours(1).toNanos());
    cluster.run(Duration.ofSeconds(60));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
  }

  static List<String> daemons() {
    return DAEMONS;
  }

  @Test
  void aSchedulerThatHangsHoldsUpARecoveryForHalfAMinute() {
    var cluster = running(6, 3);
    cluster.node(victim(cluster, true)).hang("schedulerd", Duration.ofHours(1).toNanos());
    var node = cluster.resourceOn("a").getFirst();

    cluster.node(node).force("a", "stopped");
    cluster.run(Duration.ofSeconds(50));

    assertEquals(List.of(node), cluster.resourceOn("a"), cluster.trace()::toString);
    settle(cluster);
  }

  @ParameterizedTest
  @MethodSource("all")
  void aNodeStopsInGoodOrderWhileADaemonIsDead(String daemon) {
    var cluster = running(7, 3);
    var name = victim(cluster, false);
    var node = cluster.node(name);

    node.kill(daemon);
    cluster.run(Duration.ofMillis(100));
    node.shutdown();
    cluster.run(Duration.ofSeconds(60));

    assertTrue(
        cluster.trace().changes().stream().noneMatch(it -> it.startsWith(name + " fenced")),
        cluster.trace()::toString);
    assertTrue(
        cluster.trace().changes().contains(name + " cluster software ended"),
        cluster.trace()::toString);
    assertEquals(1, cluster.resourceOn("a").size(), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  static List<String> all() {
    return DAEMONS;
  }

  @Test
  void aControllerThatStaysAwayCostsItsNodeTheMembership() {
    var cluster = running(8, 3);
    var name = victim(cluster, false);
    cluster.daemon("controld", (_, _, _, _) -> {}); // it comes, and does nothing
    var since = cluster.trace().changes().size();

    cluster.node(name).kill("controld");
    cluster.run(Duration.ofSeconds(60));

    assertTrue(
        deeds(cluster, since).stream().anyMatch(it -> it.startsWith(name + " fenced")),
        cluster.trace()::toString);
  }

  @Test
  void aCibOfAnotherSideIsFilledInByTheNodesAndNothingElseHappens() {
    var cluster = running(9, 3);
    var since = cluster.trace().changes().size();

    // as a primary that gives way to a copy that another side had, or one only read from disk
    cluster.update(
        victim(cluster, true),
        List.of(CibOp.deleteAllXPath("//node_state"), CibOp.modifyRoot("dc-uuid", "7")),
        _ -> {});
    cluster.run(Duration.ofSeconds(20));
    settle(cluster);

    assertEquals(List.of(), deeds(cluster, since), cluster.trace()::toString);
    var cib = cluster.cib("node1");
    assertNotNull(cib);
    for (var node : cluster.nodes()) {
      var state = cib.find(it -> it.is("node_state") && node.name().equals(it.get("uname")));
      assertNotNull(state, () -> node.name() + "\n" + cluster.trace());
      assertNotNull(state.path("lrm", "lrm_resources", "lrm_resource"), cluster.trace()::toString);
    }
  }
}
