package org.systole.common.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

/// What reaches the journal and the system log daemon, at sockets of the test's.
@Timeout(60)
class SystemLogTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path root;
  private final Map<String, String> options =
      new HashMap<>(Map.of("SYSTOLE_NODE", "node1", "PCMK_logfile", "none"));

  private DaemonLog open() {
    return DaemonLog.open(new Layout(root, root), options, "fenced", (_, _) -> {});
  }

  private ServerSocketChannel journal() throws IOException {
    var socket = root.resolve("run/systemd/journal/stdout");
    Files.createDirectories(socket.getParent());
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    return server;
  }

  private static BufferedReader accept(ServerSocketChannel server) throws IOException {
    var stream = Channels.newInputStream(server.accept());
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
  }

  private static void readHeader(BufferedReader from, int usual) throws IOException {
    assertEquals("fenced", from.readLine());
    assertEquals("", from.readLine());
    assertEquals(Integer.toString(usual), from.readLine());
    assertEquals("1", from.readLine());
    for (var i = 0; i < 3; i++) {
      assertEquals("0", from.readLine());
    }
  }

  @Test
  void noticesAndWorseGoToTheJournalWithTheirPriority() throws IOException {
    try (var server = journal()) {
      var log = open();
      log.info("too little");
      log.notice("a");
      log.warning("b");
      log.error("c");
      log.critical("d");
      var seen = accept(server);
      readHeader(seen, 3 * 8 + 6);
      assertEquals("<5>node1 (SystemLogTest) notice: a", seen.readLine());
      assertEquals("<4>node1 (SystemLogTest) warning: b", seen.readLine());
      assertEquals("<3>node1 (SystemLogTest) error: c", seen.readLine());
      assertEquals("<2>node1 (SystemLogTest) critical: d", seen.readLine());
    }
  }

  @Test
  void facilityAndPriorityAreTheAdministratorsChoice() throws IOException {
    options.put("PCMK_logfacility", "local3");
    options.put("PCMK_logpriority", "error");
    try (var server = journal()) {
      var log = open();
      log.warning("too little");
      log.error("c");
      var seen = accept(server);
      readHeader(seen, 19 * 8 + 6);
      assertEquals("<3>node1 (SystemLogTest) error: c", seen.readLine());
    }
  }

  @Test
  void aJournalThatIsStartedAgainGetsWhatFollows() throws IOException {
    try (var server = journal()) {
      var log = open();
      log.notice("first");
      try (var seen = accept(server)) {
        readHeader(seen, 30);
        assertEquals("<5>node1 (SystemLogTest) notice: first", seen.readLine());
      }
      log.notice("second");
      var again = accept(server);
      readHeader(again, 30);
      assertEquals("<5>node1 (SystemLogTest) notice: second", again.readLine());
    }
  }

  @Test
  void aSystemLogDaemonGetsDatagrams() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/logger")), "there is no logger");
    Files.createDirectories(root.resolve("dev"));
    try (var socket = DatagramSocketFile.bind(root.resolve("dev/log"))) {
      var log = open();
      log.notice("Fencing node2");
      var seen = socket.receive();
      var expected =
          "<29>\\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d (\\S+ )?fenced\\[%d]: node1 \\(SystemLogTest\\) notice: Fencing node2"
              .formatted(ProcessHandle.current().pid());
      assertTrue(seen.matches(expected), seen);
    }
  }

  @Test
  void withFacilityNoneNothingGoesThere() throws IOException {
    options.put("PCMK_logfacility", "none");
    try (var server = journal()) {
      server.configureBlocking(false);
      var log = open();
      log.critical("x");
      assertTrue(log.drain(LONG));
      assertEquals(null, server.accept());
    }
  }

  @Test
  void aStalledLogFileIsToldToTheJournal() throws Exception {
    options.put("PCMK_logfile", "/pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", root + "/pipe").start().waitFor());
    try (var server = journal()) {
      var log = open();
      for (var i = 0; i < 2 * LogWriter.LINES_MAX; i++) {
        log.info("line " + i);
      }
      var seen = accept(server);
      readHeader(seen, 30);
      assertEquals(
          "<3>node1 (Log) error: the log file %s/pipe takes no lines; they are being dropped"
              .formatted(root),
          seen.readLine());
    }
  }

  @Test
  void aMachineWithoutASystemLogLosesNothingElse() {
    var log = open();
    log.error("x");
    assertTrue(log.drain(LONG));
  }
}
