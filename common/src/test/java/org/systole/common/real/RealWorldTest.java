package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.logging.DaemonLog;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Processes;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.Store;
import org.systole.common.world.World;

class RealWorldTest {
  @TempDir Path root;
  private RealWorld world;

  @BeforeEach
  void startWorld() throws InterruptedException {
    world = world(Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"));
    var started = new CountDownLatch(1);
    var runner = new Thread(() -> world.runInProcess(started::countDown));
    runner.setDaemon(true);
    runner.start();
    assertTrue(started.await(10, TimeUnit.SECONDS));
  }

  /// @param environment mostly without a log: one may be written to after the end of a test, when its
  ///     directory is gone, and would be made again
  private RealWorld world(Map<String, String> environment) {
    return RealWorld.create(new Layout(root, root), environment, "cibd", "cib");
  }

  private <T> T inLoop(Consumer<Consumer<T>> work) throws InterruptedException {
    var result = new LinkedBlockingQueue<T>();
    world.post(() -> work.accept(result::add));
    var it = result.poll(20, TimeUnit.SECONDS);
    assertNotNull(it, "nothing came back");
    return it;
  }

  private record Echo() implements ConnectionHandler {
    @Override
    public void opened(Connection connection) {}

    @Override
    public void received(Connection connection, byte[] frame) {
      connection.send(frame);
    }

    @Override
    public void closed(Connection connection, String why) {}
  }

  private record Client(byte[] first, Consumer<Object> seen) implements ConnectionHandler {
    @Override
    public void opened(Connection connection) {
      connection.send(first);
    }

    @Override
    public void received(Connection connection, byte[] frame) {
      seen.accept(frame);
    }

    @Override
    public void closed(Connection connection, String why) {
      seen.accept(why);
    }
  }

  @Test
  void framesTravelWholeOverASocketOnlyItsOwnerMayOpen() throws Exception {
    var frame = new byte[3_000_000];
    frame[2_999_999] = 7;
    Object back =
        inLoop(
            done -> {
              world.listen("cib", World.Access.OWNER, it -> new Echo());
              world.connect("cib", new Client(frame, done));
            });
    assertArrayEquals(frame, assertInstanceOf(byte[].class, back));
    var socket = root.resolve("run/systole/cib.sock");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
  }

  @Test
  void theClosingOfAServerReachesItsClients() throws Exception {
    Object why =
        inLoop(
            done -> {
              var server = world.listen("cib", World.Access.GROUP, it -> new Echo());
              world.connect(
                  "cib",
                  new Client(
                      new byte[1],
                      it -> {
                        if (it instanceof byte[]) {
                          server.close();
                        } else {
                          done.accept(it);
                        }
                      }));
            });
    assertInstanceOf(String.class, why);
    assertFalse(Files.exists(root.resolve("run/systole/cib.sock")));
  }

  @Test
  void aSocketNobodyServesIsReportedAsClosed() throws Exception {
    Object why = inLoop(done -> world.connect("nobody", new Client(new byte[1], done)));
    assertTrue(why.toString().startsWith("cannot connect to "), why.toString());
  }

  private Exit exitOf(List<String> command, String input, @Nullable Duration timeout)
      throws InterruptedException {
    var program =
        new Program(command, Map.of("PATH", "/usr/bin:/bin", "A", "b"), input, timeout, 100);
    return this.<Exit>inLoop(done -> world.processes().start(program, done));
  }

  @Test
  void aProgramGetsItsInputAndEnvironmentAndItsOutputIsKeptUpToTheLimit() throws Exception {
    var exit =
        assertInstanceOf(
            Exit.Exited.class,
            exitOf(
                List.of("sh", "-c", "cat; echo $A $HOME >&2; head -c 5000 /dev/zero; exit 7"),
                "hi",
                null));
    assertEquals(7, exit.status());
    assertEquals(0, exit.signal());
    assertEquals("b\n", exit.errors());
    assertTrue(exit.output().startsWith("hi"));
    assertEquals(100, exit.output().length());
  }

  private Exit exitOfFirst(String... files) throws InterruptedException {
    var programs =
        Arrays.stream(files)
            .map(it -> new Program(List.of(it, "x"), Map.of(), "", Duration.ofSeconds(10), 100))
            .toList();
    return this.<Exit>inLoop(done -> world.processes().startFirst(programs, done));
  }

  @Test
  void aProgramThatEndedOrWasKilledIsGoneWhenItsExitIsTold() throws Exception {
    for (var command : List.of(List.of("true"), List.of("sh", "-c", "sleep 60 & sleep 60"))) {
      for (var round = 0; round < 10; round++) {
        Object isThere =
            inLoop(
                done -> {
                  var program =
                      new Program(
                          command,
                          Map.of("PATH", "/usr/bin:/bin"),
                          "",
                          Duration.ofMillis(command.size() > 1 ? 50 : 10_000),
                          100);
                  var running = new Processes.Running[1];
                  running[0] =
                      world.processes().start(program, _ -> done.accept(running[0].isAlive()));
                });
        assertEquals(false, isThere, command::toString);
      }
    }
  }

  @Test
  void theFirstOfSeveralProgramsThatIsThereRuns() throws Exception {
    var exit = exitOfFirst("/nowhere/echo", "/bin/echo", "/bin/false");
    assertEquals("x\n", assertInstanceOf(Exit.Exited.class, exit).output());
  }

  @Test
  void aProgramThatMayNotBeRunIsNotPassedOver() throws Exception {
    var exit = exitOfFirst("/etc/passwd", "/bin/echo");
    assertEquals(new Exit.NotStarted("/etc/passwd: not executable"), exit);
  }

  @Test
  void ofSeveralProgramsThatAreNotThereTheLastIsNamed() throws Exception {
    var exit = exitOfFirst("/nowhere/a", "/nowhere/b");
    assertEquals(new Exit.NotStarted("/nowhere/b: no such file"), exit);
  }

  @Test
  void theInputOfADaemonDoesNotEndBeforeItsStarter() throws Exception {
    var command = List.of("timeout", "0.3", "cat");
    var daemon = new Program(command, Map.of("PATH", "/usr/bin:/bin"), "hi", null, 0);
    var exit = this.<Exit>inLoop(done -> world.processes().start(daemon, done));
    var ended = assertInstanceOf(Exit.Exited.class, exit);
    assertEquals(124, ended.status(), "it still waited for more");
  }

  @Test
  void aDaemonHearsWhatItIsToldFromTheBeginning() throws Exception {
    var heard = root.resolve("heard");
    var command = List.of("sh", "-c", "head -n 3 >" + heard);
    var daemon = new Program(command, Map.of("PATH", "/usr/bin:/bin"), "first\n", null, 0);
    this.<Exit>inLoop(
        done -> {
          var running = world.processes().start(daemon, done);
          running.tell("second"); // it hardly runs by now
          running.tell("third");
        });
    assertEquals("first\nsecond\nthird\n", Files.readString(heard));
  }

  @Test
  void aGrandchildThatHoldsThePipeDoesNotDelayTheExit() throws Exception {
    var begin = System.nanoTime();
    var exit = exitOf(List.of("sh", "-c", "sleep 30 & echo done"), "", Duration.ofSeconds(60));
    assertEquals("done\n", assertInstanceOf(Exit.Exited.class, exit).output());
    assertTrue(System.nanoTime() - begin < 25_000_000_000L);
  }

  @Test
  void theTimeoutKillsTheWholeGroup() throws Exception {
    var exit =
        exitOf(List.of("sh", "-c", "sleep 300 & echo $!; sleep 300"), "", Duration.ofSeconds(2));
    var output = assertInstanceOf(Exit.TimedOut.class, exit).output();
    var grandchild = ProcessHandle.of(Long.parseLong(output.strip()));
    if (grandchild.isPresent()) {
      grandchild.get().onExit().get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void aFloodOfOutputIsReadAndDroppedUntilTheTimeout() throws Exception {
    var exit = exitOf(List.of("sh", "-c", "yes & yes >&2"), "", Duration.ofSeconds(2));
    var killed = assertInstanceOf(Exit.TimedOut.class, exit);
    assertEquals(100, killed.output().length());
    assertEquals(100, killed.errors().length());
  }

  @Test
  void theTimeoutAlsoKillsAChildThatLeftTheGroup() throws Exception {
    var exit =
        exitOf(
            List.of("sh", "-c", "setsid sh -c 'echo $$; exec sleep 300' & wait"),
            "",
            Duration.ofSeconds(2));
    var output = assertInstanceOf(Exit.TimedOut.class, exit).output();
    var child = ProcessHandle.of(Long.parseLong(output.strip()));
    if (child.isPresent()) {
      child.get().onExit().get(20, TimeUnit.SECONDS);
    }
  }

  /// A process that was killed and that nobody has waited for yet does not live.
  private static boolean lives(String pid) throws IOException {
    var status = Path.of("/proc", pid, "stat");
    return Files.exists(status) && !Files.readString(status).contains(") Z ");
  }

  private String writtenTo(Path file) throws Exception {
    for (var tries = 0; tries < 500 && !(Files.exists(file) && Files.size(file) > 0); tries++) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return Files.readString(file).strip();
  }

  @Test
  void theTimeoutAlsoKillsAGrandchildThatBelongsToNobodyAnyMore() throws Exception {
    var file = root.resolve("stray");
    var away = "setsid sh -c 'sleep 300 & echo $! >%s' & wait; sleep 300".formatted(file);
    var exit = exitOf(List.of("sh", "-c", away), "", Duration.ofSeconds(2));

    assertInstanceOf(Exit.TimedOut.class, exit);
    assertFalse(lives(writtenTo(file)));
  }

  @Test
  void whatAProgramLeavesRunningStaysWhenALaterOneTakesTooLong() throws Exception {
    var file = root.resolve("service");
    var start = "setsid sh -c 'sleep 300 & echo $! >%s' & wait".formatted(file);
    assertInstanceOf(
        Exit.Exited.class, exitOf(List.of("sh", "-c", start), "", Duration.ofSeconds(60)));
    var service = writtenTo(file);
    try {
      var exit = exitOf(List.of("sh", "-c", "sleep 300"), "", Duration.ofMillis(300));

      assertInstanceOf(Exit.TimedOut.class, exit);
      assertTrue(lives(service));
    } finally {
      ProcessHandle.of(Long.parseLong(service)).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aSignalIsToldFromAnExitStatus() throws Exception {
    var exit =
        assertInstanceOf(Exit.Exited.class, exitOf(List.of("sh", "-c", "kill -9 $$"), "", null));
    assertEquals(9, exit.signal());
  }

  @Test
  void whatCannotBeStartedSaysWhy() throws Exception {
    var exit = exitOf(List.of("/no/such/agent"), "", null);
    assertEquals(
        "/no/such/agent: no such file", assertInstanceOf(Exit.NotStarted.class, exit).why());
  }

  @Test
  void aProgramWhoseEnvironmentCannotBeIsReportedToo() throws Exception {
    var program = new Program(List.of("true"), Map.of("PATH", "/bin", "a=b", "c"), "", null, 0);
    var exit = this.<Exit>inLoop(done -> world.processes().start(program, done));
    assertTrue(assertInstanceOf(Exit.NotStarted.class, exit).why().contains("a=b"));
  }

  @Test
  void changesAreOnDiskInOrder() throws Exception {
    var store = world.store();
    Object outcome =
        inLoop(
            done ->
                store.change(
                    List.of(
                        new Store.Change.Write("a", new byte[] {1}),
                        new Store.Change.Rename("a", "b"),
                        new Store.Change.Rename("missing", "b"),
                        new Store.Change.Write("a", new byte[] {2}),
                        new Store.Change.Write("c", new byte[] {3}),
                        new Store.Change.Delete("c")),
                    it -> done.accept(it == null ? "ok" : it)));
    assertEquals("ok", outcome);
    assertEquals(List.of("a", "b"), store.list());
    assertArrayEquals(new byte[] {1}, store.read("b"));
    assertNull(store.read("c"));
  }

  /// A node's link that forgot what it has promised could vote twice.
  @Test
  void noEnvironmentKeepsTheFilesOfACluster() throws Exception {
    var elsewhere = Files.createDirectory(root.resolve("elsewhere"));
    var log = root.resolve("further.log");
    var other =
        world(
            Map.of(
                "SYSTOLE_NODE", "node1", "PCMK_logfile", "none", "PCMK_logfacility", "none",
                DaemonLog.MORE_FILES, log.toString(),
                RealWorld.STATE, elsewhere.toString(), RealWorld.STATE_WRITES, "no"));
    var written = new CountDownLatch(1);
    var runner = new Thread(() -> other.runInProcess(() ->
        other.store().change(List.of(new Store.Change.Write("promised", new byte[] {1})), _ -> written.countDown())));
    runner.setDaemon(true);
    runner.start();
    assertTrue(written.await(20, TimeUnit.SECONDS));
    assertArrayEquals(new byte[] {1}, world.store().read("promised"));
    assertFalse(Files.exists(log));
  }

  @Test
  void whatIsNoFileIsNotGivenToTheCluster() throws Exception {
    var pipe = root.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", "-m", "644", pipe.toString()).start().waitFor());
    var directories = Directories.prepare(new Layout(root, root), Map.of(), "cib");
    directories.grantLog(pipe, null);
    assertEquals("rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(pipe)));
    var file = Files.createFile(root.resolve("a.log"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    directories.grantLog(file, null);
    assertTrue(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).endsWith("---"));
  }

  @Test
  void timersFireInOrderAndACancelledOneDoesNot() throws Exception {
    var order = new StringBuilder();
    String seen =
        inLoop(
            done -> {
              // The last one asked for is the last one due, however slow the machine is.
              world.after(Duration.ZERO, () -> order.append('1'));
              world.after(Duration.ofMillis(15), () -> order.append('x')).cancel();
              world.after(Duration.ofMillis(10), () -> order.append('a'));
              world.after(Duration.ofMillis(20), () -> done.accept(order.append('b').toString()));
              order.append('0');
            });
    assertEquals("01ab", seen);
  }

  @Test
  void theLogHasOneLineAMessage() throws Exception {
    var log = world(Map.of("SYSTOLE_NODE", "node1")).log();
    log.notice("first\nsecond");
    log.debug("not kept");
    assertTrue(log.drain(Duration.ofSeconds(20)));
    var lines = Files.readAllLines(root.resolve("var/log/pacemaker/pacemaker.log"));
    assertEquals(1, lines.size());
    assertTrue(
        lines
            .getFirst()
            .matches(
                "\\w{3} \\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} node1 cibd\\[\\d+\\] \\(RealWorldTest\\) notice: first second"),
        lines.getFirst());
  }
}
