package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;

/// A primary in office: nodes that come and go, what it announces, and how its term ends.
final class PrimaryInOfficeTest {
  private final CibdInTest node = new CibdInTest();

  private static Duration seconds(int count) {
    return Duration.ofSeconds(count);
  }

  private boolean isPrimary() {
    return node.cibd.primary().isPrimary();
  }

  private List<Rc> codes(CibdInTest.Client client) {
    return client.answers().stream().map(CibMessage.Answer::rc).toList();
  }

  private CibPeerMessage.Announce claim(long term, long epoch) {
    var copy = node.cibd.copy();
    return new CibPeerMessage.Announce(
        term, epoch, true, 0, copy.line().taken(true, term), copy.hash());
  }

  // The controller

  @Test
  void theControllerMayAskAgainAndIsAnsweredAtOnce() {
    node.primary();
    var term = node.cibd.primary().term();
    var controller = node.client().ask(new CibMessage.SetPrimary(7));
    assertEquals(List.of(Rc.OK), codes(controller));
    var told = node.sent(CibPeerMessage.Announce.class);
    assertEquals(1, told.size());
    assertEquals(7, told.getFirst().epoch(), "the later DC's");
    assertEquals(term, told.getFirst().term(), "there is no new takeover");
    assertEquals(List.of(), node.sent(CibPeerMessage.Collect.class));
  }

  @Test
  void aPrimaryWithoutQuorumThatIsAskedAgainTakesOverAgain() {
    node.here(false, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    assertTrue(isPrimary());
    node.sent();
    node.client().ask(new CibMessage.SetPrimary(6));
    assertEquals(1, node.sent(CibPeerMessage.Collect.class).size());
  }

  @Test
  void theWithdrawalByItsControllerIsToldToAll() {
    node.primary();
    var term = node.cibd.primary().term();
    node.client().ask(new CibMessage.SetSecondary());
    assertFalse(node.cibd.primary().isActive());
    assertNull(node.cibd.follower().primaryId());
    assertEquals(
        List.of(new CibdInTest.Sent(0, new CibPeerMessage.Resign(term))), node.sent());
    node.pass(seconds(30));
    assertEquals(List.of(), node.sent(), "it neither announces itself nor takes over");
  }

  @Test
  void aWithdrawnTakeoverIsAnswered() {
    node.here(true, 1, 2, 3);
    var controller = node.client().ask(new CibMessage.SetPrimary(5));
    node.client().ask(new CibMessage.SetSecondary());
    assertEquals(List.of(Rc.ECANCELED), codes(controller));
    node.here(true, 1, 2);
    assertFalse(node.cibd.primary().isActive());
  }

  @Test
  void aWithdrawalOnANodeThatIsNotThePrimaryDoesNothing() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetSecondary());
    assertEquals(List.of(), node.sent());
  }

  @Test
  void withoutItsControllerItGoesOnUntilAnotherNodeTakesOver() {
    node.here(true, 1, 2, 3);
    var controller = node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term)).says(3, node.asHere(term));
    controller.leave();
    assertTrue(isPrimary());
    var client = node.client().update(CibdInTest.status("1"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), 0));
    assertEquals(List.of(Rc.OK), codes(client));

    node.says(3, claim(term + (1L << 32) + 2, 4)); // of an earlier DC
    assertFalse(node.cibd.primary().isActive());
    assertEquals(new NodeId(3), node.cibd.follower().primaryId());
    node.says(3, new CibPeerMessage.Resign(term + (1L << 32) + 2));
    node.pass(seconds(5));
    assertFalse(node.cibd.primary().isActive(), "no controller asks it to");
  }

  @Test
  void theEndOfAnotherClientIsNotThatOfTheController() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term)).says(3, node.asHere(term));
    var other = node.client();
    other.update(CibdInTest.status("1"));
    other.leave();
    node.says(3, claim(term + (1L << 32) + 2, 4));
    assertTrue(isPrimary());
  }

  // Nodes that come and go

  @Test
  void aNodeThatComesToAnEstablishedPrimaryIsToldOfIt() {
    node.primary();
    var term = node.cibd.primary().term();
    node.here(true, 1, 2);
    assertEquals(1, node.sent(CibPeerMessage.Announce.class).size()); // to those who are left, in their membership
    node.here(true, 1, 2, 3);
    assertEquals(
        List.of(term),
        node.sent(CibPeerMessage.Announce.class).stream().map(it -> it.term()).toList());
    assertTrue(isPrimary());
  }

  @Test
  void aNodeThatComesToAPrimaryWithoutQuorumMayHaveTheNewerCopy() {
    node.here(false, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.cibd.primary().term();
    node.sent();
    node.here(false, 1, 2);
    assertTrue(node.sent(CibPeerMessage.Collect.class).getLast().term() > term);
    assertFalse(isPrimary());
  }

  @Test
  void aPrimaryThatWasOutOfTheGroupTakesOverAgain() {
    node.primary();
    var term = node.cibd.primary().term();
    node.here(true, 2, 3);
    node.sent();
    node.here(true, 1, 2, 3);
    assertTrue(node.sent(CibPeerMessage.Collect.class).getLast().term() > term);
    assertFalse(isPrimary());
  }

  @Test
  void aChangeIsCommittedOnceTheMissingNodeIsNoLongerNeeded() {
    node.here(false, 1, 2);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term));
    var client = node.client().update(CibdInTest.status("1"));
    node.sent();
    assertEquals(List.of(), codes(client), "without quorum all members must hold it");
    node.here(false, 1);
    assertEquals(List.of(Rc.OK), codes(client));
  }

  @Test
  void aChangeCommittedAfterItsTimeoutIsNotAnswered() {
    node.primary();
    var term = node.cibd.primary().term();
    var update =
        new CibMessage.Update(List.of(CibdInTest.status("1")), false, "hacluster", "test", 2_000);
    node.says(2, new CibPeerMessage.Forward(term, "x.1", update, null));
    node.says(2, new CibPeerMessage.Forward(term, "x.2", update, null));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.pass(Duration.ofMillis(2_001));
    node.says(3, new CibPeerMessage.Ack(term, change.sequence() - 1, 0));
    node.says(3, new CibPeerMessage.Ack(term, change.sequence(), 0));
    assertEquals(List.of(), node.sent(CibPeerMessage.Outcome.class));
  }

  // What it announces

  @Test
  void thePrimaryAnnouncesItselfEveryTenSeconds() {
    node.primary();
    node.sent();
    node.pass(Duration.ofMillis(9_999));
    assertEquals(List.of(), node.sent(CibPeerMessage.Announce.class));
    node.client().update(CibdInTest.status("1"));
    node.pass(seconds(1));
    var told = node.sent(CibPeerMessage.Announce.class);
    assertEquals(1, told.size());
    assertEquals(1, told.getFirst().sequence());
    assertEquals(node.cibd.copy().hash(), told.getFirst().hash());
    node.pass(seconds(20));
    assertEquals(2, node.sent(CibPeerMessage.Announce.class).size());
  }

  @Test
  void aNodeThatIsPrimaryAgainAnnouncesItselfNoMoreOften() {
    node.primary();
    node.pass(seconds(5));
    node.client().ask(new CibMessage.SetSecondary());
    node.primary();
    node.sent();
    node.pass(seconds(20));
    assertEquals(2, node.sent(CibPeerMessage.Announce.class).size());
  }

  @Test
  void aFollowerThatMissedAChangeIsSentTheWholeWithItsRequests() {
    node.primary();
    var term = node.cibd.primary().term();
    node.client().update(CibdInTest.status("1"));
    node.sent();
    node.says(3, new CibPeerMessage.AskWhole(term));
    var whole = node.sent(CibPeerMessage.Whole.class).getLast();
    assertEquals(1, whole.sequence());
    assertEquals(1, whole.done().size());
    node.says(3, new CibPeerMessage.AskWhole(term - 1));
    assertEquals(List.of(), node.sent());
  }

  // Its end

  @Test
  void changesAreNotConfirmedAfterAnotherPrimaryTookOver() {
    node.primary();
    var term = node.cibd.primary().term();
    node.client().update(CibdInTest.status("1"));
    var update =
        new CibMessage.Update(List.of(CibdInTest.status("2")), false, "hacluster", "test", 60_000);
    node.says(2, new CibPeerMessage.Forward(term, "x.1", update, null));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.says(3, claim(term + (1L << 32) + 2, 6));
    node.sent();
    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), change.sequence()));
    assertEquals(List.of(), node.sent(CibPeerMessage.Outcome.class));
  }

  @Test
  void nothingOfAnEarlierTermIsLeftInANewOne() {
    node.primary();
    var old = node.cibd.primary().term();
    var client = node.client().update(CibdInTest.status("1"));
    node.says(2, new CibPeerMessage.Ack(old, 7, 7)); // far ahead
    codes(client);
    node.says(3, new CibPeerMessage.Refuse(old, old, true));
    node.client().ask(new CibMessage.SetPrimary(6));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term)).says(3, node.asHere(term));
    assertTrue(isPrimary());
    var next = node.client().update(CibdInTest.option("a"));
    assertEquals(1, node.sent(CibPeerMessage.Change.class).getLast().sequence());
    assertEquals(List.of(), codes(next), "acknowledgements of the old term do not count");
  }

  @Test
  void aPrimaryThatLosesTheLinkTakesOverAgainWhenItIsBack() {
    node.primary();
    var term = node.cibd.primary().term();
    var client = node.client().update(CibdInTest.status("1"));
    node.sent();
    node.linkLost();
    assertFalse(node.cibd.primary().isActive());
    assertNull(node.cibd.follower().primaryId());
    assertEquals(List.of(), codes(client));
    node.pass(seconds(5));
    node.here(true, 1, 2, 3);
    var again = node.sent(CibPeerMessage.Collect.class).getLast().term();
    assertTrue(again > term);
    node.says(2, new CibPeerMessage.Ack(term, 1, 1));
    assertEquals(List.of(), codes(client));
  }

  @Test
  void theAppointedNodeTakesOverOnceThePrimaryIsGone() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    var theirs = term + (1L << 32) + 1;
    node.says(2, claim(theirs, 6));
    node.pass(seconds(5));
    node.sent();
    node.says(2, new CibPeerMessage.Resign(theirs));
    assertEquals(
        List.of(), node.sent(CibPeerMessage.Collect.class), "another node may be taking over");
    node.pass(Duration.ofMillis(200));
    assertTrue(node.sent(CibPeerMessage.Collect.class).getLast().term() > theirs);
  }
}
