package org.systole.tools.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

/// How `crm_mon` shows hosts that host HA looks after, and those that a person holds.
final class HostsInMonTest {
  private static final String STATES =
      "AVAILABLE SUSPECT CHECKING DEGRADED RECOVERING RECOVERED FENCING FENCED INELIGIBLE DISABLED";

  @TempDir private Path directory;

  private final StringBuilder nodes = new StringBuilder();
  private final StringBuilder connections = new StringBuilder();
  private final StringBuilder states = new StringBuilder();

  private void host(String name, String state, String why, String record) {
    var kept = "<instance_attributes id=\"%s-a\"><nvpair id=\"%s-r\" name=\"#host-ha\" value=\"%s\"/></instance_attributes>";
    nodes.append(
        "<node id=\"%s\" uname=\"%s\" type=\"remote\">%s</node>"
            .formatted(name, name, record.isEmpty() ? "" : kept.formatted(name, name, record)));
    connections.append("<primitive id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"remote\"/>".formatted(name));
    if (!state.equals("DISABLED")) {
      states.append(
          "<node_state id=\"%s\" uname=\"%s\" remote_node=\"true\" in_ccm=\"true\" host_ha=\"%s\" host_ha_since=\"1718452740\" host_ha_why=\"%s\"/>"
              .formatted(name, name, state, why));
    }
  }

  private String shown(String... more) throws IOException {
    var text =
        """
        <cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1">
          <configuration><crm_config/><nodes><node id="1" uname="n1"/>%s</nodes>
          <resources>%s</resources><constraints/></configuration>
          <status><node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member"/>%s</status>
        </cib>
        """;
    var file = directory.resolve("cib.xml");
    Files.writeString(file, text.formatted(nodes, connections, states));
    var arguments = new String[more.length + 3];
    arguments[0] = "-1";
    arguments[1] = "--exclude=all";
    arguments[2] = "--include=nodes,hosts";
    System.arraycopy(more, 0, arguments, 3, more.length);
    var ran = new Shell(directory).set("CIB_file", file.toString()).run(new CrmMon(), arguments);
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  private static String record(String state, String more) {
    return "%s since=1718452000 attempts=1 begun=true%s".formatted(state, more);
  }

  @Test
  void everyStateIsToldAlsoInTheListOfNodes() throws IOException {
    var number = 0;
    for (var state : STATES.split(" ")) {
      host("h" + number++, state, "why", state.equals("RECOVERED") || state.equals("FENCED") ? record(state, "") : "");
    }
    var text = shown();
    for (var line :
        new String[] {
          "h5: RECOVERED since Sat Jun 15 11:59:00 2024: why",
          "h7: FENCED since Sat Jun 15 11:59:00 2024: why",
          "h8: INELIGIBLE since Sat Jun 15 11:59:00 2024: why",
          "RemoteNode h5: online (host HA: RECOVERED)",
          "RemoteNode h7: OFFLINE (host HA: FENCED)",
          "RemoteNode h3: online (host HA: DEGRADED)",
          "RemoteOFFLINE: [ h0 h8 ]"
        }) {
      assertTrue(text.contains("  * " + line + "\n"), line + " in\n" + text);
    }
    assertFalse(text.contains("  * h9: "), "host HA is off for it: " + text);
    var xml = shown("--output-as=xml");
    assertTrue(xml.contains("<host name=\"h7\" state=\"FENCED\" since=\"Sat Jun 15 11:59:00 2024\" reason=\"why\"/>"), xml);
    var html = shown("--output-as=html");
    assertTrue(html.contains("<li>h5: RECOVERED since Sat Jun 15 11:59:00 2024: why</li>"), html);
    assertTrue(html.contains("(host HA: RECOVERED)"), html);
  }

  @Test
  void oneThatAPersonHoldsIsToldToBeHeldInAllFormats() throws IOException {
    host("h1", "AVAILABLE", "", record("AVAILABLE", " held=new disk &lt;1&gt;"));
    host("h2", "FENCING", "its power is on", record("FENCING", " held="));
    host("h3", "DISABLED", "", record("DISABLED", " held=later"));
    var text = shown();
    assertTrue(text.contains("h1: AVAILABLE, held (new disk <1>) since Sat Jun 15 11:59:00 2024\n"), text);
    assertTrue(text.contains("h2: FENCING, held since Sat Jun 15 11:59:00 2024: its power is on\n"), text);
    assertTrue(text.contains("h3: DISABLED, held (later)\n"), text);
    var xml = shown("--output-as=xml");
    assertTrue(xml.contains("state=\"AVAILABLE\" since=\"Sat Jun 15 11:59:00 2024\" held=\"new disk &lt;1&gt;\"/>"), xml);
    assertTrue(xml.contains("reason=\"its power is on\" held=\"\"/>"), xml);
    var html = shown("--output-as=html");
    assertTrue(html.contains("<li>h1: AVAILABLE, held (new disk &lt;1&gt;) since"), html);
  }

  @Test
  void afterARestartOfTheWholeClusterTheRecordIsAllThereIs() throws IOException {
    host("h1", "DISABLED", "", record("RECOVERED", " held=new disk"));
    host("h2", "DISABLED", "", record("FENCED", ""));
    var text = shown();
    assertTrue(text.contains("h1: RECOVERED, held (new disk): from before the cluster's start\n"), text);
    assertTrue(text.contains("h2: UNKNOWN: only its record calls it fenced\n"), text);
  }
}
