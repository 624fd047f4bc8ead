package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;

/// The fence agent for devices of cluster-glue, with a `stonith` that writes down how it was called.
final class GlueDeviceTest {
  private static final String STONITH =
      """
      #!/bin/sh
      case $* in
        "-t external/power -m")
          echo '<resource-agent name="external/power"><parameters>'
          echo '<parameter name="hostlist" unique="0"/><parameter name="mib_version"/>'
          echo '</parameters></resource-agent>'
          exit ;;
        *-m) exit 8 ;;
        *" -l -S") echo "$hostlist" ;;
      esac
      echo "$*" >>called
      env | grep -e ^hostlist= -e ^mib_version= -e ^LD_PRELOAD= -e ^BASH_ENV= | sort >>called
      exit 0
      """;

  @TempDir Path place;

  @BeforeEach
  void makeStonith() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/perl")), "there is no perl");
    var program = Files.writeString(place.resolve("stonith"), STONITH);
    assertTrue(program.toFile().setExecutable(true));
  }

  private static Path agent() {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/fence"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at.resolve("agents/src/main/fence/fence_legacy");
  }

  private int run(String input) throws Exception {
    var builder = new ProcessBuilder(agent().toString()).directory(place.toFile());
    builder.environment().put("PATH", place + ":/usr/bin:/bin");
    var process =
        builder.redirectErrorStream(true).redirectOutput(place.resolve("out").toFile()).start();
    try (var to = process.getOutputStream()) {
      to.write(input.getBytes(StandardCharsets.UTF_8));
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the agent does not end");
    return process.exitValue();
  }

  private String text(String name) throws IOException {
    var file = place.resolve(name);
    return Files.exists(file) ? Files.readString(file) : "";
  }

  @Test
  void itSaysWhatItCanDo() throws Exception {
    assertEquals(0, run("action=metadata\n"));
    var metadata = AgentMetadata.parse(AgentName.FENCING, text("out"));
    assertTrue(metadata.has("list") && metadata.has("reboot"));
    assertEquals("port", metadata.hostArgument());

    assertEquals(0, run("plugin=external/power\naction=metadata\n"));
    assertEquals("", text("called"));
  }

  @Test
  void aNodeIsSwitchedWithThePluginsOwnParameters() throws Exception {
    assertEquals(
        0,
        run(
            """
            plugin=external/power
            action=reboot
            hostlist=alpha beta
            mib_version=2c
            nodename=alpha
            port=3
            """));

    assertEquals(
        "-s -t external/power -E -T reset 3\nhostlist=alpha beta\nmib_version=2c\n",
        text("called"));
  }

  @Test
  void itsNodesAreListedAndItsStateIsAskedFor() throws Exception {
    assertEquals(0, run("plugin=external/power\naction=list\nhostlist=alpha beta\n"));
    assertEquals("alpha beta\n", text("out"));
    assertEquals(0, run("plugin=external/power\naction=monitor\nhostlist=alpha beta\n"));
    assertTrue(text("called").contains("-s -t external/power -E -S\n"), text("called"));
  }

  @Test
  void theConfigurationSetsNoOtherVariableAndRunsNoOtherProgram() throws Exception {
    assertEquals(
        0, run("plugin=external/power\naction=monitor\nLD_PRELOAD=/tmp/x\nBASH_ENV=/tmp/x\n"));
    assertEquals("-s -t external/power -E -S\n", text("called"));

    for (var bad : new String[] {"external/../../tmp/x", "../x", "/tmp/x", "a/b/c", "-L", ""}) {
      assertEquals(1, run("plugin=" + bad + "\naction=monitor\n"), bad);
    }
    assertEquals(1, run("plugin=nosuch\naction=metadata\n"));
    assertTrue(text("out").contains("there is no plugin 'nosuch'"), text("out"));
    assertEquals(1, run("plugin=external/power\naction=off\n"));
    assertTrue(text("out").contains("'off' takes a node"), text("out"));
    assertEquals("-s -t external/power -E -S\n", text("called"));
  }
}
