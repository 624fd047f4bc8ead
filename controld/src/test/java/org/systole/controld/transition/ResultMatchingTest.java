package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.world.TestWorld;
import org.systole.controld.transition.ResultMatching.Match;

/// Which results a transition waits for.
final class ResultMatchingTest {
  private final ResultMatching matching = new ResultMatching(new TransitionNames(new TestWorld()));

  private Match unplanned(int number) {
    var key = TransitionKey.unplanned(number, 0);
    return matching.match(new GraphRun(TransitionGraph.EMPTY), true, key, "a_monitor_10000", ExecStatus.DONE, true);
  }

  /// A remote host tells as many as it likes, for days.
  @Test
  void whatNobodyHasPlannedCountsOnceAndIsNotRememberedForEver() {
    var unexpected = new Match.Unexpected("Unexpected event");
    assertEquals(unexpected, unplanned(0));
    assertEquals(new Match.NoNews(), unplanned(0));
    for (var number = 1; number <= ResultMatching.OUTSIDE_MAX; number++) {
      assertEquals(unexpected, unplanned(number));
      assertEquals(new Match.NoNews(), unplanned(number));
    }
    assertEquals(unexpected, unplanned(0));
    assertEquals(new Match.NoNews(), unplanned(ResultMatching.OUTSIDE_MAX));
  }
}
