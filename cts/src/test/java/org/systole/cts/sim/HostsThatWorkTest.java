package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;

/// A host that nobody can connect to, and that works as its neighbours saw: whatever is lost besides, its power stays on.
final class HostsThatWorkTest {
  private static final Path SCENARIO = Path.of("src/test/resources/scenarios/host-is-fenced");
  private static final NodeName H1 = new NodeName("h1");

  private final SimCluster cluster = RealDaemons.cluster(11, 3);

  @BeforeEach
  void begin() throws Exception {
    List.of("h1", "h2", "h3").forEach(cluster::addHost);
    cluster.loadCib(XmlReader.parse(Files.readString(SCENARIO.resolve("cib.xml"))));
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(5));
    cluster.run(Duration.ofMinutes(2));
    for (var member : cluster.nodes()) {
      cluster.cut(member.name(), "h1");
      cluster.cut("h1", member.name());
    }
    cluster.runUntil(() -> state().equals("DEGRADED"), Duration.ofMinutes(5));
    assertEquals("DEGRADED", state());
  }

  private String state() {
    var dcs = cluster.dcs();
    var status = HostStatus.of(dcs.isEmpty() ? null : cluster.cib(dcs.getFirst()), H1);
    return status == null ? "" : status.state();
  }

  private void leftAlone(String boot) {
    assertTrue(List.of("SUSPECT", "CHECKING", "DEGRADED").contains(state()), this::state);
    assertEquals(boot, h1().boot());
    assertTrue(h1().isPowered());
    assertEquals(List.of("h1"), cluster.resourceOn("a"));
    assertEquals(List.of(), cluster.failures());
  }

  private SimNode h1() {
    return Objects.requireNonNull(cluster.node("h1"));
  }

  @Test
  void itsNeighboursArePutIntoMaintenance() {
    var boot = h1().boot();
    for (var host : List.of("h2", "h3")) {
      SimHostPeople.maintain(cluster, cluster.nodes().getFirst(), Objects.requireNonNull(cluster.node(host)));
    }
    cluster.run(Duration.ofMinutes(8));
    leftAlone(boot);
  }

  @Test
  void itsPowerCannotBeToldAndTheDcIsLost() {
    var boot = h1().boot();
    cluster.outside().volumes().power(h1(), SimVolumes.Switch.UNKNOWN);
    cluster.run(Duration.ofSeconds(30));
    Objects.requireNonNull(cluster.node(cluster.dcs().getFirst())).kill("controld");
    cluster.run(Duration.ofMinutes(3));
    cluster.outside().volumes().power(h1(), SimVolumes.Switch.RIGHT);
    cluster.run(Duration.ofMinutes(2));
    leftAlone(boot);
  }
}
