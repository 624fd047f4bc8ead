package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.output.Rc;

/// Two nodes, of which the other one was here and is lost.
final class UnreadOtherTest {
  private final CibdInTest node = new CibdInTest(2, Map.of());

  private boolean isInOffice() {
    return node.cibd.primary().isEstablished();
  }

  private CibdInTest.Client takesOver() {
    return node.client().ask(new CibMessage.SetPrimary(5));
  }

  private long collected() {
    return node.sent(CibPeerMessage.Collect.class).getLast().term();
  }

  @Test
  void whoHasNotReadItWaitsForItToComeBack() {
    node.here(true, 1, 2);
    var controller = takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(15));
    assertFalse(isInOffice(), "what it has confirmed alone is with nobody else");

    node.here(true, 1, 2);
    node.pass(Duration.ofSeconds(30));
    assertFalse(isInOffice(), "it has not told yet what it has");
    node.says(2, node.asHere(collected()));
    assertTrue(isInOffice());
    assertTrue(controller.answers().stream().anyMatch(it -> it.rc() == Rc.OK));

    node.here(true, 1);
    assertTrue(isInOffice(), "it was read");
  }

  @Test
  void itGoesOnWhereTheOtherDoesNotComeBack() {
    node.here(true, 1, 2);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(21));
    assertTrue(isInOffice());

    node.here(true, 1, 2);
    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice(), "it was in office as the other one came, which follows it");
  }

  @Test
  void eachReturnOfTheOtherIsWaitedForAnew() {
    node.here(true, 1, 2);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(15));
    node.here(true, 1, 2);
    node.here(true, 1);
    node.pass(Duration.ofSeconds(15));
    assertFalse(isInOffice());
    node.pass(Duration.ofSeconds(6));
    assertTrue(isInOffice());
  }

  @Test
  void whoFollowsItTakesOverAtOnce() {
    node.here(true, 1, 2).follow(2, 99);
    node.here(true, 1);
    takesOver();
    assertTrue(isInOffice());
  }

  @Test
  void whoFollowedItUntilItEndedInGoodOrderTakesOverAtOnce() {
    node.here(true, 1, 2).follow(2, 99);
    node.groupIs(1);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice());
  }

  @Test
  void whoFollowedItUntilTheLinkWasLostTakesOverAtOnce() {
    node.here(true, 1, 2).follow(2, 99);
    node.linkLost();
    node.pass(Duration.ofSeconds(5));
    node.here(true, 1);
    takesOver();
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice());
  }

  @Test
  void whoWasNeverSeenIsNotWaitedFor() {
    node.here(true, 1);
    takesOver();
    assertTrue(isInOffice());
  }

  @Test
  void withoutQuorumNobodyIsWaitedFor() {
    node.here(true, 1, 2);
    takesOver();
    node.here(false, 1);
    assertTrue(node.cibd.primary().isPrimary());
    assertFalse(isInOffice());
    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertFalse(isInOffice(), "it has quorum now, and has not read the other one's");
    node.pass(Duration.ofSeconds(21));
    assertTrue(isInOffice());
  }
}
