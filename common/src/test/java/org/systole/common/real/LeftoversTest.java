package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.CannotStart;

/// What a killed daemon left running.
final class LeftoversTest {
  private final List<ProcessHandle> started = new ArrayList<>();
  @TempDir private Path dir;

  @AfterEach
  void clearAway() {
    started.forEach(ProcessHandle::destroyForcibly);
  }

  private Process agent(String owner, String body) throws IOException {
    var agent = dir.resolve("agent");
    Files.writeString(agent, "#!/bin/sh\n" + body);
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    var command = List.of(agent.toString(), "start");
    var builder = new ProcessBuilder("/usr/bin/setsid", agent.toString(), "start");
    Leftovers.mark(builder.environment(), owner, command);
    Strays.mark(builder.environment());
    var process = builder.start();
    started.add(process.toHandle());
    return process;
  }

  @Test
  void whatAnotherUserHasWrittenIntoAnEnvironmentIsNotBelieved() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "being another user needs root");
    var command = List.of("/bin/sleep", "600");
    var builder =
        new ProcessBuilder(
            "/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "setsid", "/bin/sleep", "600");
    Leftovers.mark(builder.environment(), "execd@" + dir, command);
    Strays.mark(builder.environment());
    var process = builder.start();
    started.add(process.toHandle());
    var line = Path.of("/proc", Long.toString(process.pid()), "cmdline");
    for (var tries = 0; !Files.readString(line).startsWith("/bin/sleep"); tries++) {
      assertTrue(tries < 500, "it is not started");
      TimeUnit.MILLISECONDS.sleep(20);
    }

    assertEquals(List.of(), new Leftovers("execd@" + dir).end(false));
    assertEquals(List.of(), new Leftovers("execd@" + dir).end(true));

    assertTrue(process.isAlive());
  }

  private long written(String name) throws Exception {
    for (var tries = 0; tries < 500; tries++) {
      var file = dir.resolve(name);
      if (Files.exists(file) && Files.size(file) > 0) {
        var pid = Long.parseLong(Files.readString(file).strip());
        ProcessHandle.of(pid).ifPresent(started::add);
        return pid;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    throw new AssertionError(name + " was not written");
  }

  /// A process that was killed and that nobody has waited for yet does not live.
  private static boolean lives(long pid) throws IOException {
    var status = Path.of("/proc", Long.toString(pid), "stat");
    return Files.exists(status) && !Files.readString(status).contains(") Z ");
  }

  @Test
  void anAgentUnderWayIsKilledWithAllItStarted() throws Exception {
    var process =
        agent(
            "execd@" + dir,
            """
            sleep 600 & echo $! >%1$s/child
            setsid sleep 600 & echo $! >%1$s/own
            setsid sh -c 'sleep 600 & echo $! >%1$s/stray' &
            wait
            """
                .formatted(dir));
    var child = written("child");
    var own = written("own");
    var stray = written("stray");

    assertEquals(List.of(process.pid()), new Leftovers("execd@" + dir).end(false));

    assertTrue(process.waitFor(10, TimeUnit.SECONDS));
    assertFalse(lives(child));
    assertFalse(lives(own));
    assertFalse(lives(stray));
  }

  @Test
  void whatAnAgentThatHasEndedLeftRunningOnPurposeStays() throws Exception {
    var process =
        agent("execd@" + dir, "setsid sleep 600 >/dev/null & echo $! >%s/own\n".formatted(dir));
    var own = written("own");
    assertTrue(process.waitFor(10, TimeUnit.SECONDS));

    assertEquals(List.of(), new Leftovers("execd@" + dir).end(false));

    assertTrue(lives(own));
  }

  @Test
  void programsOfOthersStay() throws Exception {
    var process = agent("execd@" + dir, "echo $$ >%s/own; sleep 600\n".formatted(dir));
    written("own");

    assertEquals(List.of(), new Leftovers("fenced@" + dir).end(false));
    assertEquals(List.of(), new Leftovers("execd@" + dir + "/other").end(false));

    assertTrue(process.isAlive());
  }

  @Test
  void whatSomebodyStillWatchesOverWasNotLeftBehind() throws Exception {
    var builder = new ProcessBuilder("/usr/bin/setsid", "/bin/sleep", "600");
    Leftovers.mark(builder.environment(), "pacemakerd@" + dir, List.of("/bin/sleep", "600"));
    var self = ProcessHandle.current().pid();
    builder.environment().put(DaemonMain.SUPERVISOR, Long.toString(self));
    var process = builder.start();
    started.add(process.toHandle());
    var leftovers = new Leftovers("pacemakerd@" + dir);
    awaitSession(process.pid());

    var refused = assertThrows(CannotStart.class, leftovers::endUnlessWatched);

    assertTrue(refused.getMessage().contains("by process " + self), refused::getMessage);
    assertTrue(process.isAlive());
  }

  @Test
  void whatHasLostItsWatcherIsEnded() throws Exception {
    var builder =
        new ProcessBuilder(
            "/bin/sh",
            "-c",
            "SYSTOLE_SUPERVISOR=$$ setsid /bin/sleep 600 & echo $! >%s/own".formatted(dir));
    Leftovers.mark(builder.environment(), "pacemakerd@" + dir, List.of("/bin/sleep", "600"));
    var watcher = builder.start();
    var left = written("own");
    assertTrue(watcher.waitFor(10, TimeUnit.SECONDS));
    awaitSession(left);

    assertEquals(List.of(left), new Leftovers("pacemakerd@" + dir).endUnlessWatched());

    assertFalse(lives(left));
  }

  private static void awaitSession(long pid) throws Exception {
    var status = Path.of("/proc", Long.toString(pid), "stat");
    for (var tries = 0; tries < 500; tries++) {
      var text = Files.readString(status);
      if (text.substring(text.lastIndexOf(')') + 2).split(" ")[3].equals("" + pid)) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    throw new AssertionError("no session of its own");
  }
}
