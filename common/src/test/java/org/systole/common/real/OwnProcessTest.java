package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

/// A daemon's process: what signals and threads that end do to it.
@Timeout(60)
final class OwnProcessTest {
  @TempDir Path root;
  private Process process;
  private BufferedReader log;

  /// A daemon that does nothing; a line on its standard input ends one of its threads.
  static final class Daemon {
    private Daemon() {}

    public static void main(String[] args) {
      var environment = new HashMap<>(System.getenv());
      var world = RealWorld.create(Layout.of(environment), environment, "attrd", "attrd");
      world.run(
          () -> {
            world.log().notice("Ready");
            Thread.ofPlatform().daemon().name("needed").start(Daemon::waitForInput);
          });
    }

    private static void waitForInput() {
      try {
        if (System.in.read() >= 0) {
          throw new IllegalStateException("as the test wants it");
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeEach
  void start() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var builder =
        new ProcessBuilder(
            List.of(
                java,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Daemon.class.getName()));
    builder.environment().put(Layout.ROOT, root.toString());
    builder.environment().put("PCMK_stderr", "yes");
    builder.environment().put("PCMK_logfacility", "none");
    process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    log = process.errorReader();
    await("Ready");
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  /// Reads the log up to a line with this text.
  private void await(String text) throws IOException {
    for (var line = log.readLine(); line != null; line = log.readLine()) {
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("it ended without saying: " + text);
  }

  private void signal(String name) throws Exception {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()));
    assertEquals(0, kill.start().waitFor());
  }

  @Test
  void signalsForDebuggingSwitchItAndEndNothing() throws Exception {
    signal("USR1");
    await("notice: Debugging messages are logged from now on");
    signal("USR2");
    await("notice: Debugging messages are no longer logged");
    signal("TRAP");
    await("notice: SIGTRAP");
    await("debug: Thread needed");
    assertTrue(process.isAlive());
  }

  @Test
  void aThreadThatEndsByABugEndsTheProcessAndSaysWhy() throws Exception {
    try (var input = process.outputWriter()) {
      input.write("x");
    }
    await("critical: The thread needed ended");
    await("as the test wants it");
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue());
  }
}
