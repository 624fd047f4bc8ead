package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The samples of alert agents, run as the cluster runs alert agents.
class AlertSamplesTest {
  private static final Map<String, String> FAILED_MONITOR =
      Map.of(
          "CRM_alert_kind", "resource",
          "CRM_alert_node", "beta",
          "CRM_alert_rsc", "web",
          "CRM_alert_task", "monitor",
          "CRM_alert_desc", "not running",
          "CRM_alert_status", "0",
          "CRM_alert_rc", "7",
          "CRM_alert_target_rc", "0",
          "CRM_alert_timestamp", "10:00:00");

  @TempDir private Path dir;

  @BeforeEach
  void aTrapSender() throws IOException {
    var sender = dir.resolve("snmptrap");
    Files.writeString(sender, "#!/bin/sh\nprintf '%s\\n' \"$@\" >>\"" + dir + "/sent\"\n");
    Files.setPosixFilePermissions(sender, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path sample(String name) {
    var here = Path.of("").toAbsolutePath();
    var top = Files.exists(here.resolve("agents")) ? here : here.getParent();
    return top.resolve("agents/src/main/alerts").resolve(name);
  }

  private int run(String name, String recipient, Map<String, String> event) throws Exception {
    var builder = new ProcessBuilder("/bin/sh", sample(name).toString()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(new HashMap<>(event));
    builder.environment().put("PATH", dir + ":/usr/bin:/bin");
    builder.environment().put("CRM_alert_recipient", recipient);
    var process = builder.start();
    process.getOutputStream().close();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    var status = process.waitFor();
    assertTrue(status != 0 || said.isEmpty(), said);
    return status;
  }

  @Test
  void theFileHasALineForAFailureAndNoneForAMonitorThatWentWell() throws Exception {
    var file = dir.resolve("alerts.log");
    assertEquals(0, run("alert_file.sh.sample", file.toString(), FAILED_MONITOR));
    var well = new HashMap<>(FAILED_MONITOR);
    well.put("CRM_alert_rc", "0");
    assertEquals(0, run("alert_file.sh.sample", file.toString(), well));
    assertEquals(
        "10:00:00 resource web: monitor on beta: not running (7)\n", Files.readString(file));
  }

  @Test
  void whatIsToldOfANodeIsASentenceOrAState() throws Exception {
    var file = dir.resolve("alerts.log");
    var node = Map.of("CRM_alert_kind", "node", "CRM_alert_node", "beta", "CRM_alert_timestamp", "10:00:00");
    var lost = new HashMap<>(node);
    lost.put("CRM_alert_desc", "lost");
    var role = new HashMap<>(node);
    role.put("CRM_alert_task", "role");
    role.put("CRM_alert_desc", "role storage is active");
    assertEquals(0, run("alert_file.sh.sample", file.toString(), lost));
    assertEquals(0, run("alert_file.sh.sample", file.toString(), role));
    assertEquals(
        "10:00:00 node beta is lost\n10:00:00 node beta: role storage is active\n", Files.readString(file));
  }

  @Test
  void aTrapHasTheValuesOfTheEvent() throws Exception {
    assertEquals(0, run("alert_snmp.sh.sample", "192.0.2.50", FAILED_MONITOR));
    var base = ".1.3.6.1.4.1.32723.";
    assertEquals(
        String.join(
            "\n", "-v", "2c", "-c", "public", "192.0.2.50", "", base + "2.1",
            base + "1.1", "s", "beta", base + "1.2", "s", "web", base + "1.3", "s", "monitor",
            base + "1.4", "s", "not running", base + "1.5", "i", "0", base + "1.6", "i", "7",
            base + "1.7", "i", "0", ""),
        Files.readString(dir.resolve("sent")));
  }

  @Test
  void onlyEventsThatAreAskedForAreSent() throws Exception {
    var lost =
        Map.of(
            "CRM_alert_kind", "node", "CRM_alert_node", "beta", "CRM_alert_desc", "lost",
            "trap_node_states", "member");
    assertEquals(0, run("alert_snmp.sh.sample", "192.0.2.50", lost));
    assertTrue(Files.notExists(dir.resolve("sent")));
  }

  @Test
  void withoutARecipientNothingIsSentByMailOrTrap() throws Exception {
    assertEquals(1, run("alert_snmp.sh.sample", "", FAILED_MONITOR));
    assertEquals(1, run("alert_smtp.sh.sample", "", FAILED_MONITOR));
  }
}
