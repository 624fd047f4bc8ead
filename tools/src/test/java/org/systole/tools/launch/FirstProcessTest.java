package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The launcher of a remote node's daemon as the first process of a PID namespace, which the kernel
/// treats as it does one of a container. A script stands for the JVM.
final class FirstProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> NAMESPACE =
      List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child");

  @TempDir private Path dir;
  private Process process;

  @BeforeEach
  void aNamespaceIsAllowed() throws IOException, InterruptedException {
    var may = new ProcessBuilder(command("true")).redirectErrorStream(true);
    may.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    try {
      assumeTrue(may.start().waitFor() == 0, "namespaces are not allowed here");
    } catch (IOException e) {
      assumeTrue(false, "there is no unshare");
    }
  }

  @AfterEach
  void theNamespaceEnds() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor(); // and with it all that is in it (--kill-child)
    }
  }

  private static List<String> command(String program) {
    var all = new java.util.ArrayList<>(NAMESPACE);
    all.add(program);
    return all;
  }

  // Tests run in the directory of the module or in one beside it.
  private static Path launcher() {
    var here = Path.of("").toAbsolutePath();
    var module = Files.exists(here.resolve("src/main/dist")) ? here : here.resolveSibling("tools");
    return module.resolve("src/main/dist/launch");
  }

  private static Path program(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  /// Starts the launcher as a container's first process.
  ///
  /// @param java what the JVM does; it runs in the test's directory
  private void start(String java) throws IOException {
    var home = dir.resolve("home");
    var launch = program(home.resolve("libexec/systole/launch"), Files.readString(launcher()));
    var daemon = Files.createSymbolicLink(launch.resolveSibling("systole-remoted"), launch);
    Files.createDirectories(home.resolve("lib/remote"));
    var jdk = dir.resolve("jdk");
    program(jdk.resolve("bin/java"), "#!/bin/sh\n" + java);
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    var builder = new ProcessBuilder(command(daemon.toString())).directory(dir.toFile());
    builder.environment().put("SYSTOLE_JAVA_HOME", jdk.toString());
    builder.environment().put("SYSTOLE_ROOT", dir.toString()); // the machine's precedence is left alone
    builder.environment().remove("PCMK_remote_pid1");
    builder.redirectErrorStream(true).redirectOutput(dir.resolve("output").toFile());
    process = builder.start();
  }

  private void await(String what, BooleanSupplier condition)
      throws IOException, InterruptedException {
    var end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        fail("waited in vain for " + what + "; output: " + Files.readString(dir.resolve("output")));
      }
      Thread.sleep(20);
    }
  }

  private void awaitFile(String name) throws IOException, InterruptedException {
    await(name, () -> Files.exists(dir.resolve(name)));
  }

  private int status() throws IOException, InterruptedException {
    await("the end", () -> !process.isAlive());
    return process.exitValue();
  }

  /// The namespace's first process, as seen from outside.
  private ProcessHandle first() {
    return process.toHandle().children().findFirst().orElseThrow();
  }

  private void signal(String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(first().pid())).inheritIO();
    assertEquals(0, kill.start().waitFor());
  }

  /// States of the first process's children, by its namespace's own table: `Z` for one that ended and
  /// was not taken in.
  private List<String> states(String... commands) throws IOException {
    var wanted = List.of(commands);
    try (var all = first().children()) {
      var found = new java.util.ArrayList<String>();
      for (var child : all.toList()) {
        var stat = Path.of("/proc", Long.toString(child.pid()), "stat");
        try {
          var line = Files.readString(stat, StandardCharsets.UTF_8);
          var name = line.substring(line.indexOf('(') + 1, line.lastIndexOf(')'));
          if (wanted.contains(name)) {
            found.add(line.substring(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3));
          }
        } catch (IOException e) {
          continue; // it is gone by now
        }
      }
      return found;
    }
  }

  @Test
  void whatProgramsLeaveBehindIsTakenIn() throws IOException, InterruptedException {
    // Fifty orphans that end at once, one that stays until it is told to, and the daemon goes on.
    start(
        """
        for it in 1 2 3 4 5 6 7 8 9 10; do
          sh -c 'for it in 1 2 3 4 5; do sh -c "exit $it" & done; exit 0'
        done
        sh -c '(while [ ! -e go ]; do sleep 0.05; done; exit 9) & exit 0'
        echo $$ >begun
        while [ ! -e end ]; do sleep 0.05; done
        exit 4
        """);
    awaitFile("begun");
    assertFalse("1".equals(Files.readString(dir.resolve("begun")).strip()), "the JVM is process 1");
    await("no dead left", () -> without("Z"));
    Files.createFile(dir.resolve("go"));
    await("the orphan's end", () -> count() == 1);
    Files.createFile(dir.resolve("end"));
    assertEquals(4, status());
  }

  private boolean without(String state) {
    try {
      return !states("sh", "java", "sleep", "systole-remoted").contains(state);
    } catch (IOException e) {
      return false;
    }
  }

  private long count() {
    try (var all = first().children()) {
      return all.count();
    }
  }

  @Test
  void aRequestToEndIsPassedOnAndTheDaemonsStatusIsGiven()
      throws IOException, InterruptedException {
    start("trap 'echo asked >asked; exit 7' TERM\n>begun\nwhile :; do sleep 0.05; done\n");
    awaitFile("begun");
    signal("TERM");
    assertEquals(7, status());
    assertTrue(Files.exists(dir.resolve("asked")));
  }

  @Test
  void aDaemonThatTakesItsTimeIsWaitedForHoweverOftenItIsAsked()
      throws IOException, InterruptedException {
    start(
        """
        trap 'echo asked >>asked' TERM
        >begun
        while [ ! -e end ]; do sleep 0.05; done
        exit 5
        """);
    awaitFile("begun");
    for (var time = 1; time <= 3; time++) {
      signal("TERM");
      var times = time;
      await("request " + time, () -> lines("asked") >= times);
    }
    assertTrue(process.isAlive());
    Files.createFile(dir.resolve("end"));
    assertEquals(5, status());
  }

  private int lines(String name) {
    try {
      return Files.readAllLines(dir.resolve(name)).size();
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void aDaemonThatIsKilledIsNoGoodEnd() throws IOException, InterruptedException {
    start("kill -KILL $$\n");
    assertEquals(128 + 9, status());
  }

  @Test
  void otherSignalsEndNothing() throws IOException, InterruptedException {
    start(">begun\nwhile [ ! -e end ]; do sleep 0.05; done\nexit 6\n");
    awaitFile("begun");
    for (var name : List.of("HUP", "USR1", "USR2", "QUIT", "PIPE", "ALRM")) {
      signal(name);
    }
    assertFalse(process.waitFor(500, TimeUnit.MILLISECONDS), "it ended");
    Files.createFile(dir.resolve("end"));
    assertEquals(6, status());
  }

  @Test
  void whatRunsInTheContainerEndsWithTheDaemon() throws IOException, InterruptedException {
    start(
        """
        sh -c 'setsid sh -c "trap : TERM HUP; >serves; while :; do sleep 0.05; done" & exit 0'
        while [ ! -e serves ]; do sleep 0.05; done
        exit 0
        """);
    awaitFile("serves");
    var inside = process.toHandle().descendants().toList();
    assertEquals(0, status());
    await("the end of all", () -> inside.stream().noneMatch(ProcessHandle::isAlive));
  }
}
