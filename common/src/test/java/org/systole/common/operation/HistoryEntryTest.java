package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;

final class HistoryEntryTest {
  private static final AgentName DUMMY = new AgentName("ocf", "pacemaker", "Dummy");
  private static final String KEY = "3:4:%d:be2e97d9-05e2-439d-863e-48f7aecab2aa";

  private static OperationResult result(
      String operation, long interval, int rc, int expected, Map<String, String> parameters) {
    return OperationResult.made(
        OperationRequest.of(
            new ResourceId("web"), DUMMY, new OperationName(operation), interval, parameters, KEY.formatted(expected)),
        rc,
        ExecStatus.DONE,
        rc == 0 ? "" : "it broke",
        1_700_000_000);
  }

  private static OperationResult result(String operation, long interval, int rc, int expected) {
    return result(
        operation, interval, rc, expected, Map.of("state", "/tmp/x", "CRM_meta_timeout", "20000"));
  }

  private static List<HistoryEntry> entries(OperationResult result) {
    return HistoryEntry.of(result, new NodeName("node1"), null, "test");
  }

  private static List<String> ids(OperationResult result) {
    return entries(result).stream().map(HistoryEntry::id).toList();
  }

  @Test
  void anEntryHasAllThatToolsReadFromIt() {
    var entry = entries(result("start", 0, 0, 0)).getFirst();

    assertEquals("web_last_0", entry.id());
    assertEquals("web_start_0", entry.key());
    assertEquals("0:0;" + KEY.formatted(0), entry.xml().get("transition-magic"));
    assertEquals(new NodeName("node1"), entry.node());
    assertEquals("1700000000", entry.xml().get("last-rc-change"));
    assertEquals("3.20.5", entry.xml().get("crm_feature_set"));
    assertNotNull(entry.xml().get("op-digest"));
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    var entry = entries(result("monitor", 10_000, 7, 0)).getFirst();

    assertEquals("monitor", entry.operation());
    assertEquals(10_000, entry.intervalMillis());
    assertEquals(7, entry.rc(0));
    assertEquals(ExecStatus.DONE, entry.status());
    assertEquals("it broke", entry.exitReason());
    assertEquals(0, entry.expectedRc());
    assertEquals(4, entry.transitionKey().transition());
    assertEquals("test", entry.origin());
    assertFalse(entry.isProbe());
  }

  @Test
  void anOldEntryHasItsKeyAsId() {
    var entry = new HistoryEntry(Element.of("lrm_rsc_op", "id", "web_start_0"));

    assertEquals("web_start_0", entry.key());
    assertEquals(ExecStatus.UNKNOWN, entry.status());
    assertEquals(-2, entry.statusCode());
    assertEquals(5, entry.rc(5));
    assertEquals(TransitionKey.NOT_KNOWN, entry.expectedRc());
    assertNull(entry.transitionKey());
  }

  @Test
  void aFailedStartIsTheLastFailureAndTheLastThingDone() {
    var failed = result("start", 0, 1, 0);

    assertEquals(List.of("web_last_failure_0", "web_last_0"), ids(failed));
    assertEquals("it broke", entries(failed).getFirst().exitReason());
  }

  @Test
  void aFailedMonitorLeavesTheEntryOfTheGoodOneAlone() {
    assertEquals(List.of("web_last_failure_0"), ids(result("monitor", 10_000, 7, 0)));
    assertEquals(List.of("web_monitor_10000"), ids(result("monitor", 10_000, 0, 0)));
  }

  @Test
  void aProbeThatFindsNothingHasNotFailed() {
    assertEquals(List.of("web_last_0"), ids(result("monitor", 0, 7, 7)));
  }

  @Test
  void aMigrationKeepsItsNameAndItsNodes() {
    var entry =
        entries(
                result(
                    "migrate_to",
                    0,
                    1,
                    0,
                    Map.of("CRM_meta_migrate_source", "n1", "CRM_meta_migrate_target", "n2")))
            .getFirst();

    assertEquals("web_migrate_to_0", entry.id());
    assertEquals("n1", entry.xml().get("migrate_source"));
    assertEquals("n2", entry.xml().get("migrate_target"));
  }

  @Test
  void aNotificationIsNamedByWhatItIsAboutAndHasAlwaysWorked() {
    var entry =
        entries(
                result(
                    "notify",
                    0,
                    1,
                    0,
                    Map.of("CRM_meta_notify_type", "post", "CRM_meta_notify_operation", "start")))
            .getFirst();

    assertEquals("web_post_notify_start_0", entry.id());
    assertEquals("web_notify_0", entry.key());
    assertEquals(0, entry.rc(1));
  }

  @Test
  void aReloadThatWorkedIsAStartAndOneThatDidNotAMonitor() {
    var worked = result("reload-agent", 0, 0, 0);
    var lost = worked.withStatus(ExecStatus.TIMEOUT);

    assertEquals("web_start_0", entries(worked).getFirst().key());
    assertEquals("web_monitor_0", entries(lost).getFirst().key());
  }

  @Test
  void anOperationThatNobodyPlannedGetsAKeyOfItsCall() {
    var request = OperationRequest.of(new ResourceId("web"), DUMMY, new OperationName("monitor"), 0, Map.of(), "");
    var result =
        new OperationResult(request, 17, 0, ExecStatus.DONE, "", "", 0, 0, 1000, 1000, false);

    var key = entries(result).getFirst().transitionKey();

    assertEquals(TransitionKey.unplanned(17, 0), key);
  }

  @Test
  void aRecurringOperationIsDatedByItsLastChange() {
    var request =
        OperationRequest.of(new ResourceId("web"), DUMMY, new OperationName("monitor"), 10_000, Map.of(), "");
    var result =
        new OperationResult(request, 17, 0, ExecStatus.DONE, "", "", 0, 0, 2000, 1000, false);

    assertEquals("1000", entries(result).getFirst().xml().get("last-rc-change"));
  }

  @Test
  void reloadableParametersDoNotCountForARestart() throws XmlException {
    var metadata =
        AgentMetadata.parse(
            "ocf",
            """
            <resource-agent name="Dummy"><version>1.1</version><parameters>
            <parameter name="state" unique-group="state"/>
            <parameter name="passwd" reloadable="1"/>
            <parameter name="sleep" reloadable="1"/></parameters>
            <actions><action name="reload-agent"/></actions></resource-agent>
            """);
    var entry =
        HistoryEntry.of(result("start", 0, 0, 0), new NodeName("node1"), metadata, "test").getFirst().xml();

    assertEquals("  state  ", entry.get("op-force-restart"));
    assertEquals("  passwd  ", entry.get("op-secure-params"));
    assertEquals(OperationDigest.ofAll(Map.of("state", "/tmp/x")), entry.get("op-restart-digest"));
    assertNotNull(entry.get("op-secure-digest"));
  }
}
