package org.systole.pacemakerd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.CannotStart;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.client.PacemakerdMessage.Order;
import org.systole.pacemakerd.client.PacemakerdMessage.Permit;

/// When the guardian may feed the watchdog.
final class GuardTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final TestWorld world = new TestWorld();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private Duration quorumLeft = Duration.ZERO;
  private Duration lease = Duration.ofMillis(2250);
  private @Nullable String unfit;
  private int started;
  private boolean doomed;
  private int disarmed;

  GuardTest() {
    environment.put("SBD_WATCHDOG_DEV", "/dev/watchdog");
  }

  private Guard guard() {
    var node =
        new Guard.Node() {
          @Override
          public Duration quorumLeft() {
            return quorumLeft;
          }

          @Override
          public Duration lease() {
            return lease;
          }

          @Override
          public @Nullable String unfit() {
            return unfit;
          }
        };
    return new Guard(world, environment, node);
  }

  /// One whose guardian has asked for the first time.
  private Guard armed() {
    var guard = guard();
    doomed = guard.isDoomed();
    guard.start(() -> started++);
    world.settle();
    guard.permit(false);
    world.settle();
    return guard;
  }

  private static Permit feed(long millis) {
    return new Permit(millis, Order.FEED);
  }

  private static final Permit WAIT = new Permit(0, Order.WAIT);

  @Test
  void aNodeThatIsToHaveNoneStartsAtOnceAndNothingIsRun() {
    environment.clear();
    var guard = guard();
    guard.start(() -> started++);
    assertEquals(1, started);
    assertEquals(0, world.programs().all().size());
    guard.disarm(() -> disarmed++);
    assertEquals(1, disarmed);
    assertEquals(environment, guard.environmentOfDaemons());
  }

  @Test
  void theNodeStartsOnceTheWatchdogIsArmed() {
    var guard = guard();
    guard.start(() -> started++);
    world.pass(SECOND);
    assertEquals(1, world.programs().running().size());
    assertEquals(0, started);
    guard.permit(false);
    guard.permit(false);
    world.settle();
    assertEquals(1, started);
    assertEquals("5000", guard.environmentOfDaemons().get(SbdSettings.ARMED));
  }

  @Test
  void aWatchdogThatCannotBeArmedKeepsTheNodeFromStarting() {
    guard().start(() -> started++);
    world.settle();
    world.programs().running().getFirst().exits(Guardian.CANNOT_ARM, "");
    world.pass(SECOND);
    assertEquals(PacemakerdDaemon.CONFIGURATION, world.exitStatus());
    assertEquals(0, started);
  }

  @Test
  void aGuardianThatSaysNothingKeepsTheNodeFromStarting() {
    guard().start(() -> started++);
    world.pass(Duration.ofSeconds(61));
    assertEquals(PacemakerdDaemon.CONFIGURATION, world.exitStatus());
  }

  @Test
  void aGuardianThatHasNotAskedYetIsEndedFirst() {
    var guard = guard();
    guard.start(() -> started++);
    world.settle();
    guard.disarm(() -> disarmed++);
    assertEquals(0, disarmed, "it may have armed the device");
    assertEquals(new Permit(0, Order.DISARM), guard.permit(false), "as when it has");
    world.settle();
    assertEquals(0, world.programs().running().size());
    assertEquals(1, disarmed);
    assertEquals(0, started);
  }

  @Test
  void whoStopsWhileTheGuardianIsStartedAgainWaitsForIt() {
    var guard = armed();
    world.programs().running().getFirst().exits(1, "");
    world.settle();
    guard.disarm(() -> disarmed++);
    world.settle();
    assertEquals(0, disarmed, "the device counts");
    world.pass(SECOND);
    assertEquals(new Permit(0, Order.DISARM), guard.permit(false));
    world.programs().running().getFirst().exits(0, "");
    world.settle();
    assertEquals(1, disarmed);
  }

  private long warnings() {
    return world.lines().stream().filter(it -> it.contains("three quarters of the token time")).count();
  }

  @Test
  void aWatchdogThatDoesNotOutlastTheLossOfALeaderIsToldOfWithTheInequality() {
    var guard = armed();
    assertEquals(0, warnings());
    lease = Duration.ofMillis(7500); // the file was read anew
    guard.permit(false);
    guard.permit(false);
    assertEquals(1, warnings());
    assertTrue(
        world.lines().stream()
            .anyMatch(
                it ->
                    it.contains("5000 ms > 7500 ms does not hold")
                        && it.contains("set SBD_WATCHDOG_TIMEOUT=8 on all nodes")
                        && it.contains("to 6665 at most")));
    environment.put("SBD_DEVICE", "/dev/one");
    armed();
    assertEquals(1, warnings(), "with disks it does not hang on the quorum");
  }

  @Test
  void aPermitIsNoLongerThanTheShareInTheQuorumOnceThereWasOne() {
    var guard = armed();
    assertEquals(feed(2500), guard.permit(false), "nothing runs yet");
    quorumLeft = Duration.ofMillis(700);
    world.pass(SECOND);
    assertTrue(guard.hadQuorum());
    assertEquals(feed(700), guard.permit(false));
    quorumLeft = Duration.ofMinutes(1);
    assertEquals(feed(2500), guard.permit(false), "nor than half of the watchdog's time");
    quorumLeft = Duration.ZERO;
    assertEquals(WAIT, guard.permit(false));
    assertTrue(world.logged("the node has lost quorum"));
    assertEquals(feed(2500), guard.permit(true), "its disks answer");
  }

  @Test
  void aNodeThatCannotLookAfterResourcesIsNotFed() {
    var guard = armed();
    quorumLeft = SECOND;
    world.pass(SECOND);
    unfit = "execd is away";
    assertEquals(WAIT, guard.permit(true));
    unfit = null;
    assertEquals(feed(1000), guard.permit(false));
  }

  @Test
  void aDiskThatTakesNothingForHalfAMinuteEndsTheFeeding() {
    var guard = armed();
    quorumLeft = SECOND;
    world.disk().waits(true);
    world.pass(Duration.ofSeconds(25));
    assertEquals(feed(1000), guard.permit(false));
    world.pass(Duration.ofSeconds(15));
    assertEquals(WAIT, guard.permit(true));
  }

  @Test
  void aFullDiskAnswers() {
    var guard = armed();
    quorumLeft = SECOND;
    world.pass(SECOND);
    world.disk().fails("No space left on device");
    world.pass(Duration.ofMinutes(5));
    assertEquals(feed(1000), guard.permit(false));
  }

  @Test
  void aDiskThatDoesNotTakeTheNoteIsTriedAgainAndNotTrustedForLong() {
    var guard = armed();
    world.disk().fails("No space left on device");
    quorumLeft = SECOND;
    world.pass(Duration.ofSeconds(20));
    assertEquals(feed(1000), guard.permit(false));
    world.pass(Duration.ofSeconds(20));
    assertEquals(WAIT, guard.permit(false));
    world.disk().works();
    world.pass(Duration.ofSeconds(10));
    assertEquals(feed(1000), guard.permit(false));
    assertTrue(world.disk().files().containsKey(Guard.MARK));
  }

  @Test
  void aSupervisorAfterOneThatDidNotEndInGoodOrderHasTheMachineReset() {
    world.disk().files().put(Guard.MARK, world.boot().getBytes(StandardCharsets.UTF_8));
    var guard = armed();
    assertTrue(doomed);
    assertEquals(0, started, "what the other left may run on");
    assertEquals(new Permit(0, Order.RESET), guard.permit(true));
  }

  /// It cannot be read after a reset either.
  @Test
  void aMarkThatCannotBeReadKeepsTheNodeFromStartingAndSaysWhatToDo() {
    world.disk().unreadable(Guard.MARK);
    var refused = assertThrows(CannotStart.class, () -> guard().isDoomed());
    assertEquals(PacemakerdDaemon.CONFIGURATION, refused.status());
    assertTrue(refused.getMessage().contains("watchdog-armed: input/output error. Mend the disk"), refused.getMessage());
    assertEquals(0, world.programs().all().size());

    environment.clear(); // without a watchdog it is nobody's concern
    assertFalse(guard().isDoomed());
  }

  @Test
  void theMarkOfAnotherBootIsNoReason() {
    world.disk().files().put(Guard.MARK, "another".getBytes(StandardCharsets.UTF_8));
    armed();
    assertEquals(1, started);
  }

  @Test
  void theMarkStandsFromTheFirstQuorumToTheGoodEnd() {
    var guard = armed();
    world.pass(SECOND);
    assertFalse(world.disk().files().containsKey(Guard.MARK), "nothing was run");
    quorumLeft = SECOND;
    world.pass(SECOND);
    assertTrue(world.disk().files().containsKey(Guard.MARK));
    guard.disarm(() -> disarmed++);
    world.settle();
    assertFalse(world.disk().files().containsKey(Guard.MARK));
    assertEquals(new Permit(0, Order.DISARM), guard.permit(false));
    assertEquals(0, disarmed);
    world.programs().running().getFirst().exits(0, "");
    world.pass(SECOND);
    assertEquals(1, disarmed);
    guard.disarm(() -> disarmed++);
    assertEquals(2, disarmed, "it is");
  }

  /// A mark that is left has the machine reset when the node is started again.
  @Test
  void theEndIsNotGoodBeforeTheMarkIsOffTheDisk() {
    var guard = armed();
    quorumLeft = SECOND;
    world.pass(SECOND);
    world.disk().waits(true);
    guard.disarm(() -> disarmed++);
    world.settle();
    world.programs().running().getFirst().exits(0, "");
    world.pass(SECOND);
    guard.disarm(() -> disarmed++);
    assertEquals(0, disarmed);
    world.disk().waits(false);
    world.settle();
    assertEquals(2, disarmed);
    assertFalse(world.disk().files().containsKey(Guard.MARK));
  }

  @Test
  void aDiskThatHangsKeepsNoNodeFromEnding() {
    var guard = armed();
    world.disk().waits(true);
    guard.disarm(() -> disarmed++);
    world.programs().running().getFirst().exits(0, "");
    world.pass(Duration.ofSeconds(4));
    assertEquals(1, disarmed);
  }

  @Test
  void aGuardianThatEndsIsStartedAgain() {
    armed();
    assertFalse(environmentOfGuardian().containsKey(SbdSettings.AGAIN));
    world.programs().running().getFirst().exits(1, "");
    world.pass(SECOND);
    assertEquals(2, world.programs().all().size());
    assertEquals(1, world.programs().running().size());
    assertTrue(environmentOfGuardian().containsKey(SbdSettings.AGAIN), "what it finds counts");
  }

  private Map<String, String> environmentOfGuardian() {
    return world.programs().running().getFirst().program().environment();
  }

  @Test
  void aNodeThatPanicsIsNeverFedAgain() {
    var guard = armed();
    quorumLeft = SECOND;
    world.pass(SECOND);
    guard.reset("panic");
    assertEquals(new Permit(0, Order.RESET), guard.permit(true));
    guard.disarm(() -> disarmed++);
    assertEquals(1, disarmed);
    assertEquals(new Permit(0, Order.RESET), guard.permit(true), "not by a good end either");
  }
}
