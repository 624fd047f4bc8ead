package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;
import org.systole.pacemakerd.link.LinkPeerMessage.Confirm;
import org.systole.pacemakerd.link.LinkPeerMessage.Install;
import org.systole.pacemakerd.link.LinkPeerMessage.NotListed;
import org.systole.pacemakerd.link.LinkPeerMessage.Ping;
import org.systole.pacemakerd.link.LinkPeerMessage.Pong;
import org.systole.pacemakerd.link.LinkPeerMessage.Propose;
import org.systole.pacemakerd.link.LinkPeerMessage.Settled;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepare;

/// The rounds of a leader, and what it makes of the answers.
class LinkLeaderTest extends LeaderUnderTest {
  @Test
  void onlyTheFirstOfAViewPings() {
    leader.view(new View(new ViewId(B, 1), List.of(B, A, C)));
    world.pass(ROUND);
    assertEquals(List.of(), channel.said(Ping.class));
    leader.view(view);
    assertEquals(1, channel.said(Ping.class).size());
    world.pass(ROUND);
    assertEquals(2, channel.said(Ping.class).size());
    leader.view(new View(new ViewId(B, 2), List.of(B, A, C)));
    world.pass(Duration.ofSeconds(1));
    assertEquals(2, channel.said(Ping.class).size());
  }

  @Test
  void aNewViewOfItsOwnDoesNotMakeItPingTwiceARound() {
    leader.view(view);
    leader.view(new View(new ViewId(A, 2), ALL));
    channel.forget();
    world.pass(Duration.ofMillis(1000));
    assertEquals(4, channel.said(Ping.class).size());
  }

  @Test
  void anAnswerInAnotherViewDoesNotCount() throws Exception {
    formThree();
    leader.pong(
        B,
        new Pong(
            new ViewId(A, 7), round(), new NodeId(2), number(), 0, 0, false, List.of(), false, 3));
    answer(1, 3);
    world.pass(ROUND);
    assertEquals(
        List.of(new NodeId(1), new NodeId(3)),
        channel.said(Confirm.class).getLast().answered());
  }

  @Test
  void anAnswerThatComesAfterTheRoundDoesNotCount() throws Exception {
    formThree();
    answer(1);
    world.stall(Duration.ofMillis(251)); // the leader itself is late
    answer(2, 3);
    var confirmed = channel.said(Confirm.class).getLast();
    assertEquals(List.of(new NodeId(1)), confirmed.answered());
    assertFalse(confirmed.carried());
  }

  @Test
  void aLeaderThatStoodStillWaitsForItsOwnAnswer() throws Exception {
    formThree();
    round(1, 2, 3);
    var prepared = channel.said(Prepare.class).size();
    world.stall(Duration.ofSeconds(3));
    answer(2, 3); // these were waiting
    world.pass(Duration.ofMillis(1));
    assertEquals(prepared, channel.said(Prepare.class).size());

    answer(1);
    world.pass(ROUND);
    assertEquals(prepared, channel.said(Prepare.class).size(), "nobody is left out");
  }

  @Test
  void nobodyGetsALeaseOfAMembershipThatTheNextOneMayHaveFollowed() throws Exception {
    loseThree();
    prepared(1);
    prepared(2);
    assertEquals(1, channel.saidTo(B, Install.class).size());
    var confirmed = channel.said(Confirm.class).size();

    answer(1, 2, 3); // before they have installed it
    world.pass(ROUND);
    assertEquals(confirmed, channel.said(Confirm.class).size());

    installed();
    answer(1, 2);
    world.pass(ROUND);
    assertTrue(channel.said(Confirm.class).getLast().carried());
  }

  @Test
  void anAnswerOfAnEarlierRoundOrMembershipDoesNotCount() throws Exception {
    formThree();
    round(1, 2, 3);
    pong(2, round() - 1, number(), 0);
    pong(3, round(), number() - 1, 0);
    answer(1);
    world.pass(ROUND);
    var confirmed = channel.said(Confirm.class).getLast();
    assertEquals(List.of(new NodeId(1)), confirmed.answered());
    assertFalse(confirmed.carried());
  }

  @Test
  void theVoteOfAYoungProcessCountsOnlyWhereAllAreMembers() throws Exception {
    formThree();
    pong(1, round(), number(), 0);
    pong(2, round(), number(), 0, true);
    pong(3, round(), number(), 0);
    assertEquals(3, channel.said(Confirm.class).getLast().answered().size());

    loseThree();
    prepared(1);
    prepared(2);
    installed();
    pong(1, round(), number(), 0);
    pong(2, round(), number(), 0, true);
    world.pass(ROUND);
    var confirmed = channel.said(Confirm.class).getLast();
    assertEquals(List.of(new NodeId(1)), confirmed.answered());
    assertFalse(confirmed.carried());
  }

  @Test
  void aMemberThatExpectsMoreVotesKeepsAYoungProcessVoteFromCounting() throws Exception {
    formThree();
    pong(1, round(), number(), 0);
    leader.pong(
        C,
        new Pong(
            view.id(), round(), new NodeId(3), number(), 0, 0, false, List.of(), false, 4));
    pong(2, round(), number(), 0, true);
    assertFalse(channel.said(Confirm.class).getLast().answered().contains(new NodeId(2)));
  }

  @Test
  void aProcessOfANodeThatIsNotListedIsToldOnce() {
    leader.view(view);
    var stranger = new Address("stranger");
    for (var count = 0; count < 2; count++) {
      leader.pong(
          stranger,
          new Pong(view.id(), round(), new NodeId(9), 0, 0, 0, false, List.of(), false, 3));
    }
    var told = channel.saidTo(stranger, NotListed.class);
    assertEquals(1, told.size());
    assertEquals(3, told.getFirst().listed().size());
    assertTrue(world.logged("Process stranger says it is node 9"));
  }

  // ---- what all have delivered

  @Test
  void aPingSaysWhatTheSlowestMemberHasDelivered() throws Exception {
    formThree();
    var round = round();
    pong(1, round, number(), 40);
    pong(2, round, number(), 30);
    pong(3, round, number(), 35);
    world.pass(ROUND);
    assertEquals(30, channel.said(Ping.class).getLast().stable());
  }

  @Test
  void nothingCountsAsDeliveredByAllBeforeEachMemberHasSaidSo() throws Exception {
    formThree();
    assertEquals(0, channel.said(Ping.class).getLast().stable());
    var round = round();
    pong(1, round, number(), 40);
    pong(2, round, number(), 30);
    world.pass(ROUND);
    assertEquals(0, channel.said(Ping.class).getLast().stable(), "node 3 has not answered yet");
    // its answer to a ping from before the installation
    pong(3, round - 1, number(), 35);
    world.pass(ROUND);
    assertEquals(0, channel.said(Ping.class).getLast().stable());
  }

  @Test
  void deliveriesOfAnEarlierMembershipDoNotCountInThisOne() throws Exception {
    formThree();
    var round = round();
    pong(1, round, number(), 40);
    pong(2, round, number(), 30);
    pong(3, round, number() - 1, 9000);
    world.pass(ROUND);
    assertEquals(0, channel.said(Ping.class).getLast().stable());
  }

  // ---- the count of votes

  private void lose(String quorum) throws Exception {
    leadsWith("last_man_standing: 1\n" + quorum);
    loseThree();
    prepared(1);
    prepared(2);
    assertEquals(3, installed().quorum().expectedVotes());
  }

  private void answering(int millis) {
    inStep.reached(number());
    answeringOutOfStep(millis);
  }

  private void answeringOutOfStep(int millis) {
    for (var at = 0; at < millis; at += 50) {
      answer(1, 2);
      world.pass(Duration.ofMillis(50));
    }
  }

  @Test
  void aNodeThatLeftIsCountedNoMoreOnceTheWindowIsOverAndAllHaveThatOnDisk() throws Exception {
    levels = Levels.own();
    lose("last_man_standing_window: 3000");
    answering(2900);
    assertEquals(List.of(), channel.said(Propose.class));
    answering(600);
    assertEquals(null, channel.said(Propose.class).getLast().proposal().nodes(), "what counts already");
    leader.kept(A, new LinkPeerMessage.Kept(number(), 0));
    assertEquals(null, channel.said(Propose.class).getLast().proposal().nodes(), "one of them may lack something");
    leader.kept(B, new LinkPeerMessage.Kept(number(), 0));
    assertEquals(List.of(), channel.said(Settled.class));
    var proposed = channel.said(Propose.class).getLast();
    assertEquals(List.of(new NodeId(1), new NodeId(2)), proposed.proposal().nodes());
    var kept = new LinkPeerMessage.Kept(number(), proposed.proposal().since());
    leader.kept(A, kept);
    leader.kept(A, kept);
    leader.kept(C, kept); // no member
    leader.kept(B, new LinkPeerMessage.Kept(number() - 1, proposed.proposal().since()));
    leader.kept(B, new LinkPeerMessage.Kept(number(), proposed.proposal().since() - 1));
    assertEquals(List.of(), channel.said(Settled.class));
    leader.kept(B, kept);
    assertEquals(
        new Settled(number(), proposed.proposal().since()), channel.said(Settled.class).getLast());
  }

  @Test
  void nothingIsProposedWhileTheLeaderLacksWhatWasAcknowledged() throws Exception {
    levels = Levels.own();
    lose("last_man_standing_window: 1000");
    inStep.reached(number() - 1);
    answeringOutOfStep(5000);
    assertEquals(List.of(), channel.said(Propose.class));
    assertEquals(List.of(), stays());
    assertFalse(leader.votesWait());
    answeringOutOfStep(20_000); // its own CIB manager may never get it
    assertEquals(1, stays().size(), stays()::toString);
    assertTrue(leader.votesWait());
    answering(500);
    assertEquals(1, channel.said(Propose.class).size());
    assertFalse(leader.votesWait());
  }

  @Test
  void whatIsNotOnAllDisksIsProposedAgain() throws Exception {
    levels = Levels.own();
    lose("last_man_standing_window: 1000");
    answering(1500);
    leader.kept(A, new LinkPeerMessage.Kept(number(), 0));
    leader.kept(B, new LinkPeerMessage.Kept(number(), 0));
    var proposed = channel.said(Propose.class).getLast();
    assertEquals(List.of(new NodeId(1), new NodeId(2)), proposed.proposal().nodes());
    leader.kept(A, new LinkPeerMessage.Kept(number(), proposed.proposal().since()));
    var before = channel.said(Propose.class).size();
    answering(1500);
    assertTrue(channel.said(Propose.class).size() > before);
    assertEquals(proposed, channel.said(Propose.class).getLast());
    assertFalse(leader.votesWait());
    answering(20_000);
    assertEquals(1, stays().stream().filter(it -> it.contains("nodes 2 have not")).count());
    assertTrue(leader.votesWait());
    leader.kept(B, new LinkPeerMessage.Kept(number(), proposed.proposal().since()));
    assertFalse(leader.votesWait());
  }

  private List<String> stays() {
    return world.lines().stream().filter(it -> it.contains("Whose votes count stays as it was: ")).toList();
  }

  /// An earlier build would count by the number alone.
  @Test
  void besideAnEarlierBuildEveryNodeIsCounted() throws Exception {
    lose("last_man_standing_window: 1000");
    answering(5000);
    assertEquals(List.of(), channel.said(Propose.class));
  }

  @Test
  void aNewMembershipRestartsTheWindow() throws Exception {
    levels = Levels.own();
    leadsWith("last_man_standing: 1\nlast_man_standing_window: 1000");
    formThree();
    for (var count = 0; count < 8; count++) {
      round(1, 2, 3);
    }
    for (var count = 0; count < 4; count++) {
      round(1, 2);
    }
    prepared(1);
    prepared(2);
    installed();
    for (var count = 0; count < 3; count++) {
      round(1, 2);
      assertEquals(List.of(), channel.said(Propose.class));
    }
    answering(1000);
    assertEquals(1, channel.said(Propose.class).size());
  }

  @Test
  void aMemberThatExpectsMoreVotesCountsUnlessItIsYoung() throws Exception {
    formThree();
    var round = round();
    pong(1, round, number(), 0);
    pong(2, round, number(), 0);
    leader.pong(
        C,
        new Pong(view.id(), round, new NodeId(3), number(), 0, 0, false, List.of(), true, 7));
    world.pass(ROUND);
    assertEquals(3, channel.said(Confirm.class).getLast().quorum().expectedVotes());

    leader.pong(
        C,
        new Pong(view.id(), round(), new NodeId(3), number(), 0, 0, false, List.of(), false, 7));
    answer(1, 2);
    world.pass(ROUND);
    var quorum = channel.said(Confirm.class).getLast().quorum();
    assertEquals(7, quorum.expectedVotes());
    assertFalse(quorum.quorate());
  }

  @Test
  void membersThatDoNotHearEachOtherAreNamed() throws Exception {
    formThree();
    leader.pong(
        C,
        new Pong(
            view.id(),
            round(),
            new NodeId(3),
            number(),
            0,
            0,
            false,
            List.of(new NodeId(2)),
            false,
            3));
    answer(1, 2);
    assertEquals(
        List.of(new LinkPeerMessage.Pair(new NodeId(3), new NodeId(2))),
        channel.said(Confirm.class).getLast().apart());
  }
}
