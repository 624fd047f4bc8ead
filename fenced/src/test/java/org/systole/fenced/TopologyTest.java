package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;

final class TopologyTest {
  private final Topology topology = new Topology();

  private void register(String target, int index, String... devices) {
    topology.register(new Topology.Level(Topology.Target.parse(target), index, List.of(devices)));
  }

  @Test
  void aLevelRegisteredAgainHasTheDevicesOfBoth() {
    register("node1", 1, "a");
    register("node1", 1, "b", "a");

    assertEquals(List.of(List.of("a", "b")), topology.levels(new NodeName("node1")));
  }

  @Test
  void levelsAreTriedInTheirOrderWhateverOrderTheyCameIn() {
    register("node1", 2, "b");
    register("node1", 1, "a");
    register("node2", 1, "c");

    assertEquals(List.of(List.of("a"), List.of("b")), topology.levels(new NodeName("NODE1")));
  }

  @Test
  void aPatternThatCouldBeTriedForeverIsAnsweredAtOnce() {
    register("@^((.|.|.|.|.|.|.|.|.|.)+)+=$", 1, "a");
    register("@^N[[:digit:]]$", 2, "b");

    var levels =
        assertTimeoutPreemptively(
            Duration.ofSeconds(5), () -> topology.levels(new NodeName("a-node-with-a-long-name")));

    assertEquals(List.of(), levels);
    assertEquals(List.of(List.of("b")), topology.levels(new NodeName("n1")));
  }

  @Test
  void aNodesNameCountsBeforeAPatternAndThatBeforeAnAttribute() {
    topology.configure(
        List.of(),
        Map.of(
            new NodeName("node1"),
            Map.of("rack", "7"),
            new NodeName("node2"),
            Map.of("rack", "7")));
    register("rack=7", 1, "by-attribute");
    assertEquals(List.of(List.of("by-attribute")), topology.levels(new NodeName("node1")));

    register("@node[1-3]", 1, "by-pattern");
    assertEquals(List.of(List.of("by-pattern")), topology.levels(new NodeName("node1")));

    register("node1", 1, "by-name");
    assertEquals(List.of(List.of("by-name")), topology.levels(new NodeName("node1")));
    assertEquals(List.of(List.of("by-pattern")), topology.levels(new NodeName("node2")));
  }

  @Test
  void levelsOfDifferentTargetsOfOneKindAreNotMixed() {
    register("@node.*", 1, "a");
    register("@.*1", 2, "b");

    assertEquals(List.of(List.of("a")), topology.levels(new NodeName("node1")));
  }

  @Test
  void oneLevelOrAllOfATargetAreDeregistered() {
    register("node1", 1, "a");
    register("node1", 2, "b");
    register("node2", 1, "c");

    topology.deregister(Topology.Target.parse("node1"), 1);
    assertEquals(List.of(List.of("b")), topology.levels(new NodeName("node1")));

    topology.deregister(Topology.Target.parse("node1"), 0);
    assertEquals(List.of(), topology.levels(new NodeName("node1")));
    assertEquals(List.of(List.of("c")), topology.levels(new NodeName("node2")));
  }

  @Test
  void levelsOfTheCibAreReplacedWholeAndLevelsOfClientsStay() {
    var configured = new Topology.Level(Topology.Target.parse("node1"), 1, List.of("x"));
    topology.configure(List.of(configured), Map.of());
    register("node1", 2, "y");
    assertEquals(List.of(List.of("x"), List.of("y")), topology.levels(new NodeName("node1")));

    topology.configure(List.of(), Map.of());
    assertEquals(List.of(List.of("y")), topology.levels(new NodeName("node1")));
  }

  @Test
  void anInvalidPatternMatchesNothing() {
    register("@node[", 1, "a");

    assertEquals(List.of(), topology.levels(new NodeName("node[")));
  }
}
