package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;

/// What is told of an end: to the history, to the log, and with more to say.
final class OutcomeTest {
  @Test
  void onlyExitStatusZeroOfAFinishedAgentIsASuccess() {
    assertTrue(Outcome.ok().isSuccess());
    assertFalse(new Outcome(1, ExecStatus.DONE, "", "").isSuccess());
    assertFalse(new Outcome(0, ExecStatus.TIMEOUT, "", "").isSuccess());
  }

  @Test
  void theExitReasonIsTheAgentsOrElseTheStatus() {
    assertEquals("", Outcome.ok().exitReason());
    assertEquals("", new Outcome(0, ExecStatus.DONE, "by the way", "").exitReason());
    assertEquals("no power", new Outcome(3, ExecStatus.DONE, "no power", "").exitReason());
    assertEquals(
        "Agent returned error code 3", new Outcome(3, ExecStatus.DONE, "", "").exitReason());
    assertEquals(
        ExecStatus.TIMEOUT.text(), Outcome.error(ExecStatus.TIMEOUT, "").exitReason());
  }

  @Test
  void theLogShowsStatusAndReason() {
    assertEquals("succeeded", Outcome.ok().words());
    assertEquals(
        "failed: the agent exited with 3 (no power)",
        new Outcome(3, ExecStatus.DONE, "no power", "").words());
    assertEquals(
        "failed: " + ExecStatus.TIMEOUT.text(), Outcome.error(ExecStatus.TIMEOUT, "").words());
  }

  @Test
  void moreWordsAreAppendedToTheReason() {
    assertEquals(
        "no power; a is off",
        new Outcome(3, ExecStatus.DONE, "no power", "").with("a is off").exitReason());
  }
}
