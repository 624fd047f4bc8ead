package org.systole.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.PeerPaths.Change;

class PeerPathsTest {
  private static final PeerPaths.Timing TIMING = PeerPaths.Timing.ofToken(1000);
  private static final long STEP = TIMING.probe().toNanos();

  private final PeerPaths paths = new PeerPaths(TIMING, Map.of(0, 1, 1, 1));
  private final Set<Integer> cut = new HashSet<>();
  private final List<Change> changes = new ArrayList<>();
  private long now = 1;

  private void add(Change change) {
    if (change != null) {
      changes.add(change);
    }
  }

  /// Probes all links so many times; those that are not cut answer.
  private void run(int probes) {
    for (var at = 0; at < probes; at++) {
      now += STEP;
      for (var link : paths.links()) {
        add(paths.look(link, now));
        paths.probed(link, now);
        if (!cut.contains(link)) {
          add(paths.answered(link));
        }
      }
    }
  }

  @Test
  void theFirstLinkIsUsedUntilItIsCutAndAfterItIsMended() {
    assertEquals(0, paths.active(), "before anything is known");
    run(3);
    assertEquals(List.of(new Change(0, true), new Change(1, true)), changes);
    assertEquals(0, paths.active());

    cut.add(0);
    run(5);
    assertEquals(1, paths.active());
    assertTrue(5 * STEP < 500_000_000L, "well within the token time");

    cut.clear();
    paths.opened(0); // its connection is made anew
    run(1);
    assertEquals(1, paths.active(), "one answer may be chance");
    run(1);
    assertEquals(0, paths.active());
    assertEquals(
        List.of(new Change(0, false), new Change(0, true)), changes.subList(2, changes.size()));
  }

  @Test
  void theHighestPriorityGoesFirst() {
    paths.use(TIMING, Map.of(0, 1, 1, 5, 2, 5));
    run(3);
    assertEquals(1, paths.active());
    cut.add(1);
    run(5);
    assertEquals(2, paths.active());
    cut.add(2);
    run(5);
    assertEquals(0, paths.active());
  }

  @Test
  void whileNoneIsUpTheLastOneStaysUntilAnotherTakesWhatIsSent() {
    run(3);
    cut.addAll(List.of(0, 1));
    run(6);
    var last = paths.active();
    assertEquals(List.of(last, 1 - last), paths.order());
    paths.took(1 - last);
    assertEquals(1 - last, paths.active());
  }

  @Test
  void onlyLinksThatAreUpAreTriedWhileThereAreAny() {
    paths.use(TIMING, Map.of(0, 1, 1, 1, 2, 1));
    run(3);
    cut.add(1);
    run(5);
    assertEquals(List.of(0, 2), paths.order());
    paths.took(2);
    assertEquals(0, paths.active());
  }

  @Test
  void aProcessThatStoodStillWaitsForAnswersAnew() {
    run(3);
    cut.add(0);
    run(1);
    now += 60 * STEP;
    changes.clear();
    run(1);
    assertEquals(List.of(), changes);
    run(5);
    assertEquals(List.of(new Change(0, false)), changes, "it is cut all the same");
  }

  @Test
  void aLinkThatIsAddedIsProbedAndOneThatIsRemovedIsNotUsed() {
    run(3);
    paths.use(TIMING, Map.of(1, 1, 2, 1));
    assertEquals(1, paths.active());
    assertFalse(paths.isUp(2));
    run(3);
    assertTrue(paths.isUp(2));
    assertNull(paths.answered(0));
  }

  @Test
  void aPeerThatNeverAnswersIsSentToByTheFirstLink() {
    cut.addAll(List.of(0, 1));
    run(50);
    assertEquals(0, paths.active());
    assertEquals(List.of(), changes);
  }

  @Test
  void aClosedConnectionIsACutLink() {
    run(3);
    assertEquals(new Change(0, false), paths.closed(0));
    assertNull(paths.closed(0));
    assertEquals(1, paths.active());
  }
}
