package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.fenced.client.FenceMessage;

/// Fencings that fail, and a fencer that is lost: how often one is tried again, and when no more.
final class FencingAttemptsTest extends FencerLinkUnderTest {
  @Test
  void aNodeThatCannotBeFencedIsGivenUpAfterSomeAttempts() {
    for (var i = 0; i < 2; i++) {
      fence(7, "node2");
      fails(i);
      assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    }
    fence(7, "node2");
    fails(2);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
    fence(8, "node3");
    fails(3);
    assertEquals(planned("restart", "ended 4:8 false"), host.deeds(), "of another node");
  }

  @Test
  void aNodeThatIsBackBeginsWithoutFailedAttempts() {
    for (var i = 0; i < 3; i++) {
      fence(7, "node2");
      fails(i);
    }
    host.deeds();
    host.stays.put("node2", 13L);
    host.plannedIn = 14;
    fence(7, "node2");
    fails(3);
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void aSuccessEndsTheCountOfFailedAttempts() {
    for (var i = 0; i < 2; i++) {
      fence(7, "node2");
      fails(i);
    }
    fence(7, "node2");
    succeeds(2);
    host.deeds();
    fence(7, "node2");
    fails(3);
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void withoutADeviceNothingIsTriedAgainAtOnce() {
    fence(7, "node2");
    ends(0, 1, ExecStatus.NO_FENCE_DEVICE, 12);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
  }

  @Test
  void aRefusalCountsAsAFailedAttempt() {
    fence(7, "node2");
    fencer.reply(asked.getFirst(), new FenceMessage.Refused(ExecStatus.INVALID, "what node?"));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
    assertTrue(world.logged("attempt 1"));
  }

  @Test
  void aFailureThatNoTransitionWaitsForIsOnlyCounted() {
    fence(7, "node2");
    host.underWay.clear();
    fails(0);
    assertEquals(planned(), host.deeds());
    assertTrue(world.logged("attempt 1"));
  }

  @Test
  void aFencerThatIsLostIsAskedAgainOnceItIsBackAndNoAttemptIsCounted() {
    for (var i = 0; i < 5; i++) {
      fence(7, "node2");
      fencer.goes("killed");
      assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
      fencer.comes();
      world.pass(Duration.ofMillis(1900));
      assertEquals(planned("restart"), host.deeds(), "as soon as it is back");
    }
    assertFalse(world.logged("failed"));
  }

  @Test
  void aFencerThatStaysAwayIsTriedAgainAfterAWhile() {
    fencer.goes("killed");
    world.pass(Duration.ofSeconds(30));
    fence(7, "node2");
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
    world.pass(Duration.ofMillis(1900));
    assertEquals(planned(), host.deeds());
    world.pass(Duration.ofMillis(200));
    assertEquals(planned("restart"), host.deeds());
    world.pass(Duration.ofSeconds(30));
    assertEquals(planned(), host.deeds(), "once: the plan asks for it again");
  }

  @Test
  void aFormerDcDoesNotAskTheFencerAgain() {
    fencer.goes("killed");
    fence(7, "node2");
    host.deeds();
    host.dc = false;
    world.pass(Duration.ofSeconds(10));
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFencerThatIsBackIsNotAskedWhenNothingWaits() {
    fence(7, "node2");
    host.underWay.clear();
    fencer.drop("killed");
    world.pass(Duration.ofSeconds(10));
    assertEquals(planned(), host.deeds());
  }

  @Test
  void aFencingThatIsNotAnsweredInTimeHasFailed() {
    fence(7, "node2");
    world.pass(Duration.ofSeconds(239));
    assertEquals(planned(), host.deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(planned("restart", "ended 4:7 false"), host.deeds());
  }

  @Test
  void failuresThatOthersSawCountWhenThisNodeBecomesDc() {
    host.dc = false;
    fenced("node2", "x.1", false, 12);
    fenced("node2", "x.1", false, 12);
    host.dc = true;
    fence(7, "node2");
    host.deeds();
    fails(0);
    assertEquals(planned("give up", "ended 4:7 false"), host.deeds());
  }
}
