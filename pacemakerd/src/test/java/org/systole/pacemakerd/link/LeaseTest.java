package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Inclusion;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

class LeaseTest {
  private static final long MS = 1_000_000;
  private static final LinkTiming TIMING = LinkTiming.ofToken(1000);
  private static final Place A = new Place(new NodeId(1), new Address("a"), 1);
  private static final Place B = new Place(new NodeId(2), new Address("b"), 1);
  private static final Place C = new Place(new NodeId(3), new Address("c"), 1);

  private final Lease lease = new Lease();

  private static Epoch epoch(LinkTiming timing) {
    return new Epoch(
        7,
        A.address(),
        List.of(A, B, C),
        new QuorumState(3, 3, 2, 3, false, true),
        List.of(),
        1,
        timing);
  }

  private void round(long number, long answered, List<Place> places, boolean carried, long told) {
    lease.answered(number, answered);
    lease.confirmed(number, places, places.contains(B), carried, TIMING, told);
  }

  @Test
  void aLeaseRunsFromTheAnswerNotFromTheConfirmation() {
    round(1, 100 * MS, List.of(A, B), true, 400 * MS);
    assertTrue(lease.holds(850 * MS - 1));
    assertFalse(lease.holds(850 * MS));
    assertEquals(Duration.ofMillis(450), lease.left(400 * MS));
    assertEquals(Duration.ZERO, lease.left(900 * MS));
  }

  @Test
  void thereIsNoneBeforeTheFirstConfirmation() {
    assertFalse(lease.holds(0));
    lease.answered(1, 0);
    assertFalse(lease.holds(1));
  }

  @Test
  void aRoundWithoutQuorumOrWithoutThisNodesAnswerGivesNoLease() {
    round(1, 0, List.of(A, B), false, MS);
    assertFalse(lease.holds(MS));
    round(2, 0, List.of(A, C), true, MS);
    assertFalse(lease.holds(MS));
  }

  @Test
  void anAnswerThatWasNeverSentIsNotConfirmed() {
    lease.confirmed(5, List.of(A, B), true, true, TIMING, MS);
    assertFalse(lease.holds(MS));
    lease.answered(6, 0);
    lease.confirmed(6, List.of(B), true, true, TIMING, MS);
    lease.confirmed(6, List.of(B), true, true, TIMING, 700 * MS);
    assertFalse(lease.holds(751 * MS), "a repeated confirmation does not prolong it");
    lease.answered(7, 800 * MS);
    lease.answered(8, 900 * MS);
    lease.confirmed(8, List.of(B), true, true, TIMING, 950 * MS);
    lease.drop();
    lease.confirmed(7, List.of(B), true, true, TIMING, 960 * MS);
    assertFalse(lease.holds(970 * MS), "an earlier round's confirmation counts for nothing");
  }

  @Test
  void aDroppedLeaseComesBackOnlyByANewRound() {
    round(1, 0, List.of(B), true, MS);
    lease.drop();
    assertFalse(lease.holds(MS));
    round(2, 10 * MS, List.of(B), true, 11 * MS);
    assertTrue(lease.holds(12 * MS));
  }

  @Test
  void nodesInAConfirmedRoundMayHoldALeaseForAWholeTokenTime() {
    round(1, 100 * MS, List.of(A, C), true, 200 * MS);
    assertEquals(
        List.of(
            new Inclusion(new NodeId(1), A.address(), 900),
            new Inclusion(new NodeId(3), C.address(), 900)),
        lease.inclusions(epoch(TIMING), true, 200 * MS));
    assertEquals(1, lease.inclusions(epoch(TIMING), true, 1100 * MS - 1).getFirst().leftMillis());
    assertEquals(List.of(), lease.inclusions(epoch(TIMING), true, 1100 * MS));
  }

  @Test
  void ifThisNodeDidNotAnswerTheClaimsBeginWithTheConfirmation() {
    lease.confirmed(1, List.of(A, C), false, true, TIMING, 200 * MS);
    assertEquals(1000, lease.inclusions(epoch(TIMING), true, 200 * MS).getFirst().leftMillis());
  }

  @Test
  void anAnswerThatMayHaveBeenConfirmedToOthersCountsForAnotherLeader() {
    lease.answered(1, 100 * MS);
    assertEquals(List.of(), lease.inclusions(epoch(TIMING), true, 200 * MS));
    assertEquals(
        List.of(
            new Inclusion(new NodeId(1), A.address(), 900),
            new Inclusion(new NodeId(2), B.address(), 900),
            new Inclusion(new NodeId(3), C.address(), 900)),
        lease.inclusions(epoch(TIMING), false, 200 * MS));
    lease.membershipEnds(epoch(TIMING), false, 200 * MS);
    assertEquals(3, lease.inclusions(epoch(TIMING), true, 200 * MS).size(), "remembered");
  }

  @Test
  void theSameLeaderKnowsWhatItConfirmed() {
    lease.answered(1, 100 * MS);
    lease.membershipEnds(epoch(TIMING), true, 200 * MS);
    assertEquals(List.of(), lease.inclusions(epoch(TIMING), false, 200 * MS));
  }

  @Test
  void claimsOutliveTheMembershipButNotTheirTime() {
    round(1, 0, List.of(A, B), true, MS);
    lease.membershipEnds(epoch(TIMING), true, 500 * MS);
    assertEquals(2, lease.inclusions(epoch(TIMING), true, 500 * MS).size());
    lease.membershipEnds(epoch(TIMING), true, 1000 * MS);
    assertEquals(List.of(), lease.inclusions(epoch(TIMING), true, 999 * MS), "forgotten");
  }

  @Test
  void aShorterTokenOfALaterMembershipDoesNotShortenAnEarlierClaim() {
    round(1, 0, List.of(A), true, MS);
    lease.answered(2, 10 * MS);
    lease.confirmed(2, List.of(A), false, true, LinkTiming.ofToken(200), 11 * MS);
    assertEquals(
        List.of(new Inclusion(new NodeId(1), A.address(), 980)),
        lease.inclusions(epoch(TIMING), true, 20 * MS));
  }

  @Test
  void theClockMayOverflow() {
    var late = Long.MAX_VALUE - 100 * MS;
    round(1, late, List.of(A, B), true, late + MS);
    assertTrue(lease.holds(late + 700 * MS));
    assertFalse(lease.holds(late + 750 * MS));
    assertEquals(2, lease.inclusions(epoch(TIMING), true, late + 700 * MS).size());
  }
}
