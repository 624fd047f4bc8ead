package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;
import org.systole.pacemakerd.link.LinkPeerMessage.Confirm;
import org.systole.pacemakerd.link.LinkPeerMessage.Install;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Pong;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepare;
import org.systole.pacemakerd.link.LinkPeerMessage.Prepared;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

/// The memberships a leader makes, and which nodes it waits for first.
class LinkLeaderMembershipsTest extends LeaderUnderTest {
  @Test
  void aSilentNodeIsNotWaitedForLongerThanAViewMayTakeToSettle() {
    leader.view(view);
    for (var at = 0; at < 2; at++) {
      answer(1, 2);
      assertEquals(List.of(), channel.said(Prepare.class), "after %d rounds".formatted(at));
      world.pass(ROUND);
    }
    assertEquals(List.of(), channel.saidTo(C, Prepare.class));
    assertEquals(1, channel.saidTo(B, Prepare.class).size());
  }

  @Test
  void aNodeThatDoesNotAnswerAPreparationIsLeftOut() throws Exception {
    leader.view(view);
    answer(1, 2, 3);
    assertEquals(1, channel.saidTo(C, Prepare.class).size());
    prepared(1);
    prepared(2);
    world.pass(ROUND);
    assertEquals(1, channel.saidTo(B, Prepare.class).size(), "the attempt is not over yet");
    world.pass(ROUND);
    assertEquals(2, channel.saidTo(B, Prepare.class).size());
    assertEquals(1, channel.saidTo(C, Prepare.class).size(), "it is not asked again");
    prepared(1);
    prepared(2);
    assertEquals(List.of(1, 2), ids(channel.said(Install.class).getLast()));
  }

  @Test
  void aNodeBeingLeftOutGainsNoLeaseMeanwhile() throws Exception {
    loseThree();
    answer(1, 2, 3); // node 3 answers again, but the attempt is without it
    var confirmed = channel.said(Confirm.class).getLast();
    assertEquals(List.of(new NodeId(1), new NodeId(2)), confirmed.answered());
  }

  @Test
  void anAnswerToAnEarlierPreparationOrFromAnEarlierViewDoesNotCount() throws Exception {
    leader.view(view);
    answer(1, 2, 3);
    var number = channel.said(Prepare.class).getLast().number();
    prepared(1);
    prepared(2);
    leader.prepared(C, new Prepared(view.id(), number - 1, new NodeId(3), standing(3), null));
    leader.prepared(C, new Prepared(new ViewId(B, 1), number, new NodeId(3), standing(3), null));
    assertEquals(List.of(), channel.said(Install.class));
    prepared(3);
    assertEquals(3, channel.said(Install.class).size());
  }

  @Test
  void aMemberThatWentAstrayGetsANewMembership() throws Exception {
    formThree();
    round(1, 2, 3);
    leader.pong(
        B,
        new Pong(view.id(), round(), new NodeId(2), number(), 0, 9, true, List.of(), false, 3));
    answer(1, 3);
    assertEquals(3, channel.said(Prepare.class).size());
  }

  @Test
  void aMemberThatIsInAnotherMembershipGetsANewOne() throws Exception {
    formThree();
    round(1, 2, 3);
    pong(2, round(), 0, 0);
    answer(1, 3);
    assertEquals(3, channel.said(Prepare.class).size());
  }

  @Test
  void anAnswerFromBeforeTheInstallationMakesNoNewMembership() throws Exception {
    formThree();
    var before = channel.said(Prepare.class).size();
    pong(2, round() - 1, 0, 0);
    answer(1, 3);
    world.pass(ROUND);
    assertEquals(before, channel.said(Prepare.class).size());
  }

  @Test
  void ifAllNodesAreMembersNothingChanges() throws Exception {
    formThree();
    var before = channel.said(Prepare.class).size();
    for (var count = 0; count < 10; count++) {
      answer(1, 2, 3);
      world.pass(ROUND);
    }
    assertEquals(before, channel.said(Prepare.class).size());
    assertTrue(channel.said(Confirm.class).stream().allMatch(Confirm::carried));
  }

  // ---- claims of nodes that are left out

  @Test
  void aShortClaimIsWaitedForUnderTheMembershipBefore() throws Exception {
    loseThree();
    prepared(1, claim(3, 250));
    prepared(2, claim(3, 100));
    assertEquals(List.of(), channel.said(Install.class));
    world.pass(Duration.ofMillis(249));
    assertEquals(List.of(), channel.said(Install.class));
    world.pass(Duration.ofMillis(1));
    assertEquals(List.of(1, 2), ids(channel.said(Install.class).getLast()));
    assertTrue(installed().quorum().quorate());
    answer(1, 2);
    world.pass(ROUND);
    assertTrue(channel.said(Confirm.class).getLast().carried());
  }

  @Test
  void aLongClaimIsWaitedForWithoutQuorum() throws Exception {
    loseThree();
    prepared(1, claim(3, 900));
    prepared(2);
    assertFalse(installed().quorum().quorate());
    for (var count = 1; count <= 4; count++) {
      round(1, 2);
      var isOver = count == 4; // 1000 ms
      var confirmed = channel.said(Confirm.class).getLast();
      assertEquals(isOver, confirmed.carried());
      assertEquals(isOver, confirmed.quorum().quorate());
    }
  }

  @Test
  void aClaimOfAProcessThatEndsMeanwhileIsWaitedForNoLonger() throws Exception {
    loseThree();
    prepared(1, claim(3, 900));
    prepared(2);
    assertFalse(installed().quorum().quorate());
    round(1, 2);
    assertFalse(channel.said(Confirm.class).getLast().quorum().quorate());

    leader.ended(B); // whoever else does
    round(1, 2);
    assertFalse(channel.said(Confirm.class).getLast().quorum().quorate());
    leader.ended(C);
    round(1, 2);
    assertTrue(channel.said(Confirm.class).getLast().quorum().quorate());
    assertTrue(channel.said(Confirm.class).getLast().carried());
  }

  @Test
  void aClaimOfAProcessThatEndsWhileOthersAnswerIsNotWaitedFor() throws Exception {
    loseThree();
    prepared(1, claim(3, 900));
    leader.ended(C);
    prepared(2);
    assertTrue(installed().quorum().quorate());
  }

  @Test
  void aWaitForAClaimEndsWhenTheNodeNoLongerLeads() throws Exception {
    loseThree();
    prepared(1, claim(3, 200));
    prepared(2);
    leader.view(new View(new ViewId(B, 1), List.of(B, A)));
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), channel.said(Install.class));

    leader.view(view);
    world.pass(Duration.ofMillis(10));
    assertEquals(List.of(), channel.said(Install.class));
  }

  @Test
  void aWaitForAClaimIsForOneAttemptOnly() throws Exception {
    loseThree();
    world.pass(ROUND); // half of the attempt's time
    answer(1, 2);
    prepared(1, claim(3, 250));
    world.pass(Duration.ofMillis(100));
    prepared(2, claim(3, 250)); // so the wait would end after the attempt
    world.pass(Duration.ofMillis(150));
    answer(1, 2);
    world.pass(Duration.ofMillis(200));
    assertEquals(2, channel.saidTo(B, Prepare.class).size(), "the attempt was made anew");
    assertEquals(List.of(), channel.said(Install.class));
  }

  @Test
  void aRestartedNodeIsLeftOutOnceEvenIfItLeads() throws Exception {
    leader.view(view);
    answer(1, 2, 3);
    var former = new Place(new NodeId(1), new Address("a before"), 5);
    var others =
        List.of(former, new Place(new NodeId(2), B, 5), new Place(new NodeId(3), C, 5));
    for (var id = 2; id <= 3; id++) {
      var it = standing(id);
      leader.prepared(
          ALL.get(id - 1),
          new Prepared(
              view.id(),
              channel.said(Prepare.class).getLast().number(),
              new NodeId(id),
              new Standing(
                  5,
                  others,
                  0,
                  List.of(),
                  List.of(),
                  new QuorumState(3, 3, 2, 3, false, true),
                  List.of(),
                  List.of(),
                  it.config(),
                  null,
                  null,
                  null, null),
              null));
    }
    prepared(1);
    assertEquals(List.of(2, 3), ids(channel.said(Install.class).getLast()));
    assertEquals(List.of(), channel.saidTo(A, Install.class));
    world.pass(ROUND); // half of the time that an attempt has
    answer(1, 2, 3);
    assertEquals(2, channel.saidTo(A, Prepare.class).size(), "the next one takes it in");
  }
}
