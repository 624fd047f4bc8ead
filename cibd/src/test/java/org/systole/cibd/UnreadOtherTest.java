package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
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

  @Test
  void whileQuorumIsLostTheWaitGoesOnAndNothingIsSaidOfIt() {
    node.here(true, 1, 2);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(5));
    node.here(false, 1);
    node.pass(Duration.ofSeconds(2));
    assertTrue(node.cibd.primary().isPrimary(), "without quorum nobody is waited for");
    node.pass(Duration.ofSeconds(20));
    assertEquals(List.of(), said("Going on"));

    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice(), "it was waited for long enough");
    assertEquals(1, said("Going on").size());
  }

  @Test
  void thatANodeDoesNotAnswerIsNotSaidWhereNobodyIsAsked() {
    node.here(true, 1, 2);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(21));
    assertTrue(isInOffice());
    assertEquals(List.of(), said("do not answer"));
  }

  /// As its controller ends, on a node that is stopped: its CIB manager ends a moment later.
  @Test
  void whoFollowedItUntilItGaveUpItsOfficeTakesOverAtOnce() {
    node.here(true, 1, 2).follow(2, 99);
    node.says(2, new CibPeerMessage.Resign(99));
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice());
  }

  /// While both are members neither confirms anything alone.
  @Test
  void whatWasReadCountsWhenOnlyItsManagerIsStartedAgain() {
    node.here(true, 1, 2).follow(2, 99);
    node.groupIs(1).groupIs(1, 2);
    takesOver();
    node.here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice());
  }

  @Test
  void whoHasReadItInATakeoverWithoutQuorumGoesOnAtOnce() {
    node.here(false, 1, 2);
    takesOver();
    node.says(2, node.asHere(collected()));
    node.here(false, 1).here(true, 1);
    node.pass(Duration.ofSeconds(1));
    assertTrue(isInOffice());
  }

  /// What is known of the other one outlives the CIB manager.
  @Test
  void aManagerThatIsStartedWhileItWaitsWaits() {
    node.here(true, 1, 2);
    node.here(true, 1);
    var next = node.again();
    next.alone(2);
    next.client().ask(new CibMessage.SetPrimary(6));
    next.pass(Duration.ofSeconds(19));
    assertFalse(next.cibd.primary().isEstablished(), "the other one was here, and nobody has read what it had");
    next.pass(Duration.ofSeconds(2));
    assertTrue(next.cibd.primary().isEstablished());
    goesOnAtOnce(next.again().alone(2));
    waits(next.again().alone(4));
  }

  @Test
  void aManagerThatIsStartedAgainWhereNothingWasToBeReadGoesOnAtOnce() {
    node.here(true, 1, 2).follow(2, 99);
    goesOnAtOnce(node.again().here(true, 1, 2).alone(3));
    node.alone(3);
    goesOnAtOnce(node.again().alone(3));
    waits(node.again().alone(5));
    goesOnAtOnce(node.again().here(true, 1));
  }

  private static void goesOnAtOnce(CibdInTest node) {
    node.client().ask(new CibMessage.SetPrimary(6));
    assertTrue(node.cibd.primary().isEstablished());
  }

  private static void waits(CibdInTest node) {
    node.client().ask(new CibMessage.SetPrimary(6));
    node.pass(Duration.ofSeconds(10));
    assertFalse(node.cibd.primary().isEstablished());
  }

  private List<String> said(String part) {
    return node.world.lines().stream().filter(it -> it.contains(part)).toList();
  }
}
