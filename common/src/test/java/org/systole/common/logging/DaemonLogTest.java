package org.systole.common.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.world.Log;
import org.systole.common.world.World;

/// The log of a daemon as its options have it, in real files.
class DaemonLogTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path root;
  private final Map<String, String> options = new HashMap<>(Map.of("SYSTOLE_NODE", "node1"));
  private final List<Path> owned = new CopyOnWriteArrayList<>();
  private Path file;

  @BeforeEach
  void chooseFile() throws IOException {
    file = root.resolve("var/log/pacemaker/pacemaker.log");
    Files.createDirectories(file.getParent());
  }

  private DaemonLog open(String daemon) {
    return DaemonLog.open(
        new Layout(root, root),
        options,
        daemon,
        (path, mode) -> {
          owned.add(path);
          if (path.startsWith(root)) {
            Files.setPosixFilePermissions(path, mode == null ? usual() : mode);
          }
        });
  }

  private static Set<PosixFilePermission> usual() {
    return PosixFilePermissions.fromString("rw-------");
  }

  /// Lines without time, node, daemon and process.
  private static List<String> texts(Path of) throws IOException {
    return Files.readAllLines(of).stream().map(it -> it.substring(it.indexOf('('))).toList();
  }

  private List<String> written(DaemonLog log) throws IOException {
    assertTrue(log.drain(LONG), "not written in time");
    return texts(file);
  }

  @Test
  void furtherFilesGetTheSame() throws IOException {
    var more = List.of(root.resolve("one.log"), root.resolve("two.log"));
    options.put(DaemonLog.MORE_FILES, "%s\n/dev/null\n%s\nnone".formatted(more.get(0), more.get(1)));
    var log = open("fenced");
    log.write(Log.Level.INFO, "said once");
    assertEquals(List.of("(DaemonLogTest) info: said once"), written(log));
    for (var it : more) {
      assertEquals(texts(file), texts(it));
    }
    assertFalse(owned.contains(Path.of("/dev/null")), owned::toString);
  }

  @Test
  void aLineNamesTimeNodeDaemonProcessPartAndLevel() throws IOException {
    var log = open("controld");
    log.notice("Node node2\nis lost");
    assertTrue(log.drain(LONG));
    var line = Files.readString(file);
    var expected =
        "\\w{3} \\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} node1 controld\\[%d] \\(DaemonLogTest\\) notice: Node node2 is lost\n"
            .formatted(ProcessHandle.current().pid());
    assertTrue(line.matches(expected), line);
  }

  @Test
  void eachLevelIsNamedInTheReferencesWordsButDebuggingIsNotKept() throws IOException {
    var log = open("controld");
    for (var level : Log.Level.values()) {
      log.write(level, "x");
    }
    assertEquals(
        List.of("critical", "error", "warning", "notice", "info"),
        written(log).stream().map(it -> it.replaceAll(".*\\) |: x", "")).toList());
  }

  @Test
  void theSourceIsTheClassThatSpeaksEvenIfTheJdkCallsIt() throws IOException {
    var log = open("schedulerd");
    List.of("first").forEach(log::warning);
    List.of("second").forEach(it -> log.warning(it));
    log.about("transition=4").info("third");
    assertEquals(
        List.of(
            "(DaemonLogTest) warning: first",
            "(DaemonLogTest) warning: second",
            "(DaemonLogTest) info: third | transition=4"),
        written(log));
  }

  @Test
  void debuggingMessagesOfOneDaemonAreKeptUnderEitherName() {
    options.put("PCMK_debug", "pacemaker-based, execd");
    assertTrue(open("cibd").keeps(Log.Level.DEBUG));
    assertTrue(open("execd").keeps(Log.Level.DEBUG));
    assertFalse(open("attrd").keeps(Log.Level.DEBUG));
  }

  @Test
  void debuggingIsSwitchedWhileTheDaemonRuns() throws IOException {
    var log = open("controld");
    log.debug("before");
    log.setDebug("attrd,pacemaker-controld");
    log.debug("during");
    log.setDebug(World.DEBUG_AS_CONFIGURED);
    log.debug("after");
    assertEquals(
        List.of(
            "(Log) notice: Debugging messages are logged from now on",
            "(DaemonLogTest) debug: during",
            "(Log) notice: Debugging messages are no longer logged"),
        written(log));
  }

  @Test
  void whatIsTracedIsKeptWithoutAllDebugging() throws IOException {
    options.put("PCMK_trace_tags", "vip");
    options.put("PCMK_trace_formats", "waits for");
    options.put("PCMK_trace_functions", "spoken");
    var log = open("controld");
    log.debug("vip_start_0 begins");
    log.debug("vip2_start_0 begins");
    log.debug("something waits for something");
    log.debug("neither");
    spoken(log);
    assertEquals(
        List.of(
            "(DaemonLogTest) debug: vip_start_0 begins",
            "(DaemonLogTest) debug: something waits for something",
            "(DaemonLogTest) debug: by a function"),
        written(log));
  }

  private static void spoken(Log log) {
    log.debug("by a function");
  }

  @Test
  void allOfATracedClassIsKept() throws IOException {
    options.put("PCMK_trace_files", "Other.java,DaemonLogTest");
    var log = open("controld");
    log.debug("kept");
    assertEquals(List.of("(DaemonLogTest) debug: kept"), written(log));
  }

  @Test
  void librariesWriteToTheSameLogButDebugOnlyWhereTraced() throws IOException {
    options.put("PCMK_trace_files", "TCP");
    options.put("PCMK_debug", "yes");
    var log = open("pacemakerd");
    log.library("org.jgroups.protocols.TCP").debug("a");
    log.library("org.jgroups.protocols.UDP").debug("b");
    log.library("org.jgroups.protocols.UDP").warn("c");
    assertEquals(List.of("(TCP) debug: a", "(UDP) warning: c"), written(log));
  }

  @Test
  void whatIsWrongInTheOptionsIsToldAndDefaultsAreUsed() throws IOException {
    options.put("PCMK_logfacility", "local9");
    options.put("PCMK_logpriority", "loud");
    options.put("PCMK_logfile_mode", "9");
    assertEquals(
        List.of(
            "(Log) warning: PCMK_logfile_mode=9 is no mode such as 0640; it is not used",
            "(Log) warning: PCMK_logfacility=local9 is not known; 'daemon' is used. It can be none, user, daemon, local0 to local7",
            "(Log) warning: PCMK_logpriority=loud is not known; 'notice' is used. It can be emerg, alert, crit, error, warning, notice, info, debug"),
        written(open("attrd")));
    assertEquals(usual(), Files.getPosixFilePermissions(file));
  }

  @Test
  void fileAndModeAreTheAdministratorsChoice() throws IOException {
    options.put("PCMK_logfile", "/var/log/elsewhere/cluster.log");
    options.put("PCMK_logfile_mode", "0644");
    var log = open("attrd");
    log.info("there");
    assertTrue(log.drain(LONG));
    var there = root.resolve("var/log/elsewhere/cluster.log");
    assertEquals(List.of("(DaemonLogTest) info: there"), texts(there));
    assertEquals(
        "rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(there)));
    assertFalse(Files.exists(file));
  }

  @Test
  void withoutAFileThereIsNone() {
    options.put("PCMK_logfile", "none");
    var log = open("attrd");
    log.error("said to nobody");
    assertTrue(log.drain(LONG));
    assertFalse(Files.exists(file));
  }

  @Test
  void aFileThatIsRenamedIsLeftAndANewOneIsMade() throws IOException {
    var log = open("attrd");
    log.info("before");
    assertTrue(log.drain(LONG));
    var old = file.resolveSibling("pacemaker.log.1");
    Files.move(file, old);
    log.info("after");
    assertEquals(List.of("(DaemonLogTest) info: after"), written(log));
    assertEquals(List.of("(DaemonLogTest) info: before"), texts(old));
    assertEquals(usual(), Files.getPosixFilePermissions(file));
  }

  @Test
  void aFileThatIsCopiedAndTruncatedBeginsAnew() throws IOException {
    var log = open("attrd");
    log.info("before");
    assertTrue(log.drain(LONG));
    Files.copy(file, file.resolveSibling("pacemaker.log.1"));
    Files.write(file, new byte[0]);
    log.info("after");
    assertEquals(List.of("(DaemonLogTest) info: after"), written(log));
  }

  /// A FIFO nobody reads is as good as a file server that has gone.
  private void stallTheFile() throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
  }

  @Test
  void aStalledFileHoldsNobodyUp() throws Exception {
    stallTheFile();
    var begin = System.nanoTime();
    var log = open("attrd");
    for (var i = 0; i < 10 * LogWriter.LINES_MAX; i++) {
      log.info("line " + i);
    }
    assertTrue(System.nanoTime() - begin < LONG.toNanos(), "the log waits for its file");
    assertFalse(log.drain(Duration.ofMillis(50)));
  }

  @Test
  void howManyLinesAStalledFileHasCostIsTold() throws Exception {
    stallTheFile();
    var log = open("attrd");
    var count = 3 * LogWriter.LINES_MAX;
    for (var i = 0; i < count; i++) {
      log.info("line " + i);
    }
    var seen = new ArrayList<String>();
    var missing = 0;
    try (var reader = Files.newBufferedReader(file)) {
      while (missing == 0) {
        var line = reader.readLine();
        if (line.contains("(Log) warning: ")) {
          missing = Integer.parseInt(line.replaceAll(".*warning: (\\d+) lines are missing.*", "$1"));
        } else {
          seen.add(line);
        }
      }
    }
    assertEquals(count, seen.size() + missing);
    assertTrue(seen.getFirst().endsWith("line 0"), "those that came first are kept");
  }

  @Test
  void warningsStillFindRoomWhereInformationIsDropped() throws Exception {
    stallTheFile();
    var log = open("attrd");
    for (var i = 0; i < LogWriter.LINES_MAX; i++) {
      log.info("line " + i);
    }
    log.error("the last words");
    var found = false;
    try (var reader = Files.newBufferedReader(file)) {
      for (var i = 0; i <= LogWriter.LINES_MAX && !found; i++) {
        found = reader.readLine().endsWith("error: the last words");
      }
    }
    assertTrue(found);
  }

  @Test
  void aFileThatCannotBeMadeIsTriedAgainUntilItCan() throws Exception {
    Files.delete(file.getParent());
    Files.createFile(file.getParent());
    var log = open("attrd");
    log.info("patient");
    assertFalse(log.drain(Duration.ofMillis(100)));
    Files.delete(file.getParent());
    assertEquals(List.of("(DaemonLogTest) info: patient"), written(log));
  }

  @Test
  void aChosenFileThatCannotBeOpenedIsTriedAgainAndTheUsualOneTakesItsPlace() throws Exception {
    var blocked = root.resolve("srv");
    Files.createFile(blocked);
    options.put("PCMK_logfile", "/srv/cluster.log");
    var log = open("attrd");
    log.info("first");
    var lines = written(log);
    assertTrue(
        lines.getFirst().startsWith("(Log) error: Cannot open the log file " + blocked), lines::toString);
    assertEquals("(DaemonLogTest) info: first", lines.get(1));

    Files.delete(blocked);
    var chosen = blocked.resolve("cluster.log");
    var end = System.nanoTime() + LONG.toNanos();
    while (!Files.exists(chosen)) {
      assertTrue(System.nanoTime() < end, "it is not tried again");
      log.info("again");
      assertTrue(log.drain(LONG));
    }
    log.info("last");
    assertTrue(log.drain(LONG));
    assertEquals("(DaemonLogTest) info: last", texts(chosen).getLast());
    assertTrue(texts(file).getLast().contains("The log goes on in the log file " + chosen));
  }

  @Test
  void aDirectoryIsNoLogFileAndTheUsualOneTakesItsPlace() throws IOException {
    for (var directory : List.of("/", "/var")) {
      options.put("PCMK_logfile", directory);
      var log = open("attrd");
      log.info("said");
      assertEquals("(DaemonLogTest) info: said", written(log).getLast());
    }
  }

  @Test
  void theRootDirectoryItselfIsRefusedAsAFileIs() {
    var log = new LogFile(Path.of("/"), "node1 attrd[1]", _ -> {});
    assertThrows(IOException.class, () -> log.write(List.of()));
  }

  @Test
  void aTargetThatBreaksIsTriedAgainAndItsWriterLivesOn() {
    var troubles = new CopyOnWriteArrayList<String>();
    var written = new CopyOnWriteArrayList<LogLine>();
    var target =
        new LogTarget() {
          @Override
          public String what() {
            return "a target";
          }

          @Override
          public void write(List<LogLine> lines) {
            if (troubles.isEmpty()) {
              throw new IllegalStateException("broken");
            }
            written.addAll(lines);
          }
        };
    var watcher =
        new LogWriter.Watcher() {
          @Override
          public void inTrouble(String why) {
            troubles.add(why);
          }

          @Override
          public void idle() {}
        };
    var writer = LogWriter.start("test", target, watcher);
    writer.offer(LogLine.of(0, Log.Level.INFO, "Test", "kept"));

    assertTrue(writer.drain(LONG));
    assertEquals(1, written.size());
    assertEquals(
        List.of("Cannot write to a target: java.lang.IllegalStateException: broken"), troubles);
  }

  @Test
  void oneLineThatComesAgainAndAgainIsCounted() throws IOException {
    var log = open("attrd");
    for (var i = 0; i < 1000; i++) {
      log.warning("Refusing a connection: user nobody is not in group haclient");
    }
    log.warning("another");
    var lines = written(log);
    var more = 1000 - RepeatLimit.SAME_MAX;
    assertEquals(RepeatLimit.SAME_MAX + 2, lines.size(), lines::toString);
    assertTrue(lines.getLast().endsWith("haclient (%d times more)".formatted(more)));
  }

  @Test
  void aMessageOfAWholeCibDoesNotFillTheLog() throws IOException {
    var log = open("attrd");
    log.info("x".repeat(1_000_000));
    assertTrue(written(log).getFirst().endsWith("x... (984000 characters more)"));
  }
}
