package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// How a node becomes the primary, what it does then, and how that ends.
final class PrimaryTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final CibdInTest node = new CibdInTest();

  private long collecting() {
    return node.sent(CibPeerMessage.Collect.class).getLast().term();
  }

  @Test
  void aTakeoverConcludesOnceAllPositionsAreKnown() {
    node.here(true, 1, 2, 3);
    var controller = node.client().ask(new CibMessage.SetPrimary(5));
    var term = collecting();

    node.says(2, node.asHere(term));
    assertEquals(List.of(), node.sent(CibPeerMessage.Announce.class));
    node.says(3, node.asHere(term));

    var told = node.sent(CibPeerMessage.Announce.class).getLast();
    assertEquals(term, told.term());
    assertTrue(told.established());
    assertEquals(List.of(Rc.OK), controller.answers().stream().map(it -> it.rc()).toList());
  }

  @Test
  void aNodeThatDoesNotAnswerIsAskedAgainAndNotWaitedForWithoutEnd() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = collecting();
    node.says(2, node.asHere(term));

    node.pass(SECOND);
    var again = node.sent().stream().filter(it -> it.to() == 3).toList();
    assertEquals(1, again.size(), "only that node is asked again");
    node.pass(Duration.ofSeconds(11));

    assertTrue(node.sent(CibPeerMessage.Announce.class).getLast().established());
  }

  @Test
  void theNewestCopyIsFetchedFromTheNodeThatHasIt() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = collecting();
    var newer = Element.of("cib", "admin_epoch", "0", "epoch", "7", "num_updates", "0");
    var line = node.cibd.copy().line().taken(true, 1L << 32 | 2);
    var history = line.appendTo(node.cibd.copy().history());
    node.says(3, node.asHere(term));
    node.says(
        2,
        new CibPeerMessage.Position(
            term, line, history, true, CibVersion.of(newer), newer.contentHash()));

    var sent = node.sent();
    assertEquals(2, sent.getLast().to());
    assertEquals(new CibPeerMessage.AskWhole(term), sent.getLast().message());
    var xml = XmlWriter.compact(newer);
    node.says(2, new CibPeerMessage.Whole(term, 0, line, history, xml, List.of()));

    var told = node.sent(CibPeerMessage.Announce.class).getLast();
    assertEquals(newer.contentHash(), told.hash());
    assertEquals("7", node.cibd.copy().cib().get("epoch"));
  }

  @Test
  void aHigherPromiseElsewhereMakesItTryAgainAboveIt() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = collecting();
    var promised = 9L << 32 | 3;

    node.says(3, new CibPeerMessage.Refuse(term, promised, false));

    assertTrue(collecting() > promised);
  }

  @Test
  void ifAnotherNodeHasTheBetterClaimItStepsDownAndTriesLater() {
    node.here(true, 1, 2, 3);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = collecting();

    node.says(3, new CibPeerMessage.Refuse(term, 0, true));
    assertFalse(node.cibd.primary().isActive());
    node.pass(Duration.ofSeconds(3));

    assertTrue(node.cibd.primary().isActive());
  }

  @Test
  void withoutAQuorumOnlyAForcedChangeOfTheConfigurationIsMade() {
    node.here(false, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    node.sent();
    assertTrue(node.cibd.primary().isPrimary());
    var client = node.client();

    var before = node.cibd.copy().cib();
    client.update(CibdInTest.option("a"));
    assertEquals(Rc.NO_QUORUM, client.answers().getFirst().rc());
    assertEquals(before, node.cibd.copy().cib(), "what is refused is not done either");
    client.update(CibdInTest.status("1"));
    node.sent();
    assertEquals(Rc.OK, client.answers().getFirst().rc());
    var forced = List.of(CibdInTest.option("b"));
    client.ask(new CibMessage.Update(forced, true, "", "test", 1_000));
    node.sent();
    assertEquals(Rc.OK, client.answers().getFirst().rc());
    assertTrue(node.cibd.copy().line().left(), "and it has left the quorate line");
  }

  @Test
  void withoutAQuorumAPolicyThatIgnoresItLetsTheConfigurationBeChanged() {
    node.here(false, 1);
    node.client().ask(new CibMessage.SetPrimary(5));
    var client = node.client();
    var policy =
        CibOp.put(
            "crm_config",
            Element.builder("cluster_property_set")
                .attr("id", "o")
                .add(
                    Element.of(
                        "nvpair", "id", "o-q", "name", "no-quorum-policy", "value", "ignore"))
                .build());
    client.ask(new CibMessage.Update(List.of(policy), true, "", "test", 1_000));
    assertEquals(Rc.OK, client.answers().getFirst().rc());

    client.update(CibdInTest.option("a"));

    assertEquals(Rc.OK, client.answers().getFirst().rc());
  }

  @Test
  void aChangeFromBeforeALossOfQuorumIsNotCommittedWhenQuorumIsBack() {
    node.primary();
    var term = node.cibd.primary().term();
    var client = node.client().update(CibdInTest.status("1"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.here(false, 1, 2, 3).here(true, 1, 2, 3);

    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), change.sequence()));

    assertEquals(List.of(), client.answers(), "another primary may have been there meanwhile");
    node.pass(SECOND);
    assertTrue(collecting() > term);
  }

  @Test
  void aPrimaryThatWasOutOfTheMembershipTakesOverAgain() {
    node.primary();
    var term = node.cibd.primary().term();
    var client = node.client().update(CibdInTest.status("1"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();

    node.here(7, true, 1, 2, 3); // it stood still, and did not see the others leave
    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), change.sequence()));
    assertEquals(List.of(), client.answers());
    node.pass(SECOND);

    assertTrue(collecting() > term);
  }

  @Test
  void aMemberOfTheGroupMayNotAppointIt() {
    node.here(true, 1, 2, 3);
    var guest = node.guest().ask(new CibMessage.SetPrimary(5)).ask(new CibMessage.SetSecondary());

    assertEquals(
        List.of(Rc.EACCES, Rc.EACCES), guest.answers().stream().map(it -> it.rc()).toList());
    assertFalse(node.cibd.primary().isActive());
  }

  @Test
  void aPrimaryOfALaterDcReplacesIt() {
    node.primary();
    var line = node.cibd.copy().line();
    var theirs = 8L << 32 | 2;

    node.says(2, new CibPeerMessage.Announce(theirs, 6, true, 0, line, node.cibd.copy().hash()));

    assertFalse(node.cibd.primary().isActive());
    assertEquals(new NodeId(2), node.cibd.follower().primaryId());
  }

  @Test
  void aPrimaryOfAnEarlierDcDoesNotReplaceIt() {
    node.primary();
    var line = node.cibd.copy().line();
    var theirs = 8L << 32 | 2;

    node.says(2, new CibPeerMessage.Announce(theirs, 4, true, 0, line, node.cibd.copy().hash()));

    assertTrue(node.cibd.primary().isPrimary());
  }

  @Test
  void aNodeThatTakesItForThePrimaryOfAnEarlierTermIsCorrectedAndOfALaterOneIsNot() {
    node.primary();
    var earlier = node.cibd.primary().term() - (1L << 32);
    var later = node.cibd.primary().term() + (1L << 32);

    node.says(3, new CibPeerMessage.Ack(earlier, 0, 0));
    node.says(3, new CibPeerMessage.Ack(later, 0, 0));

    assertEquals(List.of(new CibdInTest.Sent(3, new CibPeerMessage.Resign(earlier))), node.sent());
  }
}
