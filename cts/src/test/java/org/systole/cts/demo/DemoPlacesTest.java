package org.systole.cts.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.cts.demo.DemoPlaces.InUse;
import org.systole.cts.local.LocalCluster;

class DemoPlacesTest {
  @TempDir private Path dir;

  @Test
  void ofTwoDemonstrationsTheSecondIsRefusedAndMayStartWhenTheFirstHasEnded() throws Exception {
    var first = LocalCluster.onLoopback(dir, dir.resolve("a"), 3);
    var second = LocalCluster.onLoopback(dir, dir.resolve("b"), 3);
    try (var _ = take(first)) {
      var refused = assertThrows(InUse.class, () -> DemoPlaces.take(second, List.of()));
      var said = String.valueOf(refused.getMessage());
      assertTrue(said.startsWith("port 5405 of 127.0.0.10 is in use: "), said);
    }
    take(second).close();
  }

  private static DemoPlaces take(LocalCluster cluster) throws IOException {
    try {
      return DemoPlaces.take(cluster, List.of());
    } catch (InUse e) {
      return abort("a demonstration runs on this machine: " + e.getMessage());
    }
  }

  @Test
  void aDemonstrationIsKnownByItsProcesses() {
    assertEquals(Path.of("/tmp/a"), DemoPlaces.directory(List.of("PATH=/bin", "SYSTOLE_DEMO=/tmp/a")));
    assertEquals(
        Path.of("/tmp/a"), DemoPlaces.directory(List.of("SYSTOLE_ROOT=/tmp/a/node1", "SYSTOLE_NODE=node1")));
    assertNull(DemoPlaces.directory(List.of("SYSTOLE_ROOT=/tmp/a/other", "SYSTOLE_NODE=node1")));
    assertNull(DemoPlaces.directory(List.of("PATH=/bin", "nothing")));
  }
}
