package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.Channels;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.pacemakerd.PacemakerdDaemon;

/// Nodes with a watchdog, and the guardian that keeps it fed.
final class WatchdogInAClusterTest {
  private static final Duration FORM = Duration.ofMinutes(3);

  private static SimCluster cluster(int nodes) {
    var cluster = RealDaemons.cluster(7, nodes);
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.variable("SBD_WATCHDOG_TIMEOUT", "5");
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    return cluster;
  }

  private static void run(SimCluster cluster, int seconds) {
    cluster.run(Duration.ofSeconds(seconds));
  }

  private static long resets(SimCluster cluster, String node) {
    return cluster.trace().toString().lines().filter(it -> it.contains(node + ": reset by")).count();
  }

  @Test
  void aNodeThatIsWellIsNeverReset() {
    var cluster = cluster(3);
    run(cluster, 300);
    for (var node : cluster.nodes()) {
      assertTrue(node.watchdog().isArmed(), node.name());
      assertEquals(0, resets(cluster, node.name()));
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aNodeThatStopsInGoodOrderIsNotReset() {
    var cluster = cluster(3);
    cluster.node("node2").shutdown();
    run(cluster, 60);
    assertFalse(cluster.node("node2").isRunning());
    assertFalse(cluster.node("node2").watchdog().isArmed());
    assertTrue(cluster.node("node2").isPowered());
    cluster.nodes().forEach(SimNode::shutdown);
    run(cluster, 60);
    for (var node : cluster.nodes()) {
      assertFalse(node.isRunning(), node.name());
      assertTrue(node.isPowered(), node.name());
      assertEquals(0, resets(cluster, node.name()));
    }
  }

  /// The supervisor does not know yet that the device counts.
  @Test
  void aNodeThatIsStoppedJustAsItsWatchdogIsArmedIsNotReset() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    var node = cluster.node("node1");
    for (var at = 0; at < 100_000 && !node.watchdog().isArmed(); at++) {
      cluster.run(Duration.ofNanos(100_000));
    }
    node.shutdown();
    run(cluster, 10);
    assertEquals(0, resets(cluster, "node1"));
    assertFalse(node.isRunning());
    assertFalse(node.watchdog().isArmed());
  }

  /// It is started again, or not, as its end says; the machine is not to be reset for that.
  @Test
  void aNodeThatEndsBecauseItsAddressIsNotThereIsNotReset() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.daemon(
        "pacemakerd",
        (node, world, layout, env) ->
            PacemakerdDaemon.start(
                world,
                layout,
                env,
                cluster.config(node),
                new NoChannel(world, cluster.network().channels(world)),
                cluster.streams(world)));
    cluster.node("node1").powerOn();
    assertTrue(
        cluster.runUntil(() -> cluster.trace().toString().contains("software ended"), FORM),
        cluster.trace()::toString);
    assertTrue(cluster.trace().toString().contains("is armed"), cluster.trace()::toString);
    assertFalse(cluster.node("node1").watchdog().isArmed(), cluster.trace()::toString);
  }

  /// Those of a machine whose address comes later.
  private record NoChannel(World world, Channels real) implements Channels {
    @Override
    public Channel open(Listener listener) {
      world.after(Duration.ofSeconds(2), () -> listener.closed("there is no such address"));
      return real.open(new Deaf());
    }

    @Override
    public void configuration(Consumer<Configuration> done) {
      real.configuration(done);
    }

    @Override
    public @Nullable String key() {
      return real.key();
    }

    @Override
    public boolean acceptKey(String key) {
      return real.acceptKey(key);
    }

    @Override
    public void useKey(String key) {
      real.useKey(key);
    }
  }

  private static final class Deaf implements Channels.Listener {
    @Override
    public void opened(Channels.Address self) {}

    @Override
    public void view(Channels.View view) {}

    @Override
    public void message(Channels.Address from, byte[] message) {}

    @Override
    public void ended(Channels.Address peer) {}

    @Override
    public void silent(Channels.Address peer, boolean silent) {}

    @Override
    public void closed(String why) {}
  }

  /// Fencing does not work: the watchdog alone sees to them.
  private static void noPowerSwitch(SimCluster cluster) {
    cluster.nodes().forEach(it -> it.agentFault("fence_sim", "*", List.of("fails")));
  }

  @Test
  void aNodeWithoutQuorumIsReset() {
    var cluster = cluster(3);
    noPowerSwitch(cluster);
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    run(cluster, 7);
    assertEquals(1, resets(cluster, "node1"));
    assertEquals(0, resets(cluster, "node2"));
    run(cluster, 120);
    assertEquals(1, resets(cluster, "node1"), "alone after its start it runs nothing");
  }

  @Test
  void aShortLossOfQuorumIsNoReasonForAReset() {
    var cluster = cluster(3);
    noPowerSwitch(cluster);
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    run(cluster, 3);
    cluster.heal();
    run(cluster, 60);
    assertEquals(0, resets(cluster, "node1"));
  }

  @Test
  void aSupervisorThatStandsStillOrDiesCostsTheNode() {
    for (var deed : List.of("stop", "kill")) {
      var cluster = cluster(3);
      noPowerSwitch(cluster);
      var node = cluster.node("node2");
      if (deed.equals("stop")) {
        node.hang("pacemakerd", Duration.ofSeconds(60).toNanos());
      } else {
        node.kill("pacemakerd");
      }
      run(cluster, 7);
      assertEquals(1, resets(cluster, "node2"), deed);
    }
  }

  @Test
  void aGuardianThatIsKilledIsStartedAgainInTime() {
    var cluster = cluster(3);
    cluster.node("node2").kill("guardian");
    run(cluster, 60);
    assertEquals(0, resets(cluster, "node2"));
    assertTrue(cluster.node("node2").watchdog().isArmed());
  }

  /// The delay is for the machine's start.
  @Test
  void aGuardianThatIsStartedAgainDoesNotWaitAsTheNodesStartDoes() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_WATCHDOG_DEV", "/dev/watchdog");
    cluster.variable("SBD_WATCHDOG_TIMEOUT", "5");
    cluster.variable("SBD_DELAY_START", "yes");
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    cluster.node("node2").kill("guardian");
    run(cluster, 60);
    assertEquals(0, resets(cluster, "node2"));
  }

  /// Others count on a message after msgwait, and not after twice the watchdog's time.
  @Test
  void aDelayedStartWaitsForAsLongAsAMessageOnADiskMayTake() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_DEVICE", "/dev/one;/dev/two");
    cluster.variable("SBD_WATCHDOG_TIMEOUT", "5");
    cluster.variable("SBD_DELAY_START", "yes");
    cluster.messageDisks().messageWait(Duration.ofSeconds(45));
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    run(cluster, 40);
    cluster.nodes().forEach(it -> assertFalse(it.watchdog().isArmed(), it.name()));
    run(cluster, 20);
    cluster.nodes().forEach(it -> assertTrue(it.watchdog().isArmed(), it.name()));
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
  }

  @Test
  void aGuardianThatStandsStillFeedsNothingAfterwards() {
    var cluster = cluster(3);
    cluster.node("node2").hang("guardian", Duration.ofSeconds(30).toNanos());
    run(cluster, 7);
    assertEquals(1, resets(cluster, "node2"));
  }

  @Test
  void aNodeWithDisksIsResetByAMessageAndNotForWantOfQuorum() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_DEVICE", "/dev/one;/dev/two;/dev/three");
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    noPowerSwitch(cluster);
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    run(cluster, 20);
    assertEquals(0, resets(cluster, "node1"), "its disks answer, and say nothing");
    cluster.messageDisks().write("node1", DiskMessage.RESET, "node2");
    run(cluster, 3);
    assertEquals(1, resets(cluster, "node1"));
  }

  @Test
  void aNodeWhoseDisksHangIsResetOnlyWithoutQuorum() {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.variable("SBD_DEVICE", "/dev/one;/dev/two;/dev/three");
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    noPowerSwitch(cluster);
    for (var disk : List.of("/dev/one", "/dev/three")) {
      cluster.messageDisks().hang("node1", disk, true);
    }
    run(cluster, 30);
    assertEquals(0, resets(cluster, "node1"), "it has quorum");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    run(cluster, 7);
    assertEquals(1, resets(cluster, "node1"));
  }

  @Test
  void fencingByDisksBringsTheResourcesElsewhere() {
    var cluster = RealDaemons.cluster(9, 3);
    cluster.variable("SBD_DEVICE", "/dev/one");
    cluster.loadCib(withFenceSbd(SimCibs.standard(3)));
    cluster.powerOnAll();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    run(cluster, 40);
    assertEquals(1, resets(cluster, "node1"));
    cluster.heal();
    assertTrue(cluster.settle(FORM), cluster.unsettled()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  private static Element withFenceSbd(Element cib) {
    try {
      return XmlReader.parse(XmlWriter.pretty(cib).replace("fence_sim", "fence_sbd"));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aDaemonThatStaysAwayCostsTheNode() {
    var cluster = cluster(3);
    noPowerSwitch(cluster);
    var node = cluster.node("node3");
    for (var at = 0; at < 200 && resets(cluster, "node3") == 0; at++) {
      node.kill("execd");
      cluster.run(Duration.ofMillis(700));
    }
    assertEquals(1, resets(cluster, "node3"));
  }
}
