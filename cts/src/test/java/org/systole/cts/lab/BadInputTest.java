package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.systole.cts.local.LocalNode;

/// A running node and input that means it no good.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class BadInputTest {
  private static final int DATA_ERROR = 65;
  private static final int CONFIGURATION = 78;
  private static final int OLD = 103;
  private static final int NO_SUCH = 105;
  private static final int IDLE_CLIENTS = 1000;

  private OneNode one;
  private boolean mounted;

  /// The directory of the CIB is a disk of its own, and a small one.
  @BeforeAll
  void start() throws IOException {
    one = OneNode.make();
    var dir = Files.createDirectories(one.layout().state("cib"));
    mounted = run("/bin/mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", dir.toString());
    one.start();
    one.succeed("crm_attribute", "-n", "fencing-enabled", "-v", "false");
    one.succeed("cibadmin", "-C", "-o", "resources", "-X", primitive("first", ""));
  }

  @AfterAll
  void stop() throws IOException {
    if (one != null) {
      one.node().kill();
      if (mounted) {
        run("/bin/umount", one.layout().state("cib").toString());
      }
      one.close();
    }
  }

  private static boolean run(String... command) throws IOException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String primitive(String id, String description) {
    return "<primitive id='%s' class='ocf' provider='pacemaker' type='Dummy' description='%s'/>"
        .formatted(id, description);
  }

  private String configuration() throws IOException {
    var answer = one.node().run("cibadmin", "-Q", "-o", "configuration");
    assertEquals(0, answer.status(), answer::output);
    return answer.output();
  }

  private void refused(int status, String... command) throws IOException {
    var arguments = List.of(command).subList(1, command.length).toArray(String[]::new);
    var outcome = one.node().run(command[0], arguments);
    assertEquals(status, outcome.status(), outcome::output);
    assertFalse(outcome.output().isBlank(), "it says why");
    assertFalse(outcome.output().contains("\tat "), outcome::output);
    assertFalse(outcome.output().contains("Exception"), outcome::output);
  }

  private Set<Long> processes() {
    return one.node().processes().stream().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  @Test
  @Order(1)
  void whatIsWrongIsRefusedAndNothingChanges() throws IOException {
    var before = configuration();
    refused(DATA_ERROR, "cibadmin", "-R", "-o", "resources", "-X", "<resources><primitive");
    refused(
        DATA_ERROR,
        "cibadmin",
        "-R",
        "-X",
        "<!DOCTYPE c [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><cib a='&x;'/>");
    refused(CONFIGURATION, "cibadmin", "-C", "-o", "resources", "-X", "<primitive id='no type'/>");
    refused(
        OLD,
        "cibadmin",
        "-R",
        "-X",
        "<cib validate-with='pacemaker-4.0' admin_epoch='0' epoch='0' num_updates='0'>"
            + "<configuration><crm_config/><nodes/><resources/><constraints/></configuration>"
            + "<status/></cib>");
    refused(NO_SUCH, "crm_resource", "-r", "none", "--move");
    refused(NO_SUCH, "crm_resource", "-r", "first", "--move", "-N", "none");
    refused(NO_SUCH, "crm_resource", "--cleanup", "-r", "none");
    refused(NO_SUCH, "crm_standby", "-N", "none", "-v", "on");
    assertEquals(before, configuration());
  }

  @Test
  @Order(2)
  void garbageOnEverySocketEndsTheConnectionOnly() throws IOException {
    var before = processes();
    for (var name : List.of("cib", "attr", "ctl", "exec", "fence", "link", "pacemakerd", "sched")) {
      for (var bad :
          List.of(
              new byte[] {0, 0, 0, 4, 1, 2, 3, 4},
              new byte[] {-1, -1, -1, -1},
              new byte[] {0x7f, 0, 0, 0, 1},
              "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8))) {
        try (var client = connect(name)) {
          client.write(ByteBuffer.wrap(bad));
          assertEquals(-1, client.read(ByteBuffer.allocate(10)), name);
        }
      }
    }
    var idle = new ArrayList<SocketChannel>();
    for (var i = 0; i < IDLE_CLIENTS; i++) {
      idle.add(connect("cib"));
    }
    configuration();
    for (var client : idle) {
      client.close();
    }
    assertEquals(before, processes(), "the daemons are those of before");
  }

  private SocketChannel connect(String name) throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(one.layout().socket(name)));
    return channel;
  }

  @Test
  @Order(3)
  void anAttributeThatXmlCannotHoldDoesNotStopTheOthers() throws IOException {
    one.succeed("attrd_updater", "-n", "odd", "-U", "a\u0001b");
    one.succeed("attrd_updater", "-n", "plain", "-U", "seen");
    Lab.awaitProcess("the other attribute is in the CIB", () -> finds("//nvpair[@name='plain']"));
  }

  private boolean finds(String xpath) {
    try {
      return one.node().run("cibadmin", "-Q", "-A", xpath).ok();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  @Order(4)
  void aFullDiskRefusesChangesAndKeepsWhatIsThere() throws IOException {
    org.junit.jupiter.api.Assumptions.assumeTrue(mounted, "a small disk could not be mounted");
    var dir = one.layout().state("cib");
    var filler = dir.resolve("filler");
    Lab.awaitProcess("all is in cib.xml", () -> !Files.exists(dir.resolve("cib.log")));
    run("/bin/sh", "-c", "cat /dev/zero >'" + filler + "' 2>/dev/null");
    var onDisk = Files.readString(dir.resolve("cib.xml"));
    var first = addLarge("x");
    assertNotEquals(0, first.status(), "a change that does not fit is refused");
    var second = addLarge("y");
    assertNotEquals(0, second.status(), second::output);
    assertTrue(second.output().contains("takes no more"), second::output);
    assertEquals(onDisk, Files.readString(dir.resolve("cib.xml")), "the old one is whole");
    one.awaitLog("Cannot write the configuration to disk");
    Files.delete(filler);
    Lab.awaitProcess(
        "changes are taken again",
        () -> {
          try {
            var xml = primitive("z", "3");
            return one.node().run("cibadmin", "-M", "-c", "-o", "resources", "-X", xml).ok();
          } catch (IOException e) {
            return false;
          }
        });
    Lab.awaitProcess("the file has them", () -> holds(dir.resolve("cib.xml"), "id=\"z\""));
    assertFalse(configuration().contains("id=\"y\""), "what was refused is not there");
  }

  /// Adds a resource that is longer than all that the log has taken ahead and all that may be
  /// tidied up in the background.
  private LocalNode.Outcome addLarge(String id) throws IOException {
    var file = one.node().dir().resolve(id + ".xml");
    Files.writeString(file, primitive(id, "long ".repeat(200_000)));
    return one.node().run("cibadmin", "-t", "5", "-C", "-o", "resources", "-x", file.toString());
  }

  private static boolean holds(Path file, String text) {
    try {
      return Files.readString(file).contains(text);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  @Order(5)
  void ofACibFileCutShortABackupIsUsed() throws IOException {
    one.stop();
    var file = one.layout().state("cib").resolve("cib.xml");
    var half = Files.readString(file);
    half = half.substring(0, half.length() / 2);
    Files.writeString(file, half);
    one.start();
    assertTrue(configuration().contains("id=\"first\""));
    one.awaitLog("cib.xml cannot be used, and is kept as cib-unusable-0.xml; continuing with the backup");
    assertEquals(half, Files.readString(file.resolveSibling("cib-unusable-0.xml")));
  }
}
