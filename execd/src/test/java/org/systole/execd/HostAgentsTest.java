package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.operation.AgentMetadata;

/// The providers of host HA that ship, as agents: what they say about made-up hosts.
final class HostAgentsTest {
  private record Ran(int code, String out, String err) {}

  @TempDir Path root;

  @BeforeEach
  void needsAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no /bin/sh");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ha-generic", "ha-activity-file", "ha-simulated"})
  void eachSaysWhatItCanDo(String agent) throws Exception {
    var ran = run(agent, "meta-data", Map.of());

    assertEquals(0, ran.code(), ran.err());
    var actions =
        AgentMetadata.parse("ocf", ran.out()).actions().stream()
            .map(AgentMetadata.Action::name)
            .toList();
    assertTrue(actions.containsAll(List.of("eligible", "health", "activity")), actions.toString());
    assertEquals(3, run(agent, "jump", Map.of("host", "h1", "directory", "/x")).code());
  }

  @Test
  void aVolumeThatIsWrittenToHasAnotherStamp() throws Exception {
    var file = root.resolve("h1/disk");
    Files.createDirectories(root.resolve("h1"));
    Files.writeString(file, "one");
    var where = Map.of("host", "h1", "volumes", root.toString());

    var first = run("ha-activity-file", "activity", where);
    var still = run("ha-activity-file", "activity", where);
    Files.writeString(file, "longer");
    var moving = run("ha-activity-file", "activity", where);

    assertEquals(0, first.code(), first.err());
    assertTrue(first.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\n"), first.out());
    assertEquals(stamp(first), stamp(still));
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void whatCannotBeLookedAtIsNotStill() throws Exception {
    var there = Files.createDirectories(root.resolve("there"));
    var where = Map.of("host", "h1", "volumes", root.resolve("gone") + "," + there);

    var ran = run("ha-activity-file", "activity", where);

    assertEquals(0, ran.code(), ran.err());
    var lines = ran.out().lines().toList();
    assertEquals(2, lines.size(), ran.out());
    assertTrue(lines.get(0).contains(" error=cannot read "), ran.out());
    assertTrue(lines.get(1).contains(" error=there is no "), ran.out());
  }

  @Test
  void aNameThatLeadsElsewhereIsRefused() throws Exception {
    var ran =
        run("ha-activity-file", "activity", Map.of("host", "../etc", "volumes", root.toString()));

    assertEquals(2, ran.code());
    assertEquals("", ran.out());
  }

  @Test
  void aCommandSaysWhetherAHostIsWell() throws Exception {
    assertEquals(0, run("ha-generic", "health", Map.of("host", "h1")).code());
    assertEquals(0, run("ha-generic", "health", Map.of("host", "h1", "command", "true")).code());

    var ran = run("ha-generic", "health", Map.of("host", "h1", "command", "false"));

    assertEquals(1, ran.code());
    assertTrue(ran.err().contains("ocf-exit-reason:false says that it is not well"), ran.err());
  }

  @Test
  void aProgramLooksForSignsOfLife() throws Exception {
    var look = root.resolve("look");
    Files.writeString(look, "#!/bin/sh\n[ $2 = good ] && echo \"$1-7 42\"\n");
    assertTrue(look.toFile().setExecutable(true));

    var ran =
        run(
            "ha-generic",
            "activity",
            Map.of("host", "h1", "volumes", "good,bad", "look", look.toString()));

    assertEquals(
        "volume=good stamp=h1-7 age=42\nvolume=bad error=" + look + " could not look\n", ran.out());
    assertFalse(run("ha-generic", "activity", Map.of("host", "h1")).code() == 0);
  }

  @Test
  void theSimulatedOneSaysWhatItsFilesSay() throws Exception {
    var own = Files.createDirectories(root.resolve("h1"));
    var where = Map.of("host", "h1", "directory", root.toString());

    assertEquals(0, run("ha-simulated", "health", where).code());
    Files.writeString(own.resolve("sick"), "on fire\n");
    var sick = run("ha-simulated", "health", where);
    assertEquals(1, sick.code());
    assertTrue(sick.err().contains("on fire"), sick.err());
    assertEquals("volume=disk stamp=still age=1000000\n", run("ha-simulated", "activity", where).out());
    Files.writeString(own.resolve("active"), "");
    assertTrue(run("ha-simulated", "activity", where).out().endsWith(" age=0\n"));
  }

  private static String stamp(Ran ran) {
    return ran.out().split(" ")[1];
  }

  private Ran run(String agent, String action, Map<String, String> parameters)
      throws IOException, InterruptedException {
    var out = root.resolve("out");
    var err = root.resolve("err");
    var builder =
        new ProcessBuilder(program(agent).toString(), action)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    parameters.forEach((name, value) -> builder.environment().put("OCF_RESKEY_" + name, value));
    var process = builder.start();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS), agent + " does not end");
    return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private static Path program(String agent) {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/ocf"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at.resolve("agents/src/main/ocf/resource.d/systole").resolve(agent);
  }
}
