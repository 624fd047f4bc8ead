package org.systole.scheduler.unpack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Digests;

class HistoryTest {
  private static final int NOT_RUNNING = 7;

  private final TestCib cib = new TestCib().node("a").node("b").fenceDevice();

  private static List<String> names(List<Node> nodes) {
    return nodes.stream().map(node -> node.name()).toList();
  }

  private WorkingSet readA(String... entries) {
    return cib.dummy("r", "").online("a", TestCib.history("r", entries)).online("b").read();
  }

  private static Resource r(WorkingSet ws) {
    return TestCib.resource(ws, "r");
  }

  private static Node node(WorkingSet ws, String name) {
    var node = ws.node(name);
    assertNotNull(node);
    return node;
  }

  @Test
  void aSuccessfulStartMakesAResourceActive() {
    var r = r(readA(cib.entry("r", "start", 2, 0, 0)));
    assertEquals(Role.STARTED, r.role());
    assertEquals(List.of("a"), names(r.active()));
    assertFalse(r.is(ResourceFlag.FAILED));
  }

  @Test
  void entriesCountInOrderOfTheirCallsNotOfTheDocument() {
    var r = r(readA(cib.entry("r", "stop", 5, 0, 0), cib.entry("r", "start", 2, 0, 0)));
    assertEquals(Role.STOPPED, r.role());
    assertTrue(r.active().isEmpty());
    assertTrue(r.probed().contains(node(r.cluster(), "a")));
  }

  @Test
  void aProbeThatFindsNothingLeavesItStoppedButKnown() {
    var r = r(readA(cib.entry("r", "monitor", 1, NOT_RUNNING, NOT_RUNNING)));
    assertEquals(Role.STOPPED, r.role());
    assertTrue(r.probed().contains(node(r.cluster(), "a")));
    assertTrue(r.cluster().failed().isEmpty());
  }

  @Test
  void aProbeThatFindsItRunningIsNoFailure() {
    var r = r(readA(cib.entry("r", "monitor", 1, 0, NOT_RUNNING)));
    assertEquals(List.of("a"), names(r.active()));
    assertTrue(r.cluster().failed().isEmpty());
  }

  @Test
  void aFailedMonitorHasItStoppedAndRecovered() {
    var ws = readA(cib.entry("r", "start", 2, 0, 0), cib.entry("r", "monitor 10000", 3, 1, 0));
    var r = r(ws);
    assertTrue(r.is(ResourceFlag.FAILED));
    assertEquals(1, ws.failed().size());
    assertEquals("a", ws.failed().getFirst().get("uname"));
    var stop = Actions.first(r, null, "stop", null);
    assertNotNull(stop);
    assertFalse(stop.is(ActionFlag.OPTIONAL));
  }

  @Test
  void aLaterSuccessMakesGoodAFailureOfTheSameMonitor() {
    var failure =
        cib.entry("r", "monitor 10000", 3, 1, 0)
            .replace("id='r_monitor_10000'", "id='r_last_failure_0'");
    var r =
        r(
            readA(
                cib.entry("r", "start", 2, 0, 0),
                failure,
                cib.entry("r", "monitor 10000", 4, 0, 0)));
    assertFalse(r.is(ResourceFlag.FAILED));
    assertEquals(1, r.cluster().failed().size());
  }

  @Test
  void aFailedStopHasTheNodeFenced() {
    var ws = readA(cib.entry("r", "start", 2, 0, 0), cib.entry("r", "stop", 3, 1, 0));
    assertTrue(node(ws, "a").unclean());
    assertTrue(ws.singletons().containsKey("stonith-a-reboot"));
  }

  @Test
  void withoutFencingAFailedStopBlocksTheResource() {
    cib.option("fencing-enabled", "false");
    var r = r(readA(cib.entry("r", "start", 2, 0, 0), cib.entry("r", "stop", 3, 1, 0)));
    assertTrue(r.is(ResourceFlag.BLOCKED));
    assertFalse(r.is(ResourceFlag.MANAGED));
  }

  @Test
  void aProbeOfWhatIsNotInstalledIsShownAndBansTheNode() {
    var ws = readA(cib.entry("r", "monitor", 1, 5, NOT_RUNNING));
    var r = r(ws);
    assertEquals(Role.STOPPED, r.role());
    assertEquals(1, ws.failed().size());
    var entry = r.allowed().get(node(ws, "a"));
    assertNotNull(entry);
    assertEquals(-Score.INFINITY, entry.score());
  }

  @Test
  void aPendingStartIsShownAsUnderWay() {
    var r = r(readA(cib.entry("r", "start", -1, -1, 193, 0, "")));
    assertTrue(r.is(ResourceFlag.START_PENDING));
    assertEquals("start", r.pendingAction());
    assertSame(node(r.cluster(), "a"), r.pendingNode());
  }

  @Test
  void anOldFailureExpires() {
    cib.resourceDefault("failure-timeout", "60s");
    var r = r(readA(cib.entry("r", "start", 2, 1, 0)));
    assertFalse(r.is(ResourceFlag.FAILED));
    assertTrue(r.cluster().failed().isEmpty());
  }

  @Test
  void anExpiredFailureOfAMonitorHasTheMonitorStartedAnew() {
    cib.resourceDefault("failure-timeout", "60s");
    var ws = readA(cib.entry("r", "start", 2, 0, 0), cib.entry("r", "monitor 10000", 3, 1, 0));
    var entries = ws.historyIndex().resources("a", "r").getFirst().children("lrm_rsc_op");
    assertEquals("calculated-failure-timeout", ws.history(entries.get(1)).get("op-restart-digest"));
  }

  @Test
  void aMigrationWhoseSecondHalfIsMissingIsPartial() {
    var nodes = "migrate_source='a' migrate_target='b'";
    var ws =
        cib.dummy("r", "")
            .online("a", TestCib.history("r", cib.entry("r", "migrate_to", 3, 0, 0, 0, nodes)))
            .online("b", TestCib.history("r", cib.entry("r", "monitor", 1, 7, 7)))
            .read();
    var r = r(ws);
    assertSame(node(ws, "a"), r.partialMigrationSource());
    assertSame(node(ws, "b"), r.partialMigrationTarget());
    assertEquals(List.of("b", "a"), names(r.active()));
  }

  @Test
  void aMigrationWithoutTheFinalStopIsDangling() {
    var nodes = "migrate_source='a' migrate_target='b'";
    var ws =
        cib.dummy("r", "")
            .online("a", TestCib.history("r", cib.entry("r", "migrate_to", 3, 0, 0, 0, nodes)))
            .online("b", TestCib.history("r", cib.entry("r", "migrate_from", 4, 0, 0, 0, nodes)))
            .read();
    var r = r(ws);
    assertEquals(List.of("a"), names(r.danglingMigrationSources()));
    assertEquals(List.of("b"), names(r.active()));
    assertEquals(Role.STARTED, r.role());
  }

  @Test
  void aResourceThatIsConfiguredNoMoreIsKeptToBeStopped() {
    var ws =
        cib.online("a", TestCib.history("gone", cib.entry("gone", "start", 2, 0, 0)))
            .online("b")
            .read();
    var gone = TestCib.resource(ws, "gone");
    assertTrue(gone.is(ResourceFlag.REMOVED));
    assertTrue(gone.is(ResourceFlag.MANAGED));
    var entry = gone.allowed().get(node(ws, "b"));
    assertNotNull(entry);
    assertEquals(-Score.INFINITY, entry.score());
  }

  @Test
  void whatIsOnALostNodeHasItFenced() {
    cib.dummy("r", "")
        .online("b")
        .state(
            "a",
            "in_ccm='false' crmd='offline' join='down' expected='down'",
            TestCib.history("r", cib.entry("r", "start", 2, 0, 0)));
    assertTrue(node(cib.read(), "a").unclean());
  }

  @Test
  void aResourceOnTwoNodesMayBeLeftAlone() {
    cib.dummy("r", cib.meta("multiple-active", "block"))
        .online("a", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)))
        .online("b", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)));
    var r = r(cib.read());
    assertTrue(r.is(ResourceFlag.BLOCKED));
    assertEquals(List.of("a", "b"), names(r.active()));
  }

  @Test
  void theEmptyParameterListHasItsKnownDigest() {
    var ws = readA(cib.entry("r", "start", 2, 0, 0));
    var entry = ws.historyIndex().resources("a", "r").getFirst().child(0);
    var digests = Digests.compare(r(ws), entry, node(ws, "a"));
    assertEquals("f2317cad3d54cec5d7d7aa7d0bf35cf8", digests.allDigest());
  }
}
