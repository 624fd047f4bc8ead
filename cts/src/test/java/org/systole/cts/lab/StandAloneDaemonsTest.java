package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.cts.local.LocalNode;

/// Real daemons by themselves, as others' tests start them, and the commands that talk to them.
final class StandAloneDaemonsTest {
  private static final String DUMMY = "<primitive id=\"p\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\"/>";

  @TempDir private Path dir;
  private LocalNode node;

  @BeforeEach
  void aDistribution() throws IOException {
    var home = LabHome.distribution();
    assumeTrue(
        Files.exists(home.resolve("libexec/systole/fenced")),
        () -> "needs the packaged program in " + home + "; 'mvn verify' makes it");
    node = new LocalNode("alpha", "", home, Files.createDirectory(dir.resolve("root")), List.of());
  }

  @AfterEach
  void end() throws IOException {
    node.kill();
  }

  private Process start(String daemon, String... options) throws IOException {
    var line = new ArrayList<>(List.of(node.home().resolve("libexec/systole").resolve(daemon).toString()));
    line.addAll(List.of(options));
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put(Layout.ROOT, node.dir().toString());
    builder.environment().put(Layout.NODE, node.name());
    return builder.start();
  }

  private String run(String command, String... arguments) throws IOException {
    var outcome = node.run(command, arguments);
    assertTrue(outcome.ok(), command + ": " + outcome);
    return outcome.output();
  }

  private void awaitSocket(String name) {
    Lab.awaitProcess("the socket " + name, () -> Files.exists(node.layout().socket(name)));
  }

  @Test
  void aFencerHasTheDevicesOfItsClientsAndWritesItsOwnLog() throws IOException, InterruptedException {
    var log = dir.resolve("fenced.log");
    start("fenced", "--stand-alone", "--logfile", log.toString());
    awaitSocket("fence");
    run("stonith_admin", "--register", "d", "--agent", "fence_watchdog", "--option", "pcmk_host_list=node1");
    assertTrue(run("stonith_admin", "--list-registered").startsWith("d\n"));
    assertFalse(node.run("stonith_admin", "--reboot", "node9", "--timeout", "5").ok());
    Lab.awaitProcess("its own log", () -> isIn(log, "Fencing (reboot) of node9"));
    var second = start("fenced", "-s");
    var said = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("pacemaker-fenced: Aborting start-up because a fencer instance is already active\n", said);
    assertEquals(0, second.waitFor());
  }

  private static boolean isIn(Path log, String text) {
    try {
      return Files.exists(log) && Files.readString(log).contains(text);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void anAttributeManagerKeepsValues() throws IOException {
    start("attrd", "-s");
    awaitSocket("attr");
    run("attrd_updater", "-n", "ping", "-U", "7", "--wait=local");
    assertEquals("name=\"ping\" host=\"alpha\" value=\"7\"\n", run("attrd_updater", "-n", "ping", "-Q"));
  }

  /// The node's other daemons, which start at the same time as its own one, could connect to this one.
  @Test
  void noNodeStartsBesideADaemonByHand() throws IOException, InterruptedException {
    start("attrd", "-s");
    awaitSocket("attr");
    var configuration =
        "totem {\n  cluster_name: one\n}\nnodelist {\n  node {\n    ring0_addr: 127.0.0.1\n    name: alpha\n    nodeid: 1\n  }\n}\n";
    node.prepare(configuration, new byte[256]);
    var supervisor = start("../../sbin/pacemakerd");
    assertTrue(supervisor.waitFor(60, TimeUnit.SECONDS), "it runs");
    var said = new String(supervisor.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(
        "pacemakerd: There is a process that serves %s, as attrd does: it was started by hand, or this machine is a remote node; end it first\n"
            .formatted(node.layout().socket("attr")),
        said);
    assertEquals(100, supervisor.exitValue());
  }

  @Test
  void aCibManagerWritesToDiskWhereItIsAskedTo() throws IOException, InterruptedException {
    var cibs = Files.createDirectory(dir.resolve("cibs"));
    var first = start("cibd", "-s", "-r", cibs.toString());
    create();
    end(first);
    assertEquals(List.of(), files(cibs));
    var second = start("cibd", "-sw", "-r", cibs.toString());
    create();
    end(second);
    assertTrue(Files.readString(cibs.resolve("cib.xml")).contains(DUMMY));
    assertEquals(List.of(), files(node.layout().state("cib")));
  }

  private void create() {
    Lab.awaitProcess(
        "a change is taken",
        () -> {
          try {
            return node.run("cibadmin", "--create", "-o", "resources", "--xml-text", DUMMY).ok();
          } catch (IOException e) {
            return false;
          }
        });
  }

  private static void end(Process daemon) throws InterruptedException {
    daemon.destroy();
    assertEquals(0, daemon.waitFor());
  }

  private static List<String> files(Path of) throws IOException {
    try (var all = Files.list(of)) {
      return all.map(it -> it.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void whatADaemonDoesNotKnowItRefuses() throws IOException, InterruptedException {
    var daemon = start("controld", "--stand-alone");
    var said = new String(daemon.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("pacemaker-controld: unknown option '--stand-alone'; try pacemaker-controld --help\n", said);
    assertEquals(64, daemon.waitFor());
  }
}
