package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// A simulated machine inside another one.
final class SimGuestTest {
  private final SimCluster cluster = RealDaemons.cluster(1, 3);
  private final SimNode guest = cluster.outside().guest("inside", "vm");

  SimGuestTest() {
    cluster.nodes().forEach(SimNode::powerOn);
  }

  private SimGuest of() {
    return cluster.outside().guests().getFirst();
  }

  @Test
  void itIsThereAsLongAsItsResource() {
    guest.powerOn();
    assertFalse(guest.isPowered(), "nobody but its resource's agent switches it on");
    cluster.node("node1").force("vm", "started");
    assertTrue(guest.isPowered());
    guest.force("in", "started");
    cluster.node("node1").force("vm", "stopped");
    assertFalse(guest.isPowered());
    assertEquals(List.of(), cluster.resourceOn("in"));
  }

  @Test
  void itsResourceEndsWithIt() {
    cluster.node("node1").force("vm", "started");
    guest.powerOff();
    assertEquals(List.of(), cluster.resourceOn("vm"));
  }

  @Test
  void itHasThePowerAndTheStandstillsOfItsCarrier() {
    cluster.node("node1").force("vm", "started");
    cluster.node("node1").pause();
    assertTrue(guest.isPaused());
    cluster.node("node1").resume();
    assertFalse(guest.isPaused());
    cluster.node("node1").powerOff();
    assertFalse(guest.isPowered());
  }

  @Test
  void whatReachesItGoesThroughItsCarrier() {
    cluster.node("node1").force("vm", "started");
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    assertTrue(cluster.network().hear(cluster.node("node1"), guest));
    assertFalse(cluster.network().hear(cluster.node("node2"), guest));
    cluster.heal();
    assertTrue(cluster.network().hear(cluster.node("node2"), guest));
    cluster.cut("node2", "inside");
    assertFalse(cluster.network().hear(cluster.node("node2"), guest));
    assertTrue(cluster.network().hear(cluster.node("node3"), guest));
  }

  @Test
  void movedItRunsOnAndWhatRunsInItToo() {
    cluster.node("node1").force("vm", "started");
    guest.force("in", "started");
    assertTrue(of().move(cluster.node("node1"), cluster.node("node2")));
    cluster.node("node1").force("vm", "stopped");
    cluster.node("node2").force("vm", "started");
    assertTrue(of().runs(cluster.node("node2")));
    assertEquals(List.of("inside"), cluster.resourceOn("in"));
    cluster.node("node1").powerOff();
    assertTrue(guest.isPowered());
    cluster.node("node2").powerOff();
    assertFalse(guest.isPowered());
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void itIsMovedOnlyFromWhereItRunsToAMachineThatIsOn() {
    cluster.node("node1").force("vm", "started");
    assertFalse(of().move(cluster.node("node2"), cluster.node("node3")));
    cluster.node("node3").powerOff();
    assertFalse(of().move(cluster.node("node1"), cluster.node("node3")));
    assertTrue(of().runs(cluster.node("node1")));
  }

  @Test
  void startedASecondTimeElsewhereItIsNoticed() {
    cluster.node("node1").force("vm", "started");
    cluster.node("node2").force("vm", "started");
    assertEquals(Set.of(SimCheck.TWO_ACTIVE), cluster.checksFailed());
  }

  @Test
  void oneThatIsNotThereAtTheEndIsNoticed() {
    cluster.checks().guests();
    assertEquals(Set.of(SimCheck.MISPLACED), cluster.checksFailed());
  }

  @Test
  void oneThatIsThereAndThatNobodyIsConnectedToAtTheEndIsNoticed() {
    cluster.checks().connections();
    assertEquals(Set.of(), cluster.checksFailed(), "it is not there");
    cluster.node("node1").force("vm", "started");
    cluster.run(Duration.ofSeconds(5));
    cluster.checks().connections();
    assertEquals(Set.of(SimCheck.MISPLACED), cluster.checksFailed());
  }

  @Test
  void aContainerWithoutWhatBelongsInsideIsNoticed() {
    of().configured("docker", Map.of());
    cluster.node("node1").force("vm", "started");
    cluster.run(Duration.ofSeconds(5));
    guest.force("web", "started");
    cluster.checks().guests();
    assertEquals(List.of(), cluster.failures());
    guest.force("web", "stopped");
    cluster.checks().guests();
    assertEquals(Set.of(SimCheck.MISPLACED), cluster.checksFailed());
  }

  @Test
  void aContainerIsReachedByThePortsThatItsCarrierPublishes() {
    of().configured(
        "docker", Map.of("OCF_RESKEY_run_opts", " -e X=1 -p 9999:9999 -p 192.0.2.10:80:8080"));
    assertNull(cluster.outside().at("192.0.2.10", 80), "it does not run");
    cluster.node("node1").force("vm", "started");
    assertSame(guest, cluster.outside().at("192.0.2.10", 80));
    assertSame(guest, cluster.outside().at("node1", 9999));
    assertNull(cluster.outside().at("node2", 9999), "nobody listens there");
    assertSame(cluster.node("node2"), cluster.outside().at("node2", 3121));
    assertSame(cluster.node("node1"), cluster.outside().at("node1", 3121));
  }

  @Test
  void aContainerEndsWithItsDaemonAndAMachineDoesNot() {
    cluster.node("node1").force("vm", "started");
    cluster.run(Duration.ofSeconds(5));
    guest.kill("remoted");
    cluster.run(Duration.ofSeconds(5));
    assertTrue(guest.isRunning(), "it is started again");

    of().configured("podman", Map.of());
    guest.kill("remoted");
    cluster.run(Duration.ofSeconds(5));
    assertFalse(guest.isPowered());
  }
}
