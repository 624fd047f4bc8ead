package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class SimListsTest {
  private final SimCluster cluster = RealDaemons.cluster(1, 3);

  @BeforeEach
  void form() {
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
  }

  private void list(String... names) {
    var words = new ArrayList<>(List.of("lists"));
    words.addAll(List.of(names));
    SimConfFile.change(cluster, cluster.nodes(), words);
  }

  /// A node is taken off the list, and the change taken back before it has left.
  @Test
  void whoLeavesAsItIsNotListedMayStayDownAndComesBackInTheEnd() {
    var gone = cluster.node("node3");
    list("node1", "node2");
    SimConfFile.reload(cluster, cluster.node("node1"));
    cluster.run(Duration.ofMillis(500));
    assertTrue(gone.isRunning(), "it moves away what it has");
    list("node1", "node2", "node3");
    cluster.run(Duration.ofSeconds(30));
    assertFalse(gone.isRunning());
    assertFalse(SimConfFile.areTogether(cluster.node("node1"), gone));
    assertFalse(SimConfFile.isWithAll(gone));
    assertEquals(List.of(), cluster.failures());

    SimLists.restore(cluster);
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    assertEquals(List.of("node1", "node2", "node3"), cluster.order().members(gone));
    assertTrue(SimConfFile.isWithAll(gone));
    assertFalse(SimConfFile.areListsChanged(cluster));
    assertEquals(List.of(), cluster.failures());
  }

  /// Its own file does not have it, so it does not start: as after any other mistake in the file it is tried again.
  @Test
  void aNodeThatItsOwnFileDoesNotListDoesNotStart() {
    cluster.node("node3").shutdown();
    cluster.run(Duration.ofSeconds(30));
    list("node1", "node2");
    cluster.node("node3").startCluster();
    cluster.run(Duration.ofSeconds(30));
    assertEquals(List.of(), cluster.order().members(cluster.node("node3")));
    SimLists.restore(cluster);
    assertEquals(3, cluster.order().members(cluster.node("node3")).size());
    assertEquals(List.of(), cluster.failures());
  }

  /// Seeds whose numbers are written down go as they went.
  @Test
  void onlyLivesThatAreAskedForChangeLists() {
    LongStream.range(0, 50).forEach(it -> assertFalse(SimLists.areIn(SimFocus.MEMBERS, RealDaemons.cluster(it, 3))));
  }
}
