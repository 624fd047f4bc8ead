package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.xml.XmlWriter;

/// When this node's link is told that what the cluster has acknowledged is here, so that the votes of those who are away
/// may count no more. The memberships' numbers are how many members they have.
final class InStepTest {
  private static final long TERM = 5L << 32 | 2;

  private final CibdInTest node = new CibdInTest();

  private CibPeerMessage.Announce announced(long term, boolean established, long sequence, long hash, Long membership) {
    var line = node.cibd.copy().line().taken(true, term);
    return new CibPeerMessage.Announce(term, 5, established, sequence, line, hash, null, membership);
  }

  private long hash() {
    return node.cibd.copy().hash();
  }

  @Test
  void thePrimaryIsInStepOnceItHasTakenOverWithQuorum() {
    node.here(true, 1, 2, 3);
    assertEquals(List.of(), node.inStep());
    node.primary();
    assertEquals(List.of(3L), node.inStep());
  }

  @Test
  void aPrimaryWithoutQuorumIsNot() {
    node.here(false, 1, 2);
    node.client().ask(new CibMessage.SetPrimary(5));
    var term = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(term));
    assertEquals(false, node.sent(CibPeerMessage.Announce.class).getLast().established());
    assertEquals(List.of(), node.inStep());
  }

  @Test
  void aPrimaryTellsThoseWhoAreLeftWhatItHasInTheirMembership() {
    node.primary();
    node.here(true, 1, 2);
    var told = node.sent(CibPeerMessage.Announce.class);
    assertEquals(List.of(2L), told.stream().map(CibPeerMessage.Announce::membership).toList());
    assertEquals(List.of(3L, 2L), node.inStep());
  }

  /// A node list waits for that.
  @Test
  void aPrimaryTellsWhatItHasInAnotherMembershipOfTheSameMembers() {
    node.primary();
    node.another(4, 1, 2, 3);
    assertEquals(List.of(4L), node.sent(CibPeerMessage.Announce.class).stream().map(CibPeerMessage.Announce::membership).toList());
    node.another(4, 1, 2, 3);
    assertEquals(List.of(), node.sent(CibPeerMessage.Announce.class));
    assertEquals(List.of(3L, 4L), node.inStep());
  }

  @Test
  void whoHasThePrimarysCopyIsInStepInTheMembershipInWhichThatWasSaid() {
    node.here(true, 1, 2, 3);
    node.says(2, announced(TERM, true, 0, hash(), null)); // of an earlier build
    assertEquals(List.of(), node.inStep());
    node.says(2, announced(TERM, true, 0, hash(), 2L)); // in a membership that is over
    assertEquals(List.of(), node.inStep());
    node.says(2, announced(TERM, false, 0, hash(), 3L));
    assertEquals(List.of(), node.inStep());
    node.says(2, announced(TERM, true, 0, hash(), 3L));
    node.says(2, announced(TERM, true, 0, hash(), 3L));
    assertEquals(List.of(3L), node.inStep());
  }

  @Test
  void whoLacksSomethingIsInStepOnceItHasTheWhole() {
    node.here(true, 1, 2, 3);
    node.says(2, announced(TERM, true, 4, 4711, 3L));
    assertEquals(List.of(), node.inStep());
    var copy = node.cibd.copy();
    var line = copy.line().taken(true, TERM);
    node.says(2, new CibPeerMessage.Whole(TERM, 4, line, copy.history(), XmlWriter.compact(copy.cib()), List.of()));
    assertEquals(List.of(3L), node.inStep());
  }

  @Test
  void anotherPrimaryOfTheSameMembershipIsFollowed() {
    node.here(true, 1, 2, 3);
    node.says(2, announced(TERM, true, 4, 4711, 3L));
    node.says(3, announced(TERM + (1L << 32) + 1, true, 0, hash(), 3L));
    assertEquals(List.of(3L), node.inStep());
  }

  /// It may have been lost on its way, and the votes would not change as long as the membership stands.
  @Test
  void theLinkIsToldAgainOnceItIsBack() {
    node.here(true, 1, 2, 3);
    node.says(2, announced(TERM, true, 0, hash(), 3L));
    node.linkLost();
    node.pass(Duration.ofSeconds(5));
    node.here(true, 1, 2, 3);
    node.says(2, announced(TERM, true, 0, hash(), 3L));
    assertEquals(List.of(3L, 3L), node.inStep());
  }

  @Test
  void whatIsNotOnDiskIsNotHere() {
    node.here(true, 1, 2, 3);
    node.world.disk().failsAfter(0, "no space left on device");
    node.says(2, announced(TERM, true, 0, hash(), 3L));
    assertEquals(List.of(), node.inStep());
  }
}
