package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Terms;
import org.systole.common.values.NodeId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// A takeover in which nodes come and go, do not answer, or have other copies.
final class PrimaryTakeoverTest {
  private CibdInTest node = new CibdInTest();
  private CibdInTest.Client controller;

  /// Begins a takeover.
  ///
  /// @return its term
  private long takesOver() {
    controller = node.client().ask(new CibMessage.SetPrimary(5));
    return collecting();
  }

  private long collecting() {
    return node.sent(CibPeerMessage.Collect.class).getLast().term();
  }

  private boolean isPrimary() {
    return node.cibd.primary().isPrimary();
  }

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }

  /// A copy at the same position in the history as this node's, with another content.
  private CibPeerMessage.Position other(long term, boolean live, Element cib) {
    var copy = node.cibd.copy();
    return new CibPeerMessage.Position(
        term, copy.line(), copy.history(), live, CibVersion.of(cib), cib.contentHash());
  }

  private Element cib(String epoch) {
    return node.cibd.copy().cib().with("epoch", epoch);
  }

  /// The node from which it fetches the newest copy, 0 if none.
  private int asked() {
    return node.sent().stream()
        .filter(it -> it.message() instanceof CibPeerMessage.AskWhole)
        .mapToInt(CibdInTest.Sent::to)
        .findFirst()
        .orElse(0);
  }

  private CibPeerMessage.Whole whole(long term, String xml) {
    var copy = node.cibd.copy();
    return new CibPeerMessage.Whole(term, 0, copy.line(), copy.history(), xml, List.of());
  }

  // Which nodes take part

  @Test
  void aNodeThatComesDuringATakeoverIsAskedAndWaitedFor() {
    node.here(true, 1, 2);
    var term = takesOver();
    node.here(true, 1, 2, 3);
    assertEquals(
        List.of(new CibdInTest.Sent(3, new CibPeerMessage.Collect(term, 5))), node.sent());
    node.says(2, node.asHere(term));
    assertFalse(isPrimary());
    node.says(3, node.asHere(term));
    assertTrue(isPrimary());
  }

  @Test
  void aNodeThatLeavesDuringATakeoverIsNotWaitedForAndItsCopyDoesNotCount() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(3, other(term, true, cib("9")));
    node.here(true, 1, 2);
    assertFalse(isPrimary());
    node.says(2, node.asHere(term));
    assertTrue(isPrimary());
    assertEquals(0, asked());
  }

  @Test
  void theLastOneThatIsWaitedForMayGo() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, node.asHere(term));
    node.here(true, 1, 2);
    assertTrue(isPrimary());
    assertTrue(node.cibd.primary().isEstablished());
  }

  @Test
  void aMinorityThatAnswersIsNotEnoughHoweverLongItTakes() {
    node.here(true, 1, 2, 3);
    takesOver();
    node.pass(seconds(30));
    assertFalse(isPrimary());
    assertEquals(List.of(), controller.answers());
    node.sent();
    node.pass(seconds(1));
    assertEquals(2, node.sent(CibPeerMessage.Collect.class).size(), "both are still asked");
  }

  @Test
  void withoutQuorumTheNodesThatAnswerAreEnoughAfterTenSeconds() {
    node.here(false, 1, 2);
    takesOver();
    node.pass(seconds(10));
    assertFalse(isPrimary());
    node.pass(seconds(1));
    assertTrue(isPrimary());
    assertFalse(node.cibd.primary().isEstablished());
  }

  @Test
  void aNodeThatWasOutOfTheGroupBeginsItsTakeoverAgain() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.here(true, 2, 3);
    node.here(true, 1, 2, 3);
    assertTrue(collecting() > term);
  }

  @Test
  void aTakeoverThatBeginsOutsideTheGroupGoesOnInside() {
    controller = node.client().ask(new CibMessage.SetPrimary(5));
    node.pass(seconds(20));
    assertEquals(List.of(), node.sent(CibPeerMessage.Collect.class));
    node.here(true, 1, 2, 3);
    var term = collecting();
    node.says(2, node.asHere(term)).says(3, node.asHere(term));
    assertEquals(1, controller.answers().size());
  }

  @Test
  void theAnswerToAnEarlierTakeoverDoesNotCount() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(3, new CibPeerMessage.Refuse(term, term + (4L << 32), false));
    var again = collecting();
    node.says(2, node.asHere(term)).says(3, node.asHere(term));
    assertFalse(isPrimary());
    node.says(3, new CibPeerMessage.Refuse(term, again + (9L << 32), true)); // too late as well
    assertTrue(node.cibd.primary().isActive());
    assertEquals(List.of(), node.sent(CibPeerMessage.Collect.class));
    node.says(2, node.asHere(again)).says(3, node.asHere(again));
    assertTrue(isPrimary());
  }

  @Test
  void positionsAreAskedForAgainInTheNextTakeover() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, node.asHere(term));
    node.says(3, new CibPeerMessage.Refuse(term, term + (4L << 32), false));
    var again = collecting();
    node.says(3, node.asHere(again));
    assertFalse(isPrimary(), "node 2 may have promised itself to another meanwhile");
    node.says(2, node.asHere(again));
    assertTrue(isPrimary());
  }

  // Which copy is chosen

  @Test
  void atEqualPositionsTheCopyWithTheStatusIsChosen() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    var same = node.cibd.copy().cib().with("have-quorum", "1");
    node.says(2, node.asHere(term)).says(3, other(term, true, same));
    assertEquals(3, asked());
    assertFalse(isPrimary());
  }

  @Test
  void atEqualPositionsTheLaterVersionIsChosen() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, false, cib("8"))).says(3, other(term, false, cib("9")));
    assertEquals(3, asked());
  }

  @Test
  void aLaterPositionInTheHistoryGoesBeforeALaterVersion() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    var line = node.cibd.copy().line().taken(true, 1L << 32 | 2);
    node.says(
        2,
        new CibPeerMessage.Position(
            term,
            line,
            line.appendTo(List.of()),
            false,
            CibVersion.of(cib("2")),
            cib("2").contentHash()));
    node.says(3, other(term, true, cib("9")));
    assertEquals(2, asked());
  }

  @Test
  void ofTwoNodesThatWentOnApartTheOneThatWasNotRestartedIsRight() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2).follow(2, 3L << 32 | 2); // it was not restarted, so its copy is live
    node.here(true, 1);
    var term = takesOver();
    assertTrue(isPrimary());
    assertTrue(term > 3L << 32);
    node.client().ask(new CibMessage.SetSecondary());
    node.here(true, 1, 2);
    term = takesOver();
    // node 3 went on by itself, and further, before it was fenced
    var apart = new Line(9L << 32 | 2, 99, 0, 0, false);
    node.says(
        2,
        new CibPeerMessage.Position(
            term,
            apart,
            apart.appendTo(List.of(new Line.Span(3L << 32 | 2, 1))),
            false,
            CibVersion.of(cib("9")),
            cib("9").contentHash()));
    assertEquals(0, asked(), "its own copy is taken");
    assertTrue(isPrimary());
  }

  /// The primary goes on by itself, and further than the other one, and is restarted.
  private void goesOnAndIsRestarted() {
    node.client().update(CibdInTest.option("a"));
    node.client().ask(new CibMessage.SetSecondary());
    node.pass(seconds(5));
    node = new CibdInTest(2, node.world.disk().files());
  }

  private void assertTheOtherIsRight(long term) {
    var apart = new Line(3L << 32 | 2, 2, 0, 0, false);
    node.says(
        2,
        new CibPeerMessage.Position(
            term,
            apart,
            apart.appendTo(List.of()),
            true,
            CibVersion.of(cib("0")),
            cib("0").contentHash()));
    assertEquals(2, asked());
  }

  @Test
  void ofTwoNodesThatWentOnApartTheOtherIsRightIfThisOneWasRestarted() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2).follow(2, 3L << 32 | 2);
    node.here(true, 1);
    takesOver();
    assertTrue(isPrimary());
    goesOnAndIsRestarted();
    node.here(true, 1, 2);
    var term = takesOver();
    assertTheOtherIsRight(term);
  }

  @Test
  void ofTwoNodesThatWentOnApartOneThatWaitedAloneForTheOtherSinceItWasRestartedIsWrong() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2).follow(2, 3L << 32 | 2);
    node.here(true, 1);
    takesOver();
    goesOnAndIsRestarted();
    node.here(false, 1);
    takesOver();
    assertTrue(isPrimary(), "without quorum");
    node.here(true, 1, 2);
    var term = takesOver();
    assertTheOtherIsRight(term);
  }

  @Test
  void aloneOfTwoNodesItBeginsLaterTermsForSomeMinutes() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2).follow(2, 3L << 32 | 2);
    node.here(true, 1);
    takesOver();
    assertTrue(isPrimary());
    var first = node.cibd.copy().line().term();
    node.pass(seconds(25));
    assertTrue(isPrimary());
    var second = node.cibd.copy().line().term();
    assertTrue(second >= Terms.after(first, 16), first + " then " + second);
    node.pass(seconds(1000));
    var last = node.cibd.copy().line().term();
    assertTrue(last >= Terms.after(first, 5 * 16), first + " then " + last);
    node.pass(seconds(10_000));
    assertEquals(last, node.cibd.copy().line().term(), "it is enough");
  }

  @Test
  void aloneOfThreeNodesItHasNoOtherToOutlast() {
    node.here(true, 1, 2, 3).follow(2, 3L << 32 | 2);
    node.here(true, 1);
    takesOver();
    var first = node.cibd.copy().line().term();
    node.pass(seconds(1000));
    assertEquals(first, node.cibd.copy().line().term());
  }

  @Test
  void ofTwoNodesOfOneLineTheNewerCopyIsTakenThoughItIsNotLive() {
    node = new CibdInTest(2, Map.of());
    node.here(true, 1, 2).follow(2, 3L << 32 | 2);
    var term = takesOver();
    node.says(2, new CibPeerMessage.Resign(3L << 32 | 2));
    var line = node.cibd.copy().line().next(true, 3L << 32 | 2, true);
    node.says(
        2,
        new CibPeerMessage.Position(
            term,
            line,
            line.appendTo(node.cibd.copy().history()),
            false,
            CibVersion.of(cib("9")),
            cib("9").contentHash()));
    assertEquals(2, asked());
  }

  // Fetching it

  @Test
  void whileACopyIsFetchedNothingElseIsAskedFor() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, true, cib("9"))).says(3, other(term, true, cib("9")));
    node.sent();
    node.pass(seconds(5));
    node.says(3, other(term, true, cib("10")));
    assertEquals(List.of(), node.sent());
  }

  @Test
  void onlyACopyOfThisTermFromTheNodeThatWasAskedIsTaken() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, true, cib("9"))).says(3, node.asHere(term));
    var xml = XmlWriter.compact(cib("9"));
    node.says(3, whole(term, xml)).says(2, whole(term - 1, xml));
    assertFalse(isPrimary());
    node.says(2, whole(term, xml));
    assertTrue(isPrimary());
    assertEquals("9", node.cibd.copy().cib().get("epoch"));
    node.says(2, whole(term, XmlWriter.compact(cib("7"))));
    assertEquals("9", node.cibd.copy().cib().get("epoch"), "it comes once");
  }

  @Test
  void aCopyThatIsNoXmlIsAskedForAgain() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, true, cib("9"))).says(3, node.asHere(term));
    node.sent();
    node.says(2, whole(term, "<cib"));
    assertFalse(isPrimary());
    node.pass(seconds(12));
    assertEquals(2, asked());
  }

  @Test
  void aTakeoverBeginsAgainIfTheNodeAskedForItsCopyIsLost() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, true, cib("9"))).says(3, node.asHere(term));
    node.sent();
    node.here(true, 1, 3);
    assertTrue(collecting() > term);
  }

  @Test
  void aTakeoverBeginsAgainIfTheCopyDoesNotComeInTenSeconds() {
    node.pass(seconds(60));
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, other(term, true, cib("9"))).says(3, node.asHere(term));
    node.sent();
    node.pass(seconds(10));
    assertEquals(List.of(), node.sent(CibPeerMessage.Collect.class));
    node.pass(seconds(1));
    assertTrue(collecting() > term);
  }

  // Two at a time

  @Test
  void ofTwoTakeoversTheOneOfTheLaterDcGoesOn() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    var theirs = term + (1L << 32) + 1;
    node.says(2, new CibPeerMessage.Collect(theirs, 4));
    var sent = node.sent();
    assertEquals(2, sent.getFirst().to());
    var refusal = (CibPeerMessage.Refuse) sent.getFirst().message();
    assertTrue(refusal.primaryHere());
    assertEquals(1, sent.size(), "it is not the primary yet, and does not say so");
    assertTrue(node.cibd.primary().isActive());

    node.says(2, new CibPeerMessage.Collect(theirs, 6));
    assertFalse(node.cibd.primary().isActive());
    assertEquals(theirs, node.sent(CibPeerMessage.Position.class).getLast().term());
  }

  @Test
  void aTakeoverOfAnEarlierDcIsRefusedByThePrimary() {
    node.primary();
    node.says(2, new CibPeerMessage.Collect(node.cibd.primary().term() + (1L << 32), 4));
    var sent = node.sent();
    assertTrue(((CibPeerMessage.Refuse) sent.getFirst().message()).primaryHere());
    assertTrue(sent.getLast().message() instanceof CibPeerMessage.Announce);
    assertEquals(2, sent.getLast().to());
    assertTrue(isPrimary());
  }

  @Test
  void aPrimaryThatSteppedDownTriesAgainIfTheOtherGivesUp() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    node.says(2, node.asHere(term));
    node.says(3, new CibPeerMessage.Collect(term + (1L << 32) + 2, 6));
    node.says(3, node.asHere(term));
    assertFalse(node.cibd.primary().isActive(), "answers to the given-up takeover do not count");
    node.sent();
    node.pass(Duration.ofMillis(1_900));
    assertFalse(node.cibd.primary().isActive());
    node.pass(Duration.ofMillis(200));
    assertTrue(collecting() > term + (1L << 32) + 2);
  }

  @Test
  void aPrimaryThatSteppedDownForAnotherLeavesItAlone() {
    node.here(true, 1, 2, 3);
    var term = takesOver();
    var copy = node.cibd.copy();
    var theirs = term + (1L << 32) + 2;
    node.says(3, new CibPeerMessage.Collect(theirs, 6));
    node.says(
        3,
        new CibPeerMessage.Announce(
            theirs, 6, true, 0, copy.line().taken(true, theirs), copy.hash()));
    node.sent();
    node.pass(seconds(5));
    assertEquals(List.of(), node.sent(CibPeerMessage.Collect.class));
    assertEquals(new NodeId(3), node.cibd.follower().primaryId());
  }
}
