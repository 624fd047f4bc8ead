package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Two nodes and a quorum device, whose files are read anew: what one of them missed gives no two
/// sides the quorum.
final class QuorumDeviceReloadTest {
  private SimCluster cluster;
  private SimQnetd qnetd;

  /// @param except a node whose file stays as it is
  private void form(String algorithm, Consumer<SimConfFile> files, String... except) {
    cluster = RealDaemons.cluster(1, 2);
    qnetd = cluster.device(algorithm, 1);
    cluster.nodes().stream()
        .filter(it -> !List.of(except).contains(it.name()))
        .forEach(it -> files.accept(it.file()));
    cluster.loadCib(SimCibs.standard(2));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), this::said);
    cluster.run(Duration.ofSeconds(90)); // the vote has settled
  }

  private String said() {
    return String.join("\n", cluster.trace().lines());
  }

  private boolean quorate(String node) {
    return cluster.order().isQuorate(cluster.node(node));
  }

  private void apart() {
    cluster.partition(List.of(List.of("node1"), List.of("node2")));
  }

  /// The simulator sees to it that no two sides have quorum.
  private void isWell() {
    cluster.run(Duration.ofSeconds(40));
    assertEquals(List.of(), cluster.failures(), this::said);
  }

  private String other(String node) {
    return node.equals("node1") ? "node2" : "node1";
  }

  private String alone() {
    apart();
    cluster.run(Duration.ofSeconds(10));
    assertTrue(quorate("node1") != quorate("node2"), this::said);
    return quorate("node1") ? "node1" : "node2";
  }

  @Test
  void aDeviceIsNotTakenOutWhileANodeThatCountsItIsAway() {
    form("ffsplit", _ -> {});
    var here = alone();
    cluster.node(here).file().deviceless();
    cluster.node(here).file().option("two_node", "1");
    cluster.node(here).file().option("wait_for_all", "0");
    SimConfFile.reload(cluster, cluster.node(here));
    isWell();
  }

  @Test
  void theTimeoutIsChangedByBothOrByNone() {
    for (var one : List.of("node1", "node2")) {
      form("ffsplit", it -> it.deviceOption("timeout", "20000"));
      cluster.node(one).file().deviceOption("timeout", "2000");
      SimConfFile.reload(cluster, cluster.node(one));
      cluster.run(Duration.ofSeconds(40));
      qnetd.line(other(one), false);
      qnetd.stop(false);
      qnetd.start();
      apart();
      isWell();
    }
  }

  private void differ() {
    form("ffsplit", it -> it.deviceOption("timeout", "20000"), "node2");
  }

  /// The one would count its vote for longer than the other waits.
  @Test
  void whoseFilesDifferDoNotCountTheVoteAgainstEachOther() {
    for (var one : List.of("node1", "node2")) {
      differ();
      qnetd.line(one, false);
      qnetd.stop(false);
      qnetd.start();
      apart();
      isWell();
      assertTrue(said().contains("vote is not counted: corosync.conf of node"), this::said);
      assertFalse(quorate("node1") || quorate("node2"), this::said);
    }
  }

  @Test
  void whoHasEndedNeedNotBeAgreedWith() {
    differ();
    cluster.node("node2").shutdown();
    cluster.run(Duration.ofSeconds(40));
    assertTrue(quorate("node1"), this::said);
    cluster.node("node2").file().deviceOption("timeout", "20000");
    cluster.node("node2").startClusterSoon();
    cluster.run(Duration.ofSeconds(90));
    alone();
    isWell();
  }
}
