package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.controld.TestCib;
import org.systole.controld.transition.ResultMatching.Match;

/// What a result means, and whether it counts as a failure.
final class ResultsTest {
  private static final String TERM = "be2e97d9-05e2-439d-863e-48f7aecab2aa";
  private final TransitionNames names = new TransitionNames(new TestWorld());
  private final ResultMatching matching = new ResultMatching(names);

  private static TransitionGraph graph(String attributes) {
    try {
      return TransitionGraph.read(
          TestCib.xml(
              """
              <transition_graph %s><synapse id="0"><action_set><rsc_op id="1" operation="start"
                operation_key="a_start_0" on_node="n1" on_node_uuid="1"><primitive id="a"/>
                </rsc_op></action_set><inputs/></synapse></transition_graph>
              """
                  .formatted(attributes)));
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  private static String kind(Match match) {
    return match instanceof Match.Unexpected(var why) ? why : match.getClass().getSimpleName();
  }

  private String match(GraphRun run, boolean over, TransitionKey key, String operation) {
    return kind(matching.match(run, over, key, operation, ExecStatus.DONE, false));
  }

  @Test
  void aResultIsWhatItsKeyAndTheTransitionMakeIt() {
    var run = new GraphRun(graph(""));
    names.begin();
    var earlier = names.key(1, 0);
    names.begin();
    var key = names.key(1, 0);
    run.take(0, _ -> GraphRun.Verdict.YES);
    var monitor = "a_monitor_10000";

    assertEquals("Awaited", match(run, false, key, "a_start_0"));
    assertEquals("Awaited", match(run, false, key, monitor));
    assertEquals("Inactive graph", match(run, true, key, "a_start_0"));
    assertEquals("Old event", match(run, false, earlier, "a_start_0"));
    assertEquals("Again", match(run, false, earlier, monitor));
    assertEquals("Again", match(run, true, key, monitor));
    assertEquals(
        "Change in recurring result",
        kind(matching.match(run, false, earlier, monitor, ExecStatus.DONE, true)));
    assertEquals("Old event", match(run, false, earlier, "no key"));
    var foreign = new TransitionKey(1, key.transition(), 0, TERM);
    assertEquals("Foreign event", match(run, false, foreign, monitor));
    assertEquals(
        "Cancelled", kind(matching.match(run, false, foreign, monitor, ExecStatus.CANCELLED, true)));
    var negative = new TransitionKey(-1, key.transition(), 0, key.engine());
    assertEquals("Foreign event", match(run, false, negative, monitor));
    assertEquals(
        "Cancelled",
        kind(matching.match(run, false, earlier, monitor, ExecStatus.CANCELLED, true)));

    run.confirm(1, true);
    assertEquals("NoNews", match(run, false, key, "a_start_0"));
    assertEquals("NoNews", match(run, true, key, "a_start_0"));
    assertEquals("Again", match(run, true, key, monitor));
  }

  @Test
  void aFailureThatNobodyAskedForCountsOnceInATerm() {
    var run = new GraphRun(graph(""));
    var key = TransitionKey.unplanned(17, 0);
    assertEquals("Unexpected event", match(run, true, key, "a_asyncmon_0"));
    assertEquals("NoNews", match(run, true, key, "a_asyncmon_0"));
    assertEquals(
        "Unexpected event", match(run, true, TransitionKey.unplanned(18, 0), "a_asyncmon_0"));
    matching.newTerm();
    assertEquals("Unexpected event", match(run, true, key, "a_asyncmon_0"));
  }

  private static @Nullable String counted(
      String operation, int rc, int expected, boolean planned, String offsets, String origin) {
    var key =
        planned
            ? new TransitionKey(1, 1, expected, TERM)
            : TransitionKey.unplanned(1, expected);
    var entry =
        new HistoryEntry(
            Element.of(
                HistoryEntry.ELEMENT, "operation_key", operation, "crm-debug-origin", origin));
    var count = FailureCount.of(entry, rc, key, graph(offsets));
    return count == null ? null : count.value();
  }

  private static @Nullable String counted(String operation, int rc, String offsets) {
    return counted(operation, rc, 0, true, offsets, "do_update_resource");
  }

  @Test
  void startsAndStopsCountAsConfigured() {
    var forms =
        Map.of(
            "", "INFINITY",
            "failed-start-offset='INFINITY' failed-stop-offset='INFINITY'", "INFINITY",
            "failed-start-offset='1' failed-stop-offset='1'", "value++");
    forms.forEach(
        (offsets, value) -> {
          assertEquals(value, counted("a_start_0", 1, offsets), offsets);
          assertEquals(value, counted("a_stop_0", 1, offsets), offsets);
          assertEquals("value++", counted("a_promote_0", 1, offsets));
          assertEquals("value++", counted("a_demote_0", 1, offsets));
        });
    assertEquals("value++", counted("a_start_0", 1, "failed-start-offset='1'"));
    assertEquals("INFINITY", counted("a_stop_0", 1, "failed-start-offset='1'"));
  }

  /// What an executor has not begun before its resource was forgotten has not failed.
  @Test
  void whatWasCancelledCountsForNothing() {
    var key = new TransitionKey(1, 1, 0, TERM);
    for (var status : ExecStatus.values()) {
      var entry =
          new HistoryEntry(
              Element.of(HistoryEntry.ELEMENT, "operation_key", "a_stop_0", "op-status", String.valueOf(status.code())));
      var counts = status != ExecStatus.CANCELLED;
      assertEquals(counts, FailureCount.of(entry, 1, key, graph("")) != null, status::toString);
    }
  }

  @Test
  void probesFindThingsAndMonitorsFail() {
    assertNull(counted("a_monitor_0", 0, 7, true, "", ""));
    assertEquals("value++", counted("a_monitor_10000", 7, ""));
    assertEquals("value++", counted("a_asyncmon_0", 1, 0, false, "", ""), "a pretended failure");
  }

  @Test
  void expectedAndRepeatedResultsAreNotCounted() {
    assertNull(counted("a_start_0", 0, ""));
    assertNull(counted("a_monitor_0", 7, 7, true, "", ""));
    assertNull(counted("a_start_0", 1, 0, true, "", "build_active_RAs"), "a node that joins");
    assertNull(counted("nonsense", 1, ""));
  }
}
