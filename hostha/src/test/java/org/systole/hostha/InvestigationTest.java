package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.hostha.Investigation.Seen;

/// What looks by neighbours amount to.
final class InvestigationTest {
  private final Investigation investigation = new Investigation(0);
  private long now;

  private Investigation.Look look(String neighbour, String stamp, @Nullable String root) {
    now += 60_000;
    var volumes = new TreeMap<String, VolumeRead>();
    var read = VolumeRead.of(stamp, 3_600_000L);
    volumes.put("/srv", root == null ? read : read.below(root));
    return investigation.look(now, new NodeName(neighbour), volumes);
  }

  @Test
  void aNeighbourThatSeesAnotherFileSystemShowsNoDeath() {
    assertEquals(Seen.NOTHING, look("n2", "1", "2").seen());
    var other = look("n3", "7", "4711"); // where nothing is mounted
    assertEquals(Seen.BLIND, other.seen());
    assertTrue(other.why().endsWith("/srv: another one sees another file system there"), other.why());
    assertEquals(Seen.BLIND, look("n2", "1", "2").seen());
    assertEquals(Seen.BLIND, look("n3", "7", "4711").seen());
    assertEquals(1, investigation.failures());
  }

  @Test
  void norDoesItMakeADeadHostAlive() {
    look("n2", "1", "2");
    look("n3", "7", "4711");

    assertEquals(Seen.LIFE, look("n2", "2", "2").seen(), "it was written to");
    assertEquals(Seen.BLIND, look("n3", "7", "4711").seen(), "not because stamps of two differ");
  }

  @Test
  void whereNoRootIsToldStampsAreComparedAsTheyAre() {
    assertEquals(Seen.NOTHING, look("n2", "1", null).seen());
    assertEquals(Seen.NOTHING, look("n3", "1", null).seen());
    assertEquals(Seen.LIFE, look("n2", "2", null).seen());
    assertEquals(Seen.NOTHING, look("n3", "2", "5").seen(), "its first, by its age");
    assertEquals(Seen.NOTHING, look("n3", "2", "5").seen());
  }
}
