package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HostOrder;

/// All members lose their power, or another DC takes over, while the CIB's records of hosts say what is not
/// so, or not any more. The resource `a` runs on h1.
final class HostsAfterARestartTest {
  private static final Path SCENARIO = Path.of("src/test/resources/scenarios/host-is-fenced");
  private static final String FENCED = "FENCED since=5 attempts=1 begun=true";
  private static final NodeName H1 = new NodeName("h1");

  private final SimCluster cluster = RealDaemons.cluster(11, 3);

  private void begin(String hostHa) throws IOException, XmlException {
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    List.of("h1", "h2", "h3").forEach(cluster::addHost);
    var text = Files.readString(SCENARIO.resolve("cib.xml"));
    cluster.loadCib(
        XmlReader.parse(
            text.replace("name=\"ha.enabled\" value=\"true\"", hostHa)));
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(5));
    cluster.run(Duration.ofMinutes(2));
    assertEquals(List.of("h1"), cluster.resourceOn("a"));
  }

  private void begin() throws IOException, XmlException {
    begin("name=\"ha.enabled\" value=\"true\"");
  }

  private String state() {
    var dcs = cluster.dcs();
    var cib = dcs.isEmpty() ? null : cluster.cib(dcs.getFirst());
    var status = HostStatus.of(cib, H1);
    return status == null ? "" : status.state();
  }

  private void record(String node, String text) {
    var members = cluster.nodes();
    SimHostPeople.record(cluster, members.getFirst(), Objects.requireNonNull(cluster.node(node)), text);
    cluster.run(Duration.ofMillis(200));
  }

  private void order(HostOrder what) {
    var answers = new ArrayList<Object>();
    cluster.ask(
        cluster.dcs().getFirst(),
        CtlMessage.SOCKET,
        CtlMessage.PROTOCOL,
        new CtlMessage.OrderHost(H1, what, ""),
        answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(90));
  }

  private void untilIn(Set<String> states) {
    cluster.runUntil(() -> states.contains(state()), Duration.ofMinutes(10));
    assertEquals(true, states.contains(state()), state());
  }

  private void restartMembers(Duration then) {
    cluster.nodes().forEach(SimNode::powerOff);
    cluster.run(Duration.ofSeconds(30));
    cluster.nodes().forEach(SimNode::powerOn);
    cluster.run(then);
  }

  /// What ran there is not known to the new DC: the connection was never made, and nothing is free.
  @Test
  void whatRunsOnAHostThatIsRecoveredIsNotStartedElsewhereAfterARestart() throws Exception {
    begin();
    cluster.node("h1").pause();
    untilIn(Set.of("RECOVERING", "RECOVERED"));

    restartMembers(Duration.ofMinutes(6));

    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void whatRunsOnAHostThatIsToBeFencedIsNotStartedElsewhereAfterARestart() throws Exception {
    begin();
    for (var member : cluster.nodes()) {
      cluster.cut(member.name(), "h1");
      cluster.cut("h1", member.name());
      member.agentFault("fence_sim", "off", List.of("fails", "1"));
    }
    order(HostOrder.FENCE);
    untilIn(Set.of("FENCING"));

    restartMembers(Duration.ofMinutes(3));
    assertEquals(List.of(), cluster.failures());
    assertEquals(List.of("h1"), cluster.resourceOn("a"));

    cluster.nodes().forEach(it -> it.agentFault("fence_sim", "off", List.of("well")));
    order(HostOrder.FENCE); // it writes, so what a person wanted before the restart is to be said again
    untilIn(Set.of("FENCED"));
    cluster.run(Duration.ofMinutes(1));
    assertEquals(List.of(), cluster.failures());
    assertEquals(1, cluster.resourceOn("a").size());
    assertFalse(cluster.node("h1").isPowered());
  }

  @Test
  void aHostThatIsOffIsFoundToBeSoAfterARestart() throws Exception {
    begin();
    order(HostOrder.FENCE);
    untilIn(Set.of("FENCED"));

    restartMembers(Duration.ofMinutes(5));

    assertEquals(List.of(), cluster.failures());
    assertEquals(List.of("h2"), cluster.resourceOn("a"));
    assertEquals("FENCED", state());
    assertFalse(cluster.node("h1").isPowered());
  }

  /// Somebody clears it before it is switched on: its connection, which is lost and has not failed, says nothing
  /// of what can run there.
  @Test
  void whatRanOnAHostThatIsClearedWhileItIsOffStaysWhereItIsUntilTheHostIsThere() throws Exception {
    begin();
    order(HostOrder.FENCE);
    untilIn(Set.of("FENCED"));
    cluster.run(Duration.ofMinutes(1));
    assertEquals(List.of("h2"), cluster.resourceOn("a"));

    order(HostOrder.CLEAR);
    cluster.runUntil(() -> !cluster.resourceOn("a").equals(List.of("h2")), Duration.ofMinutes(5));
    assertEquals(List.of("h2"), cluster.resourceOn("a"));
    assertFalse(cluster.node("h1").isPowered());

    var h1 = Objects.requireNonNull(cluster.node("h1"));
    h1.powerOn();
    h1.startClusterSoon();
    untilIn(Set.of("AVAILABLE"));
    cluster.run(Duration.ofMinutes(1));
    assertEquals(List.of("h1"), cluster.resourceOn("a"));
    assertEquals(List.of(), cluster.failures());
  }

  /// As after a backup of when the host was fenced is put back into a cluster that is stopped.
  @Test
  void aBackupIsNoProofThatAHostIsOff() throws Exception {
    begin();
    cluster.nodes().forEach(it -> it.hang("controld", Duration.ofMinutes(1).toNanos()));
    record("h1", FENCED);
    cluster.run(Duration.ofSeconds(1));

    restartMembers(Duration.ofMinutes(6));

    assertEquals(List.of(), cluster.failures());
    assertEquals(1, cluster.resourceOn("a").size());
  }

  @Test
  void aBackupIsNoProofForTheNextDcEither() throws Exception {
    begin();
    record("h1", FENCED);
    cluster.node(cluster.dcs().getFirst()).powerOff();

    for (var at = 0; at < 120; at++) {
      cluster.run(Duration.ofSeconds(1));
      assertEquals(false, state().equals("FENCED"));
    }
    assertEquals(List.of(), cluster.failures());
    assertEquals(List.of("h1"), cluster.resourceOn("a"));
  }

  /// Host HA is not even used, and the record is a member's.
  @Test
  void aRecordThatCannotBeReadEndsNoController() throws Exception {
    begin("name=\"stop-orphan-resources\" value=\"true\"");
    record("node1", " ");
    cluster.run(Duration.ofMinutes(2));

    assertEquals(List.of(), cluster.failures());
    assertEquals(1, cluster.dcs().size());
  }
}
