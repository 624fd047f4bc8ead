package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Product;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;
import org.systole.tools.cli.Terminal;

/// `crm_resource --wait` beside a DC that is idle.
class ClusterIdleTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1">
        <configuration>
          <crm_config><cluster_property_set id="o">
            <nvpair id="o-f" name="fencing-enabled" value="false"/>
          </cluster_property_set></crm_config>
          <nodes><node id="1" uname="node1"/></nodes>
          <resources><primitive id="a" class="ocf" provider="pacemaker" type="Dummy">
            <operations>OPERATIONS</operations>
          </primitive></resources>
          <constraints/>
        </configuration>
        <status>
          <node_state id="1" uname="node1" in_ccm="true" crmd="online" join="member" expected="member">
            <lrm id="1"><lrm_resources>
              <lrm_resource id="a" class="ocf" provider="pacemaker" type="Dummy">
                <lrm_rsc_op id="a_last_0" operation_key="a_start_0" operation="start" interval="0" call-id="4"
                    rc-code="0" op-status="0" transition-key="2:1:0:x" op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8" transition-magic="0:0;2:1:0:x" on_node="node1"/>
                ENTRIES
              </lrm_resource>
            </lrm_resources></lrm>
          </node_state>
        </status>
      </cib>
      """;
  private static final String STARTED = "rc-code=\"0\" op-status=\"0\"";
  private static final String MONITOR = "<op id='a-m' name='monitor' interval='5s'/>";
  private static final String RECORDED =
      """
      <lrm_rsc_op id="a_monitor_5000" operation_key="a_monitor_5000" operation="monitor" interval="5000" call-id="5"
          rc-code="193" op-status="-1" transition-key="3:1:0:x" transition-magic="-1:193;3:1:0:x" on_node="node1"/>
      """;
  private static final String ITS_FAILURE =
      """
      <lrm_rsc_op id="a_last_failure_0" operation_key="a_monitor_5000" operation="monitor" interval="5000" call-id="3"
          rc-code="1" op-status="0" transition-key="3:1:0:x" transition-magic="0:1;3:1:0:x" on_node="node1"/>
      """;

  @TempDir Path directory;

  private Shell.Result await(String cib) throws Exception {
    return await(cib, "3s");
  }

  private Shell.Result await(String cib, String limit) throws Exception {
    var file = Files.writeString(directory.resolve("cib.xml"), cib);
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var clock = new AtomicInteger();
    var terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of(
                Layout.ROOT, directory.toString(),
                "PCMK_schema_directory", directory.toString(),
                "CIB_file", file.toString()),
            directory,
            () -> Instant.parse("2024-06-15T12:00:00Z").plusSeconds(clock.getAndIncrement()),
            () -> ZoneOffset.UTC);
    var idle = new CtlMessage.Work(true, "S_IDLE", List.of(), null);
    var code =
        StandIn.beside(
            directory,
            CtlMessage.SOCKET,
            CtlMessage.PROTOCOL,
            idle,
            () -> new CrmResource().run(terminal, "--wait", "-T", limit));
    return new Shell.Result(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static String cib(String operations, String entries) {
    return CIB.replace("OPERATIONS", operations).replace("ENTRIES", entries);
  }

  @Test
  void whatIsDoneIsNotWaitedFor() throws Exception {
    assertEquals(new Shell.Result(0, "", ""), await(cib("", "")));
  }

  /// That comes with the next plan, which need not be soon.
  @Test
  void thatAFailureIsClearedThatHasExpiredIsNotWaitedFor() throws Exception {
    var expired = ITS_FAILURE.replace("on_node", "last-rc-change=\"1700000000\" on_node").replace("call-id=\"3\"", "call-id=\"5\"");
    var timeout = "<meta_attributes id='a-meta'><nvpair id='a-t' name='failure-timeout' value='10s'/></meta_attributes>";
    var counted =
        "<transient_attributes id='1'><instance_attributes id='s'><nvpair id='s-f' name='fail-count-a#monitor_5000' value='1'/>"
            + "<nvpair id='s-l' name='last-failure-a#monitor_5000' value='1700000000'/></instance_attributes></transient_attributes>";
    var since = RECORDED.replace("193\" op-status=\"-1", "0\" op-status=\"0").replace("-1:193;", "0:0;").replace("call-id=\"5\"", "call-id=\"6\"");
    var cib = cib(MONITOR, since + expired).replace("</operations>", "</operations>" + timeout).replace("<lrm id=\"1\">", counted + "<lrm id=\"1\">");
    var status = Status.of(XmlReader.parse(cib), Instant.parse("2024-06-15T12:00:00Z"), ZoneOffset.UTC, Set.of());
    var pending = PendingActions.of(status).actions();
    assertTrue(status.actions().stream().anyMatch(it -> it.key().equals("a_clear_failcount_0")), "it is planned");
    assertTrue(pending.stream().noneMatch(it -> it.key().equals("a_clear_failcount_0")));
  }

  /// It may come to another plan.
  @Test
  void aDcOfAnotherVersionIsToldOfOnce() throws Exception {
    var warning = "warning: wait option may not work properly in mixed-version cluster\n";
    var named = cib(MONITOR, "").replace("</cluster_property_set>", "<nvpair id='o-v' name='dc-version' value='VERSION'/></cluster_property_set>");
    assertTrue(await(named.replace("VERSION", "3.0.1-abc")).out().startsWith(warning + "Pending actions:\n"));
    var same = named.replace("VERSION", Product.DC_VERSION);
    assertTrue(await(same).out().startsWith("Pending actions:\n"));
    var older = same.replace("crm_feature_set=\"3.20.5\"", "crm_feature_set=\"3.19.0\"");
    assertTrue(await(older).out().startsWith(warning));
  }

  /// As after a transition whose rest waits for what failed.
  @Test
  void whatIsLeftToDoIsWaitedForThoughTheDcIsIdle() throws Exception {
    var result = await(cib(MONITOR, ""));
    assertEquals(ExitStatus.TIMEOUT.code(), result.code());
    assertEquals("Pending actions:\n\tAction 3: a_monitor_5000\ton node1\n", result.out());
    assertEquals("crm_resource: Error performing operation: Timeout occurred\n", result.err());
  }

  /// A script would hang without a word.
  @Test
  void whatAnIdleClusterDoesNotBeginIsNamedAfterAWhileAndOnce() throws Exception {
    var lines = await(cib(MONITOR, ""), "40s").err().lines().toList();
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.getFirst().startsWith("crm_resource: waiting for a_monitor_5000 on node1, which the cluster does not begin now"), lines.getFirst());
  }

  @Test
  void anOperationThatIsRecordedAsUnderWayIsWaitedFor() throws Exception {
    var result = await(cib("", "").replace(STARTED, STARTED.replace("0\" op-status=\"0", "193\" op-status=\"-1")).replace("0:0;2", "-1:193;2"));
    assertEquals(ExitStatus.TIMEOUT.code(), result.code());
    assertEquals("Pending actions:\n", result.out());
  }

  /// The failure of a recurring monitor has an entry of its own, beside which the one that says it is under way stays.
  @Test
  void aMonitorThatHasFailedIsNotUnderWay() throws Exception {
    assertTrue(PendingActions.isAnyRecorded(XmlReader.parse(cib(MONITOR, RECORDED))));
    assertFalse(PendingActions.isAnyRecorded(XmlReader.parse(cib(MONITOR, RECORDED + ITS_FAILURE))));
    var probe = RECORDED.replace("5000", "0");
    assertTrue(PendingActions.isAnyRecorded(XmlReader.parse(cib(MONITOR, probe + ITS_FAILURE.replace("5000", "0")))));
  }
}
