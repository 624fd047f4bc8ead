package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;

/// The fence agent of demonstration clusters, with processes that really end.
final class DemoPowerSwitchTest {
  @TempDir Path nodes;

  @BeforeEach
  void needAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no /bin/sh");
    assumeTrue(Files.isReadable(Path.of("/proc/self/environ")), "there is no /proc");
  }

  @AfterEach
  void switchOff() throws Exception {
    if (Files.isDirectory(nodes.resolve("node1"))) {
      agent("off", "node1");
    }
  }

  private static Path program() {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/fence"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at.resolve("agents/src/main/fence/fence_systole");
  }

  private int agent(String action, String node) throws Exception {
    var process =
        new ProcessBuilder(program().toString())
            .redirectErrorStream(true)
            .redirectOutput(nodes.resolve("output").toFile())
            .start();
    try (var input = process.getOutputStream()) {
      input.write(
          "action=%s\nplug=%s\ndirectory=%s\n"
              .formatted(action, node, nodes)
              .getBytes(StandardCharsets.UTF_8));
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the agent does not end");
    return process.exitValue();
  }

  private void makeNode(String name) throws IOException {
    var script = nodes.resolve(name).resolve("start.sh");
    Files.createDirectories(script.getParent());
    Files.writeString(
        script,
        """
        #!/bin/sh
        # The first process that carries the mark is one that stays.
        mkdir -p %1$s/run/systole
        export SYSTOLE_ROOT=%1$s
        (trap '' TERM; setsid sleep 600 & sleep 600) &
        sleep 600 &
        echo $! >"$SYSTOLE_ROOT/pacemakerd.pid"
        wait
        """
            .formatted(script.getParent()));
    assertTrue(script.toFile().setExecutable(true));
  }

  @Test
  void aNodeGoesOnOffAndOnAgain() throws Exception {
    makeNode("node1");
    assertEquals(2, agent("status", "node1"));
    assertEquals(0, agent("on", "node1"));
    assertEquals(0, agent("status", "node1"));
    assertEquals(0, agent("off", "node1"));
    assertEquals(2, agent("status", "node1"));
    assertFalse(Files.exists(nodes.resolve("node1/pacemakerd.pid")));
    assertEquals(0, agent("reboot", "node1"));
    assertEquals(0, agent("status", "node1"));
  }

  @Test
  void onlyNodesOfTheDirectoryAreTouched() throws Exception {
    makeNode("node1");
    assertEquals(1, agent("off", "../node1"));
    assertEquals(1, agent("off", "node2"));
    assertEquals(1, agent("off", ""));
    assertEquals(0, agent("list", ""));
    assertEquals("node1,\n", Files.readString(nodes.resolve("output")));
    assertEquals(1, agent("dance", "node1"));
  }

  @Test
  void itsMetadataIsXmlThatNamesThePlug() throws Exception {
    assertEquals(0, agent("metadata", ""));

    var metadata =
        AgentMetadata.parse(AgentName.FENCING, Files.readString(nodes.resolve("output")));

    assertEquals("plug", metadata.hostArgument());
    assertTrue(metadata.has("reboot"));
    assertTrue(metadata.has("list"));
  }
}
