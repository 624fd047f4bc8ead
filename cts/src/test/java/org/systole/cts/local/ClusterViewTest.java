package org.systole.cts.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Waiting for a cluster whose nodes end as soon as they are started.
class ClusterViewTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir private Path dir;

  private LocalCluster started(String program) throws IOException {
    var home = dir.resolve("home");
    Files.createDirectories(home.resolve("sbin"));
    var file = home.resolve("sbin/pacemakerd");
    Files.writeString(file, "#!/bin/sh\n" + program);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    var cluster = LocalCluster.onLoopback(home, dir, 1);
    cluster.prepare("test", 1000);
    cluster.nodes().getFirst().start();
    return cluster;
  }

  private static String ended(LocalCluster cluster) {
    var view = new ClusterView(cluster.nodes());
    return assertThrows(
            ClusterView.NodeEnded.class, () -> view.awaitWhileAllRun(_ -> true, LONG))
        .getMessage();
  }

  @Test
  void isOverWhenANodeEndsAndItsLogSaysWhy() throws Exception {
    var cluster =
        started(
            """
            cat >"$SYSTOLE_ROOT/var/log/pacemaker/pacemaker.log" <<EOF
            Nov 24 03:58:46.132 node1 pacemakerd[7] (RealWorld) error: Ending with status 1: the port is taken
            Nov 24 03:58:46.470 node1 cibd[8] (RealWorld) error: Ending with status 1: the supervisor is gone
            EOF
            sleep 1
            """);
    assertEquals(
        "node1 ended by itself: Ending with status 1: the port is taken; more in "
            + dir.resolve("node1/var/log/pacemaker"),
        ended(cluster));
  }

  @Test
  void theConsoleSaysWhatNoLogDoes() throws Exception {
    var cluster = started("echo pacemakerd: no JDK 25 found >&2\n");
    var said = ended(cluster);
    assertTrue(said.startsWith("node1 ended by itself: pacemakerd: no JDK 25 found;"), said);
  }
}
