package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

class PhaseTest {
  private static final Address A = new Address("a");
  private static final Place ONE = new Place(new NodeId(1), A, 5);
  private static final Place TWO = new Place(new NodeId(2), new Address("b"), 6);
  private static final Epoch EPOCH =
      new Epoch(
          7,
          A,
          List.of(ONE, TWO),
          new QuorumState(3, 3, 2, 2, false, true),
          List.of(),
          1,
          LinkTiming.ofToken(1000));

  @Test
  void onlyALinkInsideAndNotAstrayDelivers() {
    assertFalse(new Phase.Outside().isDelivering());
    assertTrue(new Phase.Inside(EPOCH, false).isDelivering());
    assertFalse(new Phase.Inside(EPOCH, true).isDelivering());
    assertFalse(new Phase.Prepared(EPOCH, 8, A).isDelivering());
  }

  @Test
  void theLastMembershipLastsUntilTheNextIsInstalled() {
    assertNull(new Phase.Outside().epoch());
    assertEquals(EPOCH, new Phase.Inside(EPOCH, true).epoch());
    assertEquals(EPOCH, new Phase.Prepared(EPOCH, 8, A).epoch());
    assertNull(new Phase.Prepared(null, 8, A).epoch());
  }

  @Test
  void numbersOnlyRise() {
    assertTrue(new Phase.Outside().isBelow(1));
    assertFalse(new Phase.Outside().isBelow(0));
    assertTrue(new Phase.Inside(EPOCH, false).isBelow(8));
    assertFalse(new Phase.Inside(EPOCH, false).isBelow(7));
    assertTrue(new Phase.Prepared(EPOCH, 9, A).isBelow(10));
    assertFalse(new Phase.Prepared(EPOCH, 9, A).isBelow(9));
    assertFalse(new Phase.Prepared(EPOCH, 2, A).isBelow(3));
  }

  @Test
  void aMembershipKnowsItsMembersByNodeAndByProcess() {
    assertEquals(TWO, EPOCH.place(new NodeId(2)));
    assertNull(EPOCH.place(new NodeId(3)));
    assertTrue(EPOCH.has(A));
    assertFalse(EPOCH.has(new Address("c")));
    assertEquals(Set.of(new NodeId(1), new NodeId(2)), EPOCH.nodeIds());
    var changed = EPOCH.with(EPOCH.quorum().withoutQuorum());
    assertFalse(changed.quorum().quorate());
    assertEquals(3, changed.quorum().expectedVotes());
    assertEquals(EPOCH.members(), changed.members());
  }
}
