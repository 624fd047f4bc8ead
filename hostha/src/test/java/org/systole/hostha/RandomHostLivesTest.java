package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// Random lives. A failure names its seed; `-Dhostha.seed=N` repeats that one, `-Dhostha.seeds=N`
/// makes it that many.
final class RandomHostLivesTest {
  private static final NodeName HOST = new NodeName("n1");
  private static final int RATIO = 700;

  @Test
  void whatMustHoldHolds() {
    var one = Long.getLong("hostha.seed");
    var count = Integer.getInteger("hostha.seeds", 60);
    var seeds = one == null ? LongStream.range(0, count) : LongStream.of(one);
    var steps = 0L;
    var recoveries = 0;
    var fenced = 0;
    for (var seed : seeds.toArray()) {
      var lives = live(seed);
      assertEquals(
          List.of(),
          lives.checks.violations(),
          () -> "seed " + seed + (one == null ? "" : "\n" + lives.trace()));
      steps += lives.steps;
      recoveries += lives.checks.recoveries;
      fenced += lives.checks.fenced;
    }
    if (one == null) {
      assertTrue(steps > 5_000L * count, "only " + steps + " steps: nothing is tried");
      assertTrue(recoveries > count, "only " + recoveries + " recoveries: nothing is tried");
      assertTrue(fenced > count / 2, "only " + fenced + " fencings: nothing is tried");
    }
  }

  @Test
  void oneSeedIsOneLife() {
    assertEquals(live(7).trace(), live(7).trace());
  }

  private static HostLives live(long seed) {
    var lives = new HostLives(seed);
    var random = new Random(seed + 1);
    for (var at = 0; at < 120; at++) {
      lives.run(random.nextInt(40_000));
      lives.disturb();
    }
    lives.calmDown();
    lives.run(4 * 3_600_000);
    lives.settle();
    return lives;
  }

  // Each check fires.

  @Test
  void aHostThatShowsLifeAndIsGivenUpIsSeen() {
    var checks = new LivesChecks();
    for (var at = 0; at < 5; at++) {
      checks.looked(1, HOST, true, at < 2);
    }
    checks.moved(1, moved(HostState.CHECKING, HostState.RECOVERING), 5, RATIO);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void lookingBlindIsNoReasonToGiveAHostUp() {
    var checks = new LivesChecks();
    for (var at = 0; at < 5; at++) {
      checks.looked(1, HOST, false, false);
    }
    checks.moved(1, moved(HostState.CHECKING, HostState.FENCING), 5, RATIO);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void aHostThatShowsNoLifeMayBeGivenUp() {
    var checks = new LivesChecks();
    for (var at = 0; at < 5; at++) {
      checks.looked(1, HOST, true, at < 1);
    }
    checks.moved(1, moved(HostState.CHECKING, HostState.RECOVERING), 5, RATIO);
    assertEquals(List.of(), checks.violations());
  }

  @Test
  void aHostHeldToBeFencedWithoutProofIsSeen() {
    var checks = new LivesChecks();
    checks.proved(HOST); // of a fencing before
    checks.moved(1, moved(HostState.RECOVERING, HostState.FENCING), 5, RATIO);
    checks.moved(1, moved(HostState.FENCING, HostState.FENCED), 5, RATIO);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void tooMuchAtATimeIsSeen() {
    var checks = new LivesChecks();
    checks.begun(1, WorkKind.RECOVERY, 2);
    checks.begun(1, WorkKind.RECOVERY, 2);
    checks.ended(1, WorkKind.RECOVERY);
    checks.begun(1, WorkKind.RECOVERY, 2);
    assertEquals(List.of(), checks.violations());
    checks.begun(1, WorkKind.RECOVERY, 2);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void aRecoveryByWhoeverMayNotIsSeen() {
    var checks = new LivesChecks();
    checks.accepted(2, write(HostState.RECOVERING, true));
    checks.recover(1, HOST, false);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void aRecoveryThatIsDoneTwiceIsSeen() {
    var checks = new LivesChecks();
    checks.accepted(1, write(HostState.RECOVERING, true));
    checks.recover(1, HOST, false);
    assertEquals(List.of(), checks.violations());
    checks.accepted(2, write(HostState.RECOVERING, true));
    checks.recover(2, HOST, false);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void aFencingThatNoRecordTellsOfIsSeen() {
    var checks = new LivesChecks();
    checks.fence(1, HOST, null);
    assertFalse(checks.violations().isEmpty());
  }

  @Test
  void aHostInAStateThatItsTruthDoesNotCallForIsSeen() {
    var seen = new TreeSet<HostState>();
    for (var state : HostState.values()) {
      var checks = new LivesChecks();
      var truth = state == HostState.FENCED ? HostLives.Truth.RUNS : HostLives.Truth.CRASHED;
      checks.atRest(view(state), truth, false);
      if (!checks.violations().isEmpty()) {
        seen.add(state);
      }
    }
    assertEquals(HostState.values().length, seen.size());
  }

  private static HostView view(HostState state) {
    return new HostView(HOST, state, 0, "", 0, 0, 0, 0, PowerState.ON, 0, false, null);
  }

  private static Order.Moved moved(HostState from, HostState to) {
    return new Order.Moved(HOST, from, to, HostEvent.FENCED, "");
  }

  private static Order.Write write(HostState state, boolean begun) {
    return new Order.Write(1, HOST, new HostRecord(HOST, state, 0, 1, begun, null, null, false), null);
  }
}
