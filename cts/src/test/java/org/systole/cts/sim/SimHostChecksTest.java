package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// What is held against host HA is noticed, and what is right is not.
final class SimHostChecksTest {
  private static final SimHostHa PLAN =
      new SimHostHa(4, false, 4, 700, 1, 300, 1, Map.of());

  private final SimCluster cluster = RealDaemons.cluster(1, 3);
  private final SimNode h1 = cluster.addHost("h1");
  private final SimNode h2 = cluster.addHost("h2");

  SimHostChecksTest() {
    cluster.addHost("h3");
    cluster.addHost("h4");
    cluster.hostChecks().watch(PLAN);
    cluster.hosts().forEach(SimNode::powerOn);
    cluster.run(Duration.ofMinutes(1));
  }

  @Test
  void aHostThatIsGivenUpThoughItWritesIsNoticed() {
    h1.pause();
    investigated(4);
    moved("h1", "CHECKING", "RECOVERING", "ActivityCheckFailureOverThresholdRatio");
    assertEquals(Set.of(), cluster.checksFailed(), "it stands still");

    h1.resume();
    investigated(4);
    moved("h1", "CHECKING", "RECOVERING", "ActivityCheckFailureOverThresholdRatio");
    assertEquals(Set.of(SimCheck.HOST_ALIVE), cluster.checksFailed());
  }

  @Test
  void aNewDcCountsItsOwnLooks() {
    investigated(4); // h1 writes
    h1.pause();
    cluster.run(Duration.ofSeconds(10));
    said("node2", "controld", "notice: Host HA looks after 4 hosts");
    look(4);
    moved("h1", "CHECKING", "RECOVERING", "ActivityCheckFailureOverThresholdRatio");
    assertEquals(Set.of(), cluster.checksFailed());
  }

  @Test
  void aHostThatNobodyHasLookedAtIsNotToBeGivenUp() {
    investigated(0);
    moved("h1", "CHECKING", "FENCING", "RecoveryOperationThresholdExceeded");
    assertEquals(Set.of(SimCheck.HOST_ALIVE), cluster.checksFailed());
  }

  @Test
  void ofLooksThatWereWrongNothingFollows() {
    cluster.outside().volumes().looks(h2, true);
    investigated(4);
    moved("h1", "CHECKING", "RECOVERING", "ActivityCheckFailureOverThresholdRatio");
    assertEquals(Set.of(), cluster.checksFailed());
  }

  @Test
  void aHostThatWritesToOneVolumeWrites() {
    cluster.outside().volumes().writes(h1, SimVolumes.Writes.LAST);
    investigated(4);
    moved("h1", "CHECKING", "RECOVERING", "ActivityCheckFailureOverThresholdRatio");
    assertEquals(Set.of(SimCheck.HOST_ALIVE), cluster.checksFailed());
  }

  @Test
  void aHostThatWasWellAndHasItsPowerCutIsNoticed() {
    cluster.cutPower(h1, cluster.node("node1"));
    assertEquals(Set.of(), cluster.checksFailed(), "it has only just come");
    cluster.run(Duration.ofMinutes(2));
    cluster.hostChecks().forced(h2);
    cluster.cutPower(h2, cluster.node("node1"));
    assertEquals(Set.of(), cluster.checksFailed(), "a person wanted it");
    cluster.cutPower(cluster.node("h3"), cluster.node("node1"));
    assertEquals(Set.of(SimCheck.HOST_WELL), cluster.checksFailed());
  }

  @Test
  void whatTheClusterHasAskedForOfASickHostItsDevicesMayDoLater() {
    cluster.run(Duration.ofMinutes(2));
    h1.kill("remoted");
    cluster.run(Duration.ofSeconds(3));
    byTheCluster();
    cluster.run(Duration.ofMinutes(4));
    byTheCluster();
    cluster.cutPower(h1, cluster.node("node1"));
    assertEquals(Set.of(), cluster.checksFailed(), "its executor was killed when that was asked for");

    h1.powerOn();
    cluster.run(Duration.ofMinutes(2));
    said(
        "node2",
        "fenced",
        "notice: Fencing (reboot) of h1 by node1 for pacemaker-controld.17@node1 succeeded | fencing=1");
    cluster.cutPower(h1, cluster.node("node1"));
    assertEquals(Set.of(SimCheck.HOST_WELL), cluster.checksFailed());
  }

  @Test
  void aHostThatIsFencedWithoutHavingLostItsPowerIsNoticed() {
    moved("h1", "RECOVERING", "FENCING", "RecoveryOperationThresholdExceeded");
    cluster.run(Duration.ofSeconds(1));
    h1.powerOff();
    h1.powerOn();
    moved("h1", "FENCING", "FENCED", "Fenced");
    assertEquals(Set.of(), cluster.checksFailed());

    h2.powerOff();
    h2.powerOn();
    cluster.run(Duration.ofSeconds(1));
    moved("h2", "RECOVERING", "FENCING", "RecoveryOperationThresholdExceeded");
    moved("h2", "FENCING", "FENCED", "Fenced");
    assertEquals(Set.of(SimCheck.HOST_UNPROVED), cluster.checksFailed());
  }

  @Test
  void aHostThatIsRecoveredTwiceIsNoticed() {
    asked("h1", "reboot", "node1");
    ended("h1", "reboot", "node1");
    cluster.hostChecks().answers(h1);
    asked("h1", "reboot", "node1");
    ended("h1", "reboot", "node1");
    assertEquals(Set.of(), cluster.checksFailed(), "it has answered meanwhile");

    asked("h1", "reboot", "node2");
    assertEquals(Set.of(SimCheck.HOST_TWICE), cluster.checksFailed());
  }

  @Test
  void moreAtATimeThanIsAllowedIsNoticed() {
    power("h1", "off", "node1", "ordered");
    power("h2", "reboot", "node1", "ordered");
    power("h3", "off", "node2", "ordered");
    power("h2", "reboot", "node1", "answered");
    power("h3", "reboot", "node1", "ordered");
    power("h3", "reboot", "node1", "given up");
    power("h4", "reboot", "node1", "ordered");
    asked("h2", "off", "node1");
    assertEquals(Set.of(), cluster.checksFailed(), "one of a kind for each who decides");

    power("h4", "off", "node1", "ordered");
    assertEquals(Set.of(SimCheck.HOST_LIMITS), cluster.checksFailed());
  }

  @Test
  void aRecoveryWhileTooManyHostsAreSickIsNoticed() {
    moved("h1", "AVAILABLE", "RECOVERING", "x");
    power("h1", "reboot", "node1", "ordered");
    moved("h2", "AVAILABLE", "SUSPECT", "x");
    asked("h1", "reboot", "node1");
    assertEquals(Set.of(), cluster.checksFailed(), "one always may be, and the fencer stood still");

    power("h1", "off", "node1", "ordered");
    assertEquals(Set.of(SimCheck.HOST_LIMITS), cluster.checksFailed());
  }

  @Test
  void aHostThatIsNotHeldForWhatItIsIsNoticed() {
    cluster.hostChecks().state(h1, List.of("AVAILABLE", ""), "nothing is known of it");
    assertEquals(Set.of(), cluster.checksFailed());
    cluster.hostChecks().state(h1, List.of("AVAILABLE"), "nothing is the matter with it");
    assertEquals(Set.of(SimCheck.HOST_STATE), cluster.checksFailed());
    assertTrue(cluster.failures().getFirst().contains("h1 is in no state"));
  }

  @Test
  void aHostThatTheClusterFencesThoughHostHaLooksAfterItIsNoticed() {
    cluster.loadCib(SimCibs.standard(3));
    cluster.nodes().forEach(SimNode::powerOn);
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    saidByHostHa("INELIGIBLE");
    byTheCluster();
    assertEquals(Set.of(), cluster.checksFailed(), "it is the cluster's");

    saidByHostHa("SUSPECT");
    byTheCluster();
    assertEquals(Set.of(SimCheck.HOST_LEFT), cluster.checksFailed());
  }

  private void saidByHostHa(String state) {
    var entry = Element.of("node_state", "id", "h1", "uname", "h1", "host_ha", state);
    cluster.update("node1", List.of(CibOp.put("status", entry)), _ -> {});
    cluster.run(Duration.ofSeconds(5));
    assertEquals(state, cluster.hostChecks().stateOf(h1));
  }

  private void byTheCluster() {
    said("node1", "fenced", "notice: Fencing (reboot) h1 for pacemaker-controld.17 | fencing=1");
  }

  /// h2 looks at h1 some times since it is suspect.
  private void investigated(int looks) {
    moved("h1", "AVAILABLE", "SUSPECT", "HealthCheckFailed");
    look(looks);
  }

  private void look(int looks) {
    for (var look = 0; look < looks; look++) {
      cluster.run(Duration.ofSeconds(5));
      cluster.hostChecks().looked(h2, h1);
    }
  }

  @Test
  void whatIsDoneLongAfterItWasGivenUpIsNoticed() {
    moved("h1", "CHECKING", "RECOVERING", "ForceRecovery");
    asked("h1", "reboot", "node1");
    acts("h1", "node1");
    moved("h1", "RECOVERING", "AVAILABLE", "HealthCheckPassed");
    acts("h1", "node1");
    assertEquals(Set.of(), cluster.checksFailed(), "it may not be heard yet");

    cluster.run(Duration.ofSeconds(3));
    acts("h1", "node1");
    assertEquals(Set.of(SimCheck.HOST_WELL), cluster.checksFailed());
  }

  /// What a device is told in time may wait there until it is another one's turn.
  @Test
  void whatADeviceBeginsLongAfterItWasGivenUpIsNoticed() {
    var checks = cluster.hostChecks();
    moved("h1", "CHECKING", "RECOVERING", "ForceRecovery");
    asked("h1", "reboot", "node1");
    acts("h1", "node1");
    cluster.run(Duration.ofSeconds(30));
    checks.begins(cluster.node("node3"), "reboot", "h1");
    moved("h1", "RECOVERING", "AVAILABLE", "HealthCheckPassed");
    cluster.run(Duration.ofSeconds(3));
    checks.begins(cluster.node("node3"), "off", "h1");
    checks.begins(cluster.node("node3"), "reboot", "h2");
    cluster.cut("node1", "node3");
    checks.begins(cluster.node("node3"), "reboot", "h1");
    assertEquals(Set.of(), cluster.checksFailed(), "wanted, not host HA's, or not heard that it was given up");

    cluster.heal();
    checks.begins(cluster.node("node3"), "reboot", "h1");
    assertEquals(Set.of(SimCheck.HOST_WELL), cluster.checksFailed());
  }

  private void acts(String host, String by) {
    said(
        by,
        "fenced",
        "notice: Requesting that node3 perform 'reboot' action targeting %s using power for client c (9s) | fencing=1"
            .formatted(host));
  }

  private void moved(String host, String from, String to, String event) {
    said("node1", "controld", "notice: Host %s: %s -> %s (%s)".formatted(host, from, to, event));
  }

  private void asked(String host, String action, String by) {
    said(
        by,
        "fenced",
        "notice: Fencing (%s) %s for pacemaker-controld.host-ha | fencing=1".formatted(action, host));
  }

  private void power(String host, String action, String dc, String how) {
    said(dc, "controld", "info: Host %s: %s by the fencer is %s".formatted(host, action, how));
  }

  private void ended(String host, String action, String by) {
    said(
        by,
        "fenced",
        "notice: Fencing (%s) of %s by node3 for pacemaker-controld.host-ha@%s succeeded | fencing=1"
            .formatted(action, host, by));
  }

  private void said(String node, String process, String text) {
    cluster.hostChecks().said(cluster.node(node).spawn(process), text);
  }
}
