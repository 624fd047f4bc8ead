package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Two nodes and a quorum device: each single loss is survived, by those who should.
final class QuorumDeviceInAClusterTest {
  private static final Duration SOON = Duration.ofSeconds(40);

  private SimCluster cluster;
  private SimQnetd qnetd;

  private void form(String algorithm) {
    cluster = RealDaemons.cluster(1, 2);
    qnetd = cluster.device(algorithm, 1);
    cluster.loadCib(SimCibs.standard(2));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> said() + cluster.unsettled());
    cluster.run(Duration.ofSeconds(20)); // the vote has settled
  }

  private String said() {
    return String.join("\n", cluster.trace().lines());
  }

  private void awaits(BooleanSupplier what) {
    assertTrue(cluster.runUntil(what, SOON), this::said);
  }

  private boolean quorate(String node) {
    return cluster.order().isQuorate(cluster.node(node));
  }

  private void isWell() {
    assertEquals(List.of(), cluster.failures(), this::said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffsplit", "lms"})
  void aNodeWithoutPowerIsSurvived(String algorithm) {
    for (var lost : List.of("node1", "node2")) {
      form(algorithm);
      var left = lost.equals("node1") ? "node2" : "node1";

      cluster.node(lost).powerOff();
      cluster.run(Duration.ofSeconds(4));
      awaits(() -> quorate(left) && cluster.dcs().contains(left));

      isWell();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffsplit", "lms"})
  void whoKeepsTheLeadNeverLosesQuorum(String algorithm) {
    form(algorithm);
    var leader = cluster.network().leader(cluster.node("node1")).name();
    var other = leader.equals("node1") ? "node2" : "node1";
    var lost = cluster.trace().lines().stream().filter(it -> it.contains("Quorum lost")).count();

    cluster.node(other).powerOff();
    for (var second = 0; second < 60; second++) {
      cluster.run(Duration.ofSeconds(1));
      assertTrue(quorate(leader), this::said);
    }

    assertEquals(
        lost, cluster.trace().lines().stream().filter(it -> it.contains("Quorum lost")).count());
    isWell();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffsplit", "lms"})
  void theLineBetweenTheNodesIsCut(String algorithm) {
    form(algorithm);

    cluster.partition(List.of(List.of("node1"), List.of("node2")));
    cluster.run(Duration.ofSeconds(5));

    awaits(() -> quorate("node1") != quorate("node2"));
    isWell();
    cluster.heal();
    assertTrue(cluster.settle(Duration.ofMinutes(5)), this::said);
    isWell();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffsplit", "lms"})
  void theServerIsLost(String algorithm) {
    form(algorithm);

    qnetd.stop(true);
    cluster.run(Duration.ofMinutes(1));

    assertTrue(quorate("node1") && quorate("node2"));
    qnetd.start();
    cluster.run(Duration.ofSeconds(30));
    cluster.node("node2").powerOff();
    awaits(() -> quorate("node1"));
    isWell();
  }

  @Test
  void withoutServerNobodyGoesOnAlone() {
    form("ffsplit");
    qnetd.stop(false);
    cluster.run(Duration.ofSeconds(30));

    cluster.partition(List.of(List.of("node1"), List.of("node2")));
    cluster.run(Duration.ofSeconds(30));

    assertTrue(!quorate("node1") && !quorate("node2"), this::said);
    isWell();
  }

  /// The side that loses the server loses the vote, whoever the tie breaker is.
  @Test
  void whoIsCutOffFromAllGivesWay() {
    form("ffsplit");

    cluster.partition(List.of(List.of("node1"), List.of("node2")));
    qnetd.line("node1", false);
    cluster.run(Duration.ofSeconds(30));

    assertTrue(quorate("node2") && !quorate("node1"), this::said);
    isWell();
  }
}
