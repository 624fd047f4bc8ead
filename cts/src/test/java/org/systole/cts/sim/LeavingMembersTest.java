package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlReader;

/// Members that are asked to leave one right after the other, while a plan moves the connection of a remote
/// node from the one to the other.
final class LeavingMembersTest {
  private static final Path SCENARIO = Path.of("src/test/resources/scenarios/remote-node");
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration STEP = Duration.ofNanos(200_000); // less than a message takes

  private final SimCluster cluster = RealDaemons.cluster(3, 3);

  /// The connection is on node1 and can be moved only by a stop and a start.
  @BeforeEach
  void begin() throws Exception {
    cluster.addHost("far");
    var moved =
        """
        <meta_attributes id="far-meta">
          <nvpair id="far-migrate" name="allow-migrate" value="false"/>
        </meta_attributes>
        <operations>
          <op id="far-start\"""";
    var cib = Files.readString(SCENARIO.resolve("cib.xml"));
    cluster.loadCib(
        XmlReader.parse(cib.replaceFirst("<operations>\\s*<op id=\"far-start\"", moved)));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of("far"), cluster.resourceOn("a"));
  }

  private boolean isTold(String text) {
    return cluster.trace().lines().stream().anyMatch(it -> it.contains(text));
  }

  private void stopWithTheConnectionUnderWay(String second) {
    cluster.node("node1").shutdown();
    for (var step = 0; step < 50_000 && !isTold("Initiating far_stop_0"); step++) {
      cluster.run(STEP);
    }
    assertTrue(isTold("Initiating far_stop_0"), cluster.trace()::toString);
    cluster.node(second).shutdown();
  }

  private void leftWithoutFencing(String... members) {
    assertTrue(
        cluster.runUntil(
            () -> List.of(members).stream().noneMatch(it -> cluster.node(it).isLeaving()), LIMIT),
        cluster.trace()::toString);
    var fenced = cluster.trace().changes().stream().filter(it -> it.contains("fenced by")).toList();
    assertEquals(List.of(), fenced, cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  @Test
  void theLastMemberMakesAConnectionThoughItIsAskedToLeave() {
    cluster.node("node3").shutdown();
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);

    stopWithTheConnectionUnderWay("node2");

    leftWithoutFencing("node1", "node2");
    assertTrue(isTold("Requesting far_start_0 on node2"), cluster.trace()::toString);
    assertEquals(List.of(), cluster.resourceOn("a"), "it was stopped before they left");
  }

  @Test
  void theConnectionGoesOnToTheMemberThatStays() {
    stopWithTheConnectionUnderWay("node2");
    cluster.run(Duration.ofSeconds(20));

    leftWithoutFencing("node1", "node2");
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    assertTrue(isTold("Requesting far_start_0 on node3"), cluster.trace()::toString);
  }
}
