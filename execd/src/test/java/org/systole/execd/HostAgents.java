package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Runs the providers of host HA that ship, as agents, for hosts that are made up.
abstract class HostAgents {
  record Ran(int code, String out, String err) {}

  @TempDir Path root;

  @BeforeEach
  void needsAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no /bin/sh");
  }

  /// A program that agents find before the system's.
  Path program(String name, String text) throws IOException {
    var file = Files.createDirectories(root.resolve("bin")).resolve(name);
    Files.writeString(file, text);
    assertTrue(file.toFile().setExecutable(true));
    return file;
  }

  /// Makes a file, which was last written to an hour ago.
  static Path old(Path file) throws IOException {
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, "one");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3600)));
    return file;
  }

  void fifo(Path file) throws IOException, InterruptedException {
    assertTrue(new ProcessBuilder("mkfifo", file.toString()).start().waitFor() == 0);
  }

  static String stamp(Ran ran) {
    return stamp(ran.out());
  }

  static String stamp(String told) {
    return told.split(" ")[1];
  }

  Ran run(String agent, String action, Map<String, String> parameters, String... more)
      throws IOException, InterruptedException {
    var out = root.resolve("out");
    var err = root.resolve("err");
    var builder =
        new ProcessBuilder(program(agent).toString(), action)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().merge("PATH", "", (path, _) -> root.resolve("bin") + ":" + path);
    builder.environment().put("OCF_RESKEY_mounted", "false"); // no file system is mounted for a test
    parameters.forEach((name, value) -> builder.environment().put("OCF_RESKEY_" + name, value));
    for (var at = 0; at < more.length; at += 2) {
      builder.environment().put(more[at], more[at + 1]);
    }
    var process = builder.start();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS), agent + " does not end");
    return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  static Path program(String agent) {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/ocf"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at.resolve("agents/src/main/ocf/resource.d/systole").resolve(agent);
  }
}
