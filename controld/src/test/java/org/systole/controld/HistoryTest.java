package org.systole.controld;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.ExecStatus;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage.Result;

final class HistoryTest {
  private static final AgentName DUMMY = new AgentName("ocf", "pacemaker", "Dummy");
  private static final String KEY = "3:4:%d:be2e97d9-05e2-439d-863e-48f7aecab2aa";

  private static Result result(String operation, long interval, int rc, int expected) {
    return HistoryXml.made(
        "web",
        DUMMY,
        operation,
        interval,
        Map.of("state", "/tmp/x", "CRM_meta_timeout", "20000"),
        KEY.formatted(expected),
        rc,
        ExecStatus.DONE,
        rc == 0 ? "" : "it broke",
        1_700_000_000);
  }

  private static List<String> ids(List<Element> operations) {
    return operations.stream().map(it -> it.get("id", "")).toList();
  }

  @Test
  void aRecordHasAllThatToolsReadFromIt() {
    var entry = HistoryXml.entries(result("start", 0, 0, 0), "node1", null, "test").getFirst();

    assertEquals("web_last_0", entry.id());
    assertEquals("web_start_0", entry.get("operation_key"));
    assertEquals("0:0;" + KEY.formatted(0), entry.get("transition-magic"));
    assertEquals("node1", entry.get("on_node"));
    assertEquals("1700000000", entry.get("last-rc-change"));
    assertEquals("3.20.5", entry.get("crm_feature_set"));
    assertNotNull(entry.get("op-digest"));
  }

  @Test
  void noParametersHaveTheDigestTheyAlwaysHad() {
    assertEquals(
        "f2317cad3d54cec5d7d7aa7d0bf35cf8",
        OperationDigests.all(Map.of("CRM_meta_timeout", "20000", "crm_feature_set", "3.20.5")));
  }

  @Test
  void aFailedStartIsTheLastFailureAndTheLastThingDone() {
    var entries = HistoryXml.entries(result("start", 0, 1, 0), "node1", null, "test");

    assertEquals(List.of("web_last_failure_0", "web_last_0"), ids(entries));
    assertEquals("it broke", entries.getFirst().get("exit-reason"));
  }

  @Test
  void aFailedMonitorLeavesTheRecordOfTheGoodOneAlone() {
    var entries = HistoryXml.entries(result("monitor", 10_000, 7, 0), "node1", null, "test");

    assertEquals(List.of("web_last_failure_0"), ids(entries));
  }

  @Test
  void aProbeThatFindsNothingHasNotFailed() {
    var entries = HistoryXml.entries(result("monitor", 0, 7, 7), "node1", null, "test");

    assertEquals(List.of("web_last_0"), ids(entries));
  }

  @Test
  void aStoppedResourceHasNoRecurringOperations() {
    var history = new History();
    history.record(result("start", 0, 0, 0));
    history.record(result("monitor", 10_000, 0, 0));
    assertEquals(List.of("web"), history.active());

    history.record(result("stop", 0, 0, 0));

    assertEquals(List.of(), history.active());
    var resource = history.toXml("node1", _ -> null).getFirst();
    assertEquals(List.of("web_last_0"), ids(resource.children("lrm_rsc_op")));
  }

  @Test
  void aStopUsesTheParametersOfTheStart() {
    var history = new History();
    history.record(result("start", 0, 0, 0));

    assertEquals(Map.of("state", "/tmp/x"), history.startedWith("web"));
    assertNull(history.startedWith("other"));
  }

  @Test
  void reloadableParametersDoNotCountForARestart() {
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
    assertNotNull(metadata);
    var entry = HistoryXml.entries(result("start", 0, 0, 0), "node1", metadata, "test").getFirst();

    assertEquals("  state  ", entry.get("op-force-restart"));
    assertEquals("  passwd  ", entry.get("op-secure-params"));
    assertNotNull(entry.get("op-restart-digest"));
  }

  @Test
  void operationKeysAreReadFromTheEnd() {
    assertEquals(new OperationKey("a_b", "monitor", 10), OperationKey.parse("a_b_monitor_10"));
    assertEquals(new OperationKey("a", "migrate_to", 0), OperationKey.parse("a_migrate_to_0"));
    assertEquals(new OperationKey("a", "notify", 0), OperationKey.parse("a_post_notify_start_0"));
    assertNull(OperationKey.parse("nonsense"));
  }

  private static Result with(String operation, int rc, int expected, String state) {
    return HistoryXml.made(
        "web",
        DUMMY,
        operation,
        0,
        Map.of("state", state, "CRM_meta_timeout", "20000"),
        KEY.formatted(expected),
        rc,
        ExecStatus.DONE,
        "",
        1_700_000_000);
  }

  @Test
  void aProbeThatFindsAResourceWhereItShouldNotBeTellsWhatItRunsWith() {
    var history = new History();

    history.record(with("monitor", 0, 7, "/tmp/x"));

    assertEquals(Map.of("state", "/tmp/x"), history.startedWith("web"));
    assertEquals(List.of("web"), history.active());
  }

  @Test
  void whatItWasStartedWithCountsForMoreThanWhatAMonitorHas() {
    var history = new History();
    history.record(with("start", 0, 0, "/tmp/old"));

    history.record(with("monitor", 0, 0, "/tmp/new"));

    assertEquals(Map.of("state", "/tmp/old"), history.startedWith("web"));
  }

  @Test
  void whatAControllerBeforeThisOneKnewCountsForMoreThanWhatAProbeHas() {
    var history = new History();
    history.presume("web", Map.of("state", "/tmp/old"));

    history.record(with("monitor", 0, 7, "/tmp/new"));

    assertEquals(Map.of("state", "/tmp/old"), history.startedWith("web"));
  }

  @Test
  void aStoppedResourceRunsWithNothing() {
    var history = new History();
    history.record(with("start", 0, 0, "/tmp/x"));

    history.record(with("stop", 1, 0, "/tmp/x"));
    assertEquals(Map.of("state", "/tmp/x"), history.startedWith("web"));
    history.record(with("stop", 0, 0, "/tmp/x"));
    assertNull(history.startedWith("web"));
  }
}
