package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

final class HistoryTest {
  private final History history = new History();

  private static FenceRecord record(String id, String target, Progress progress, long completed) {
    return new FenceRecord(
        id,
        new NodeName(target),
        "reboot",
        new NodeName("node1"),
        "node2",
        "test",
        progress,
        completed,
        "",
        10);
  }

  private boolean put(String id, String target, Progress progress, long completed) {
    return history.put(
        new FencePeerMessage.Past(
            record(id, target, progress, completed),
            progress == Progress.DONE ? 0 : 1,
            ExecStatus.DONE));
  }

  @Test
  void anEndReplacesABeginningAndABeginningDoesNotReplaceAnEnd() {
    assertTrue(put("1", "node3", Progress.QUERYING, 0));
    assertFalse(put("1", "node3", Progress.QUERYING, 0));
    assertTrue(put("1", "node3", Progress.FAILED, 5));
    assertFalse(put("1", "node3", Progress.QUERYING, 0));
  }

  @Test
  void aSuccessReplacesAPresumedFailureAndNotTheOtherWayRound() {
    put("1", "node3", Progress.FAILED, 5);
    assertTrue(put("1", "node3", Progress.DONE, 6));
    assertFalse(put("1", "node3", Progress.FAILED, 7));
  }

  @Test
  void pendingOperationsComeFirstThenTheLatestThatEnded() {
    put("old", "node3", Progress.DONE, 5);
    put("new", "node3", Progress.DONE, 9);
    put("now", "node2", Progress.EXECUTING, 0);

    assertEquals(
        List.of("now", "new", "old"), history.list(null).stream().map(FenceRecord::id).toList());
    assertEquals(
        List.of("new", "old"),
        history.list(new NodeName("node3")).stream().map(FenceRecord::id).toList());
  }

  @Test
  void theOldestThatHasEndedMakesRoomAndAPendingOneNever() {
    put("now", "node3", Progress.QUERYING, 0);
    for (var at = 0; at < History.ENTRIES_MAX; at++) {
      put("id" + at, "node3", Progress.DONE, 1000 + at);
    }

    assertEquals(History.ENTRIES_MAX, history.all().size());
    assertNotNull(history.get("now"));
    assertNull(history.get("id0"));
    assertNotNull(history.get("id1"));
  }

  @Test
  void theEntryThatEndedFirstIsDroppedWheneverItWasReceived() {
    put("recent", "node3", Progress.DONE, 9_000);
    for (var at = 0; at < History.ENTRIES_MAX; at++) {
      put("id" + at, "node3", Progress.DONE, 2000 - at);
    }

    assertNotNull(history.get("recent"));
    assertNull(history.get("id" + (History.ENTRIES_MAX - 1)));
  }

  @Test
  void clearingLeavesPendingOperations() {
    put("a", "node2", Progress.DONE, 5);
    put("b", "node3", Progress.FAILED, 5);
    put("c", "node3", Progress.QUERYING, 0);

    history.clear("node3");
    assertEquals(2, history.all().size());
    history.clear("");
    assertEquals(List.of("c"), history.list(null).stream().map(FenceRecord::id).toList());
  }

  @Test
  void aPendingOperationIsOfTheSameKindOnlyIfTargetActionAndStayAgree() {
    put("1", "node3", Progress.QUERYING, 0);

    assertNotNull(history.pending(new NodeName("node3"), "reboot", 10));
    assertNull(history.pending(new NodeName("node3"), "reboot", 11));
    assertNull(history.pending(new NodeName("node3"), "off", 10));
    assertNull(history.pending(new NodeName("node2"), "reboot", 10));
    put("1", "node3", Progress.DONE, 7);
    assertNull(history.pending(new NodeName("node3"), "reboot", 10));
  }

  @Test
  void aSuccessIsLookedForSinceAMoment() {
    put("1", "node3", Progress.DONE, 100);
    put("2", "node3", Progress.FAILED, 200);

    assertNotNull(history.success(new NodeName("node3"), "reboot", 100));
    assertNull(history.success(new NodeName("node3"), "reboot", 101));
  }

  @Test
  void aPendingOperationOfALostOriginFailsWhenItIsLost() {
    put("1", "node3", Progress.EXECUTING, 0);
    put("2", "node3", Progress.DONE, 7);
    assertEquals(List.of("1"), List.copyOf(history.pending().keySet()));

    var lost = History.lost(history.pending().get("1"), 99);

    assertEquals(Progress.FAILED, lost.record().progress());
    assertEquals(99, lost.record().completedMillis());
    assertEquals(10, lost.record().membership());
  }

  @Test
  void onlyAPendingOperationAboutThisStayIsToFenceATarget() {
    put("1", "node3", Progress.EXECUTING, 0);
    put("2", "node2", Progress.DONE, 7);

    assertTrue(history.isToBeFenced(new NodeName("node3"), "other", 10));
    assertFalse(history.isToBeFenced(new NodeName("node3"), "1", 10), "not by another one");
    assertFalse(history.isToBeFenced(new NodeName("node3"), "other", 11), "that is a later stay");
    assertFalse(history.isToBeFenced(new NodeName("node2"), "other", 10), "that is over");
  }
}
