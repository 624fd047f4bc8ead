package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// Changes that a follower is asked for: each reaches the primary, whichever node that is, and is
/// carried out once.
final class RequestsTest {
  private static final long FIRST = 3L << 32 | 2;
  private static final long SECOND = 4L << 32 | 3;
  private static final long THIRD = 5L << 32 | 2;

  private final CibdInTest node = new CibdInTest().here(true, 1, 2, 3).follow(2, FIRST);
  private final CibdInTest.Client client = node.client();

  private List<String> asked(int primary) {
    return node.sent().stream()
        .filter(it -> it.to() == primary)
        .map(it -> it.message() instanceof CibPeerMessage.Forward ask ? ask.id() : "")
        .filter(it -> !it.isEmpty())
        .toList();
  }

  private void done(int primary, long term, String id, Rc rc, long sequence) {
    var version = CibVersion.of(node.cibd.copy().cib());
    node.says(primary, new CibPeerMessage.Outcome(id, rc, "", null, version, term, sequence));
  }

  private List<Rc> answered() {
    return client.answers().stream().map(it -> it.rc()).toList();
  }

  /// Node 2, the primary, is gone and node 3 takes over; later node 2 again.
  private void secondTakesOver() {
    node.here(true, 1, 3).follow(3, SECOND);
  }

  private void thirdTakesOver() {
    node.here(true, 1, 2).follow(2, THIRD);
  }

  @Test
  void theyGoToThePrimaryInOrderAndTheAnswersComeBack() {
    client.update(CibdInTest.status("1")).update(CibdInTest.status("2"));
    var ids = asked(2);
    assertEquals(2, ids.size());

    done(2, FIRST, ids.getFirst(), Rc.OK, 0);
    done(2, FIRST, ids.getLast(), Rc.EACCES, 0);

    assertEquals(List.of(Rc.OK, Rc.EACCES), answered());
  }

  /// The copy of a node that was restarted has none, though it may be the newest.
  @Test
  void aPrimaryToBeIsNotToldOfChangesOfTheStatusThatAreMade() {
    client.update(CibdInTest.status("1")).update(CibdInTest.option("x"));
    var ids = asked(2);
    ids.forEach(node.cibd.copy()::note);
    node.says(3, new CibPeerMessage.Collect(SECOND, 6));
    assertEquals(List.of(ids.getLast()), node.sent(CibPeerMessage.Position.class).getLast().made());
  }

  @Test
  void anAnswerWaitsUntilThisNodesCopyHasTheChange() {
    client.update(CibdInTest.status("1"));

    done(2, FIRST, asked(2).getFirst(), Rc.OK, 1);
    assertEquals(List.of(), answered());
    var copy = node.cibd.copy();
    node.says(2, new CibPeerMessage.Announce(FIRST, 5, true, 1, copy.line(), copy.hash()));

    assertEquals(List.of(Rc.OK), answered());
  }

  /// A primary that was cut off made a change of the status alone and answered it as its stay ended; the copy that went on
  /// was without it, and the client, which had been told that it is made, did not find it (life 500194).
  @Test
  void theAnswerOfAnEarlierPrimaryDoesNotCountOnceThereIsAnother() {
    client.update(CibdInTest.status("1")).update(CibdInTest.status("2"));
    var ids = asked(2);
    done(2, FIRST, ids.getFirst(), Rc.OK, 1);

    node.says(2, new CibPeerMessage.Resign(FIRST)).follow(3, SECOND);
    done(2, FIRST, ids.getLast(), Rc.NO_QUORUM, 0);
    assertEquals(List.of(), answered());
    assertEquals(ids, asked(3));

    done(3, SECOND, ids.getFirst(), Rc.OK, 0);
    done(3, SECOND, ids.getLast(), Rc.OK, 0);
    assertEquals(List.of(Rc.OK, Rc.OK), answered());
  }

  /// So it was where changes of the next primary came before its whole copy: with the first of them the former answer counted.
  @Test
  void norDoesItWithTheChangesThatCameBeforeTheWhole() {
    client.update(CibdInTest.status("1"));
    var ids = asked(2);
    done(2, FIRST, ids.getFirst(), Rc.OK, 1);
    node.says(2, new CibPeerMessage.Resign(FIRST));

    var copy = node.cibd.copy();
    var line = copy.line().taken(true, SECOND);
    var before = copy.cib().with("epoch", "9");
    var after = copy.cib().with("epoch", "10");
    node.says(3, new CibPeerMessage.Announce(SECOND, 5, true, 0, line, copy.hash() + 1));
    node.says(
        3,
        new CibPeerMessage.Change(
            SECOND,
            1,
            XmlText.of(CibPatch.exact(before, after)),
            before.contentHash(),
            after.contentHash(),
            line.next(true, SECOND, true),
            true,
            List.of()));
    node.says(3, new CibPeerMessage.Whole(SECOND, 0, line, List.of(), XmlWriter.compact(before), List.of()));

    assertEquals(after, copy.cib());
    assertEquals(List.of(), answered());
    assertEquals(ids, asked(3));
  }

  @Test
  void withoutAPrimaryTheyWaitForOneUntilTheirTimeout() {
    node.here(true, 1, 3);

    client.ask(new CibMessage.Update(List.of(CibdInTest.status("1")), false, "", "test", 5_000));
    node.pass(Duration.ofSeconds(4));
    assertEquals(List.of(), answered());
    node.pass(Duration.ofSeconds(2));

    assertEquals(List.of(Rc.NO_DC), answered());
  }

  /// A client's later change overtook its earlier one, which nobody had been there to take: a node that had just come said
  /// that an operation has begun after it had said how it ended.
  @Test
  void theyStayInOrderWhileThePrimarysCopyIsOnItsWay() {
    node.here(true, 1, 3);
    client.update(CibdInTest.status("1"));
    var copy = node.cibd.copy();
    node.says(3, new CibPeerMessage.Announce(SECOND, 5, true, 4, copy.line(), copy.hash() + 1));
    var other = node.client().update(CibdInTest.status("2"));
    client.update(CibdInTest.status("3"));
    assertEquals(1, asked(3).size(), "another client's need not wait");

    var whole = XmlWriter.compact(copy.cib().with("epoch", "9"));
    node.says(3, new CibPeerMessage.Whole(SECOND, 4, copy.line(), List.of(), whole, List.of()));
    var ids = asked(3);
    assertEquals(2, ids.size());
    assertEquals(ids.stream().sorted().toList(), ids);
    done(3, SECOND, ids.getFirst(), Rc.OK, 4);
    assertEquals(List.of(Rc.OK), answered());
    assertEquals(List.of(), other.answers());
  }

  @Test
  void thoseALostPrimaryHadGoToTheNextOneByOneAndBeforeAllOthers() {
    client.update(CibdInTest.status("1")).update(CibdInTest.status("2"));
    var ids = asked(2);
    node.here(true, 1, 3);
    client.update(CibdInTest.status("3"));

    secondTakesOver();
    assertEquals(List.of(ids.getFirst()), asked(3));
    done(3, SECOND, ids.getFirst(), Rc.OK, 0);
    assertEquals(List.of(ids.getLast()), asked(3));
    done(3, SECOND, ids.getLast(), Rc.OK, 0);

    assertEquals(1, asked(3).size(), "then the one that no primary had");
    assertEquals(List.of(Rc.OK, Rc.OK), answered());
  }

  @Test
  void whileOneIsSuspectedOnlyItsClientWaits() {
    client.update(CibdInTest.status("1"));
    node.client().update(CibdInTest.status("2"));
    var ids = asked(2);
    node.here(true, 1, 3);
    var other = node.client().update(CibdInTest.status("3"));
    client.update(CibdInTest.status("4"));
    secondTakesOver();
    other.update(CibdInTest.status("5"));
    client.update(CibdInTest.status("6"));

    var sent = asked(3);
    assertEquals(3, sent.size(), "one suspect, and both requests of the client that has none");
    assertEquals(ids.getFirst(), sent.getFirst());
    done(3, SECOND, sent.get(1), Rc.OK, 0);
    assertEquals(List.of(Rc.OK), other.answers().stream().map(it -> it.rc()).toList());
    done(3, SECOND, ids.getFirst(), Rc.OK, 0);
    assertEquals(3, asked(3).size(), "the next suspect, and the rest of the first client");
  }

  @Test
  void aPrimaryThatGoesOnForFiveSecondsHasProvenASuspectInnocentButNotForEver() {
    client.update(CibdInTest.status("1"));
    node.client().update(CibdInTest.status("2"));
    var ids = asked(2);
    secondTakesOver();
    assertEquals(List.of(ids.getFirst()), asked(3));

    node.pass(Duration.ofMillis(4_900));
    assertEquals(List.of(), asked(3));
    node.pass(Duration.ofMillis(200));
    assertEquals(List.of(ids.getLast()), asked(3));
    assertEquals(List.of(), answered());

    thirdTakesOver();
    assertEquals(List.of(Rc.UNDETERMINED), answered(), "two primaries were lost that had it");
  }

  @Test
  void aGuestMayHaveSomeRequestsWaitAndLeavesRoomForOthers() {
    var guest = node.guest();
    for (var i = 0; i < 501; i++) {
      guest.update(CibdInTest.status("1"));
    }
    node.pass(Duration.ofMillis(1));
    client.update(CibdInTest.status("2"));

    assertEquals(List.of(Rc.EBUSY), guest.answers().stream().map(it -> it.rc()).toList());
    assertEquals(501, asked(2).size());
    assertEquals(List.of(), answered());
  }

  @Test
  void oneTooLargeForAMessageIsRefusedWithItsSize() {
    var large = CibOp.put("status", Element.of("node_state", "id", "x".repeat(41 << 20)));
    client.update(large);

    var answer = client.answers().getFirst();
    assertEquals(Rc.E2BIG, answer.rc());
    assertTrue(answer.why().startsWith("a request has at most 41,943,040 bytes, this"), answer::why);
  }

  @Test
  void oneThatLosesTwoPrimariesIsNotTriedAgainAndTheOthersGoOn() {
    client.update(CibdInTest.status("1")).update(CibdInTest.status("2"));
    var ids = asked(2);
    secondTakesOver();
    assertEquals(List.of(ids.getFirst()), asked(3));

    thirdTakesOver();

    assertEquals(List.of(Rc.UNDETERMINED), answered());
    assertEquals(List.of(ids.getLast()), asked(2));
    done(2, THIRD, ids.getLast(), Rc.OK, 0);
    assertEquals(List.of(Rc.OK), answered());
    assertTrue(
        node.world.lines().stream().anyMatch(it -> it.contains("Two primaries in a row are gone")),
        node.world.lines()::toString);
  }

  @Test
  void aPrimaryThatResignsMakesNoRequestSuspect() {
    client.update(CibdInTest.status("1")).update(CibdInTest.status("2"));
    var ids = asked(2);

    node.says(2, new CibPeerMessage.Resign(FIRST)).follow(3, SECOND);

    assertEquals(ids, asked(3), "both go at once");
  }

  @Test
  void theEndOfASuspectLetsTheNextGoEvenIfThePrimaryNeverAnswers() {
    client.ask(new CibMessage.Update(List.of(CibdInTest.status("1")), false, "", "test", 5_000));
    var other = node.client().update(CibdInTest.status("2"));
    var ids = asked(2);
    secondTakesOver();
    assertEquals(List.of(ids.getFirst()), asked(3));

    node.pass(Duration.ofSeconds(6));

    assertEquals(List.of(Rc.ETIME), answered());
    assertEquals(List.of(ids.getLast()), asked(3));
    assertEquals(List.of(), other.answers());
  }

  @Test
  void aClientThatLeavesTakesItsPlaceInTheQueueWithIt() {
    client.update(CibdInTest.status("1"));
    node.client().update(CibdInTest.status("2"));
    var ids = asked(2);
    secondTakesOver();
    assertEquals(List.of(ids.getFirst()), asked(3));

    client.leave();

    assertEquals(List.of(ids.getLast()), asked(3));
  }
}
