package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.systole.common.layout.Layout;
import org.systole.cts.local.LocalNode;

/// A real cluster of one node on the loopback device, started by root, in a directory that other
/// users can reach.
final class OneNode implements AutoCloseable {
  private static final String NAME = "alone";
  private static final String ADDRESS = "127.0.3.1";

  private final Path dir;
  private final LocalNode node;

  private OneNode(Path dir, LocalNode node) {
    this.dir = dir;
    this.node = node;
  }

  /// Makes the node's files; it is not started yet. Skips the test where it cannot be.
  static OneNode make() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "a node of its own needs root");
    var home = LabHome.distribution();
    assumeTrue(
        Files.exists(home.resolve("sbin/pacemakerd")),
        () -> "needs the packaged program in " + home + "; 'mvn verify' makes it");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
    var everybody =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
    var dir = Files.createTempDirectory(Path.of("/tmp"), "systole-one-");
    Files.setPosixFilePermissions(dir, everybody.value());
    var node = new LocalNode(NAME, ADDRESS, home, dir.resolve(NAME), List.of());
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort() % 20_000 + 20_000;
    }
    node.prepare(
        """
        totem {
          version: 2
          cluster_name: one
          token: 5000
          interface {
            linknumber: 0
            mcastport: %d
          }
        }
        nodelist {
          node {
            ring0_addr: %s
            name: %s
            nodeid: 1
          }
        }
        quorum {
          provider: corosync_votequorum
        }
        """
            .formatted(port, ADDRESS, NAME),
        new byte[256]);
    return new OneNode(dir, node);
  }

  /// Starts the node and waits until it is the cluster's DC.
  void start() throws IOException {
    node.start();
    Lab.awaitProcess("the node is online", this::isOnline);
  }

  private boolean isOnline() {
    try {
      return node.run("crm_mon", "-1").output().contains("Online: [ " + NAME + " ]");
    } catch (IOException e) {
      return false;
    }
  }

  void stop() throws IOException {
    node.shutDown(Duration.ofSeconds(60));
    node.kill();
  }

  LocalNode node() {
    return node;
  }

  Layout layout() {
    return node.layout();
  }

  Path logFile() {
    return layout().log().resolve("pacemaker.log");
  }

  /// Waits until the log has a line with all of these texts.
  void awaitLog(String... texts) {
    Lab.awaitProcess(
        "the log has a line with " + List.of(texts),
        () -> {
          try (var lines = Files.lines(logFile())) {
            return lines.anyMatch(it -> Stream.of(texts).allMatch(it::contains));
          } catch (IOException e) {
            return false;
          }
        });
  }

  /// The users the node's processes run as, by the daemon's name.
  String userOf(String daemon) {
    return node.processes().stream()
        .map(ProcessHandle::info)
        .filter(it -> List.of(it.arguments().orElse(new String[0])).contains(daemon))
        .map(it -> it.user().orElse("?"))
        .findFirst()
        .orElse("nobody runs it");
  }

  /// Runs a command as user nobody with one group.
  LocalNode.Outcome as(String group, String... command) throws IOException {
    var line = new ArrayList<>(List.of("/usr/bin/setpriv", "--reuid=nobody"));
    line.addAll(List.of("--regid=" + group, "--clear-groups", "--"));
    line.addAll(List.of(command));
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put(Layout.ROOT, node.dir().toString());
    builder.environment().put(Layout.NODE, NAME);
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      return new LocalNode.Outcome(process.waitFor(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  String program(String name) {
    return node.home().resolve("sbin").resolve(name).toString();
  }

  void succeed(String command, String... arguments) throws IOException {
    var outcome = node.run(command, arguments);
    assertEquals(0, outcome.status(), outcome::output);
  }

  @Override
  public void close() throws IOException {
    node.kill();
    try (var files = Files.walk(dir)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
