package org.systole.tools.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

final class FencingHistoryTest {
  private static FenceRecord record(
      String id, String action, String delegate, Progress progress, long seconds) {
    return new FenceRecord(
        id,
        new NodeName("node1"),
        action,
        new NodeName("node2"),
        delegate,
        "pacemaker-controld.7",
        progress,
        seconds * 1000,
        progress == Progress.FAILED ? "no luck" : "",
        7001);
  }

  private static String describe(
      FenceRecord record, String laterSuccess, boolean full, boolean detailed) {
    return FencingHistory.describe(record, laterSuccess, full, detailed, ZoneOffset.UTC);
  }

  @Test
  void anOperationIsToldInWordsForPeopleAndForAdministratorsOfFencing() {
    var done = record("1", "reboot", "node3", Progress.DONE, 1_700_000_000);

    assertEquals(
        "reboot of node1 by node3 for pacemaker-controld.7@node2 last successful"
            + " at 2023-11-14 22:13:20.000000Z",
        describe(done, null, false, false));
    assertEquals(
        "reboot of node1 successful: delegate=node3, client=pacemaker-controld.7, origin=node2,"
            + " completed='2023-11-14 22:13:20.000000Z'",
        describe(done, null, true, true));
    assertEquals(
        "reboot of node1 successful: delegate=node3, client=pacemaker-controld.7, origin=node2,"
            + " last-successful='2023-11-14 22:13:20.000000Z'",
        describe(done, null, false, true));
  }

  @Test
  void aFailureSaysWhyAndWhetherItMatteredInTheEnd() {
    var failed = record("1", "off", "", Progress.FAILED, 1_700_000_000);

    assertEquals(
        "turning off of node1 for pacemaker-controld.7@node2 last failed (no luck)"
            + " at 2023-11-14 22:13:20.000000Z (a later attempt from node3 succeeded)",
        describe(failed, "node3", false, false));
  }

  @Test
  void whatIsUnderWayHasNoTime() {
    assertEquals(
        "unfencing of node1 pending: client=pacemaker-controld.7, origin=node2",
        describe(record("1", "on", "", Progress.QUERYING, 0), null, true, true));
  }

  @Test
  void aLaterSuccessIsOfTheSameKind() {
    var failed = record("1", "reboot", "node3", Progress.FAILED, 100);
    var other = record("2", "off", "node3", Progress.DONE, 200);
    var same = record("3", "reboot", "node4", Progress.DONE, 300);

    assertEquals("node4", FencingHistory.laterSuccess(failed, List.of(same, other, failed)));
    assertNull(FencingHistory.laterSuccess(failed, List.of(other, failed)));
  }

  @Test
  void onlyTheLatestOfEachKindIsKept() {
    var newest = record("4", "reboot", "node4", Progress.DONE, 400);
    var older = record("3", "reboot", "node3", Progress.DONE, 300);
    var failedHere = record("2", "reboot", "node3", Progress.FAILED, 200);
    var failedThere = record("1", "reboot", "node4", Progress.FAILED, 100);

    assertEquals(
        List.of(newest, failedHere, failedThere),
        FencingSections.latestOfEachKind(List.of(newest, older, failedHere, failedThere)));
  }

  @Test
  void aLongTimeIsWrittenAsEver() {
    assertEquals(
        "Tue Nov 14 22:13:20 2023", FencingHistory.longTime(1_700_000_000, ZoneOffset.UTC));
    assertEquals("Fri Jan  2 00:00:00 1970", FencingHistory.longTime(86_400, ZoneOffset.UTC));
  }
}
