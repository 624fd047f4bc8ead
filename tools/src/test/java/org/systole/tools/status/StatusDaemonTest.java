package org.systole.tools.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.Terminal;

/// `crm_mon --daemonize`.
class StatusDaemonTest {
  @TempDir private Path directory;

  private static Element cib(String operations) throws Exception {
    return XmlReader.parse(
        """
        <cib><status><node_state id="1" uname="alpha"><lrm id="1"><lrm_resources>
          <lrm_resource id="web">%s</lrm_resource></lrm_resources></lrm></node_state></status></cib>
        """
            .formatted(operations));
  }

  private static String operation(String id, String task, int interval, int call, int rc, int expected) {
    return """
        <lrm_rsc_op id="%s" operation="%s" interval="%d" call-id="%d" rc-code="%d" op-status="0"
          transition-key="3:4:%d:aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"/>
        """
        .formatted(id, task, interval, call, rc, expected);
  }

  @Test
  void resultsAreNewsOnceAndProbesThatFindWhatTheyShouldAreNone() throws Exception {
    var news = new OperationNews();
    var start = operation("web_last_0", "start", 0, 5, 0, 0);
    assertEquals(List.of(), news.since(cib(start)), "what was there before");
    assertEquals(List.of(), news.since(cib(start)));
    assertEquals(List.of(), news.since(cib(start + operation("web_monitor_0", "monitor", 0, 6, 7, 7))));
    var failed = start + operation("web_monitor_10000", "monitor", 10000, 7, 7, 0);
    var told = news.since(cib(failed + operation("web_last_failure_0", "monitor", 10000, 7, 7, 0)));
    assertEquals(1, told.size(), told::toString);
    var variables = told.getFirst();
    assertEquals("alpha", variables.get("CRM_notify_node"));
    assertEquals("web", variables.get("CRM_notify_rsc"));
    assertEquals("monitor", variables.get("CRM_notify_task"));
    assertEquals("7", variables.get("CRM_notify_rc"));
    assertEquals("0", variables.get("CRM_notify_target_rc"));
    assertEquals("Not running", variables.get("CRM_notify_desc"));
  }

  /// As another user puts them into a directory where all may write.
  @Test
  void nothingIsWrittenThroughALink() throws Exception {
    var victim = Files.writeString(directory.resolve("victim"), "as it was");
    var file = directory.resolve("status.html");
    var pidFile = directory.resolve("pid");
    Files.createSymbolicLink(directory.resolve("status.html.new"), victim);
    Files.createSymbolicLink(pidFile, victim);

    StatusDaemon.note(pidFile, 17);
    var nothing = cib("");
    new Shell(directory)
        .runOn(
            terminal -> {
              look(new StatusDaemon(terminal, file, null, null, pidFile), new OperationNews(), nothing);
              return 0;
            });

    assertEquals("as it was", Files.readString(victim));
    assertEquals("17\n", Files.readString(pidFile));
    assertTrue(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void theFileHasTheStatusAndTheAgentIsToldOfWhatIsNew() throws Exception {
    var agent = directory.resolve("agent");
    Files.writeString(
        agent,
        "#!/bin/sh\necho \"$CRM_notify_recipient $CRM_notify_task\" >>" + directory + "/told\n");
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    var file = directory.resolve("status.html");
    var cibs =
        List.of(
            cib(operation("web_last_0", "start", 0, 5, 0, 0)),
            cib(operation("web_last_0", "stop", 0, 6, 0, 0)));
    new Shell(directory)
        .runOn(
            terminal -> {
              var daemon = daemon(terminal, file, agent);
              var news = new OperationNews();
              for (var cib : cibs) {
                look(daemon, news, cib);
              }
              return 0;
            });
    assertEquals("2", Files.readString(file), "written at each look");
    assertEquals("boss stop\n", Files.readString(directory.resolve("told")));
    assertFalse(Files.exists(directory.resolve("status.html.new")));
  }

  private StatusDaemon daemon(Terminal terminal, Path file, Path agent) {
    return new StatusDaemon(
        terminal, file, agent.toString(), "boss", directory.resolve("mon.pid"));
  }

  private int looks;

  private void look(StatusDaemon daemon, OperationNews news, Element cib) {
    try {
      daemon.look(
          new StatusDaemon.Source() {
            @Override
            public @Nullable Element cib() {
              return cib;
            }

            @Override
            public byte[] status(@Nullable Element shown) {
              return String.valueOf(++looks).getBytes(StandardCharsets.US_ASCII);
            }
          },
          news);
    } catch (CommandException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aSecondOneWithTheSamePidFileIsRefused() throws Exception {
    Files.writeString(directory.resolve("mon.pid"), ProcessHandle.current().pid() + "\n");
    new Shell(directory)
        .runOn(
            terminal -> {
              var daemon = daemon(terminal, directory.resolve("x"), directory.resolve("y"));
              var refused = assertThrows(CommandException.class, daemon::begin);
              assertTrue(String.valueOf(refused.getMessage()).contains("already running"));
              return 0;
            });
  }

  @Test
  void itTakesAFileOrAnAgent() {
    var shell = new Shell(directory);
    assertEquals(64, shell.run(new CrmMon(), "--daemonize").code());
    assertEquals(64, shell.run(new CrmMon(), "--external-agent=/bin/true").code());
  }
}
