package org.systole.tools.corosync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cib.Cibadmin;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;
import org.systole.tools.fencing.Sbd;
import org.systole.tools.status.CrmMon;

/// What the exporter for Prometheus (ha_cluster_exporter) reads of the commands, in its own patterns
/// and places: a figure it does not find it leaves out, or it leaves out the whole family.
@Timeout(60)
final class ExporterTest {
  private static final Pattern NODE_ID = Pattern.compile("Node ID:\\s+(\\w+)");
  private static final Pattern RING_ID = Pattern.compile("Ring ID:\\s+\\b(.+)\\b");
  private static final Pattern QUORATE = Pattern.compile("Quorate:\\s+(Yes|No)");
  private static final Pattern VOTES =
      Pattern.compile(
          "Expected votes:\\s+(\\d+)\\s+Highest expected:\\s+(\\d+)\\s+Total votes:\\s+(\\d+)\\s+Quorum:\\s+(\\d+)");
  private static final Pattern MEMBERS =
      Pattern.compile(
          "Membership information\\n-+\\s+Nodeid\\s+Votes\\s+Qdevice\\s+Name\\n+((?:.*\\n?)+)");
  private static final Pattern MEMBER =
      Pattern.compile("(\\w+)\\s+(\\d+)\\s+((\\w,?)+)?\\s+([^\\s]+)(?:\\s(\\(local\\)))?\\n?");
  private static final Pattern WATCHDOG = Pattern.compile("Timeout \\(watchdog\\)  *: \\d+");
  private static final Pattern MSGWAIT = Pattern.compile("Timeout \\(msgwait\\)  *: \\d+");

  /// As Go's time.ANSIC.
  private static final Pattern DATE =
      Pattern.compile("[A-Z][a-z]{2} [A-Z][a-z]{2} [ 1-3]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}");

  private static final List<String> NODE_FLAGS =
      List.of(
          "online", "standby", "standby_onfail", "maintenance", "pending", "unclean", "shutdown",
          "expected_up", "is_dc");
  private static final List<String> RESOURCE_FLAGS =
      List.of("active", "orphaned", "blocked", "managed", "failed", "failure_ignored");

  private static final String CIB =
      """
      <cib validate-with="pacemaker-4.0" epoch="5" num_updates="3" admin_epoch="0" have-quorum="1" dc-uuid="1"
          cib-last-written="Sun Nov  1 09:05:01 2026">
        <configuration>
          <crm_config>
            <cluster_property_set id="o"><nvpair id="o-f" name="fencing-enabled" value="false"/></cluster_property_set>
          </crm_config>
          <nodes>
            <node id="1" uname="node1">
              <instance_attributes id="n1"><nvpair id="n1-r" name="rack" value="a"/></instance_attributes>
            </node>
            <node id="2" uname="node2"/>
          </nodes>
          <resources>
            <primitive id="p" class="ocf" provider="pacemaker" type="Dummy">
              <meta_attributes id="p-m"><nvpair id="p-t" name="migration-threshold" value="3"/></meta_attributes>
            </primitive>
            <group id="g"><primitive id="g1" class="ocf" provider="pacemaker" type="Dummy"/></group>
            <clone id="c">
              <meta_attributes id="c-m"><nvpair id="c-p" name="promotable" value="true"/></meta_attributes>
              <primitive id="s" class="ocf" provider="pacemaker" type="Stateful"/>
            </clone>
          </resources>
          <constraints><rsc_location id="l" rsc="p" node="node1" score="INFINITY"/></constraints>
        </configuration>
        <status>
          <node_state id="1" uname="node1" in_ccm="1700000000" crmd="1700000000" join="member" expected="member">
            <transient_attributes id="1">
              <instance_attributes id="t1">
                <nvpair id="t1-f" name="fail-count-p#monitor_10000" value="INFINITY"/>
                <nvpair id="t1-l" name="last-failure-p#monitor_10000" value="1700000100"/>
              </instance_attributes>
            </transient_attributes>
            <lrm id="1">
              <lrm_resources>%s%s%s</lrm_resources>
            </lrm>
          </node_state>
          <node_state id="2" uname="node2" in_ccm="0" crmd="0" join="down" expected="down"/>
        </status>
      </cib>
      """;

  @TempDir private Path root;

  private static String history(String resource, String type, String operation) {
    return """
        <lrm_resource id="%1$s" class="ocf" provider="pacemaker" type="%2$s">
          <lrm_rsc_op id="%1$s_last_0" operation_key="%1$s_%3$s_0" operation="%3$s" call-id="5" rc-code="0" op-status="0"
              interval="0" last-rc-change="1700000050" exec-time="12" queue-time="0" on_node="node1" op-digest="x"
              transition-key="1:1:0:00000000-0000-0000-0000-000000000000"
              transition-magic="0:0;1:1:0:00000000-0000-0000-0000-000000000000" crm_feature_set="3.20.1"/>
        </lrm_resource>
        """
        .formatted(resource, type, operation);
  }

  private String quorum(LinkMessage.@Nullable Device device)
      throws Exception {
    var status =
        new LinkMessage.Status(
            new NodeId(2),
            new NodeName("node-2"),
            "first",
            List.of(
                new ConfiguredNode(new NodeId(1), new NodeName("node-1"), 1),
                new ConfiguredNode(new NodeId(2), new NodeName("node-2"), 2)),
            new Membership(
                26,
                List.of(
                    new Member(new NodeId(1), new NodeName("node-1"), 1),
                    new Member(new NodeId(2), new NodeName("node-2"), 1)),
                true),
            3,
            3,
            2,
            device == null ? List.of("Quorate") : List.of("Quorate", "Qdevice"));
    return StandIn.answering(
            root,
            LinkMessage.SOCKET,
            LinkMessage.PROTOCOL,
            it ->
                it instanceof LinkMessage.StatusQuery || device == null
                    ? status
                    : new LinkMessage.DeviceInfo(device, null),
            () ->
                new Shell(root)
                    .set(Layout.ROOT, root.toString())
                    .run(new CorosyncQuorumtool(), "-p"))
        .out();
  }

  private static String found(Pattern pattern, String text) {
    var matcher = pattern.matcher(text);
    assertTrue(matcher.find(), () -> pattern + " is not in " + text);
    return matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
  }

  private static List<String> members(String text) {
    var matcher = MEMBER.matcher(found(MEMBERS, text));
    var found = new ArrayList<String>();
    while (matcher.find()) {
      found.add(
          "%s %s %s%s"
              .formatted(
                  matcher.group(1),
                  matcher.group(2),
                  matcher.group(5),
                  matcher.group(6) == null ? "" : " local"));
    }
    return found;
  }

  @Test
  void quorumVotesAndMembers() throws Exception {
    var text = quorum(null);
    assertEquals("2", found(NODE_ID, text));
    assertEquals("1.1a", found(RING_ID, text));
    assertEquals("Yes", found(QUORATE, text));
    var votes = VOTES.matcher(text);
    assertTrue(votes.find(), text);
    assertEquals(
        List.of("3", "3", "3", "2"),
        List.of(votes.group(1), votes.group(2), votes.group(3), votes.group(4)));
    assertEquals(List.of("1 1 node-1", "2 2 node-2 local"), members(text));
  }

  @Test
  void theDeviceIsAMemberWithoutNumber() throws Exception {
    var nodes =
        List.of(
            new LinkMessage.DeviceAt(new NodeId(1), true, true),
            new LinkMessage.DeviceAt(new NodeId(2), true, true));
    var text = quorum(new LinkMessage.Device("Qdevice", 1, false, nodes));
    assertEquals(List.of("1 1 node-1", "2 2 node-2 local", "0 1 Qdevice"), members(text));
  }

  @Test
  void timeoutsOfADiskOfSbd() throws IOException {
    var disk = root.resolve("disk");
    Files.write(disk, new byte[1 << 20]);
    var shell = new Shell(root);
    assertEquals(0, shell.run(new Sbd(), "-d", disk.toString(), "create").code());
    var dumped = shell.run(new Sbd(), "-d", disk.toString(), "dump");
    assertEquals(0, dumped.code(), "anything else is an unhealthy device");
    found(WATCHDOG, dumped.out());
    found(MSGWAIT, dumped.out());
    Files.write(disk, new byte[1 << 20]);
    assertFalse(shell.run(new Sbd(), "-d", disk.toString(), "dump").code() == 0);
  }

  /// By the rules of Go's decoder: what it cannot read ends the whole family.
  private static void reads(Element it, List<String> flags, List<String> numbers) {
    for (var flag : flags) {
      assertTrue(List.of("true", "false").contains(it.get(flag, "")), () -> flag + " of " + it);
    }
    for (var number : numbers) {
      assertTrue(it.get(number, "").matches("-?\\d{1,9}"), () -> number + " of " + it);
    }
  }

  @Test
  void theStateOfTheCluster() throws IOException, XmlException {
    var file = root.resolve("cib.xml");
    Files.writeString(
        file,
        CIB.formatted(
            history("p", "Dummy", "stop"),
            history("g1", "Dummy", "start"),
            history("s", "Stateful", "promote")));
    var shell = new Shell(root).set("CIB_file", file.toString());
    var shown = shell.run(new CrmMon(), "-X", "--inactive");
    assertEquals(0, shown.code(), shown.err());
    var it = XmlReader.parse(shown.out());
    var summary = it.first("summary");
    reads(summary.first("nodes_configured"), List.of(), List.of("number"));
    reads(
        summary.first("resources_configured"), List.of(), List.of("number", "disabled", "blocked"));
    reads(
        summary.first("cluster_options"), List.of("stonith-enabled", "maintenance-mode"), List.of());
    assertTrue(DATE.matcher(summary.first("last_change").get("time", "")).matches());
    var nodes = it.first("nodes").children("node");
    assertEquals(2, nodes.size());
    for (var node : nodes) {
      reads(node, NODE_FLAGS, List.of("resources_running"));
      assertEquals("member", node.get("type", ""));
    }
    var resources = it.first("resources");
    var all = new ArrayList<>(resources.children("resource"));
    all.addAll(resources.first("group").children("resource"));
    all.addAll(resources.first("clone").children("resource"));
    assertEquals(4, all.size());
    for (var resource : all) {
      reads(resource, RESOURCE_FLAGS, List.of("nodes_running_on"));
      assertEquals(
          resource.get("nodes_running_on", "").equals("0") ? 0 : 1,
          resource.children("node").size());
    }
    assertEquals("rack", it.first("node_attributes").first("node").first("attribute").get("name", ""));
    var failed = 0;
    for (var past : it.first("node_history").first("node").children("resource_history")) {
      var counted = past.has("fail-count");
      reads(
          past,
          List.of(),
          counted ? List.of("migration-threshold", "fail-count") : List.of("migration-threshold"));
      failed += counted ? 1 : 0;
    }
    assertEquals(1, failed);
    var cib = XmlReader.parse(shell.run(new Cibadmin(), "--query", "--local").out());
    var place = cib.first("configuration").first("constraints").first("rsc_location");
    assertEquals("INFINITY", place.get("score", ""));
  }
}
