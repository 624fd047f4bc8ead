package org.systole.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

final class StaysTest {
  private final Stays stays = new Stays();

  StaysTest() {
    stays.localNode(new NodeId(1));
  }

  private void membership(long number, Member... members) {
    stays.membership(new Membership(number, List.of(members), true));
  }

  private static Member member(int id, long since) {
    return new Member(new NodeId(id), new NodeName("node" + id), since);
  }

  @Test
  void theStayOfANodeThatIsGoneIsItsLast() {
    membership(10, member(1, 3), member(2, 7));
    membership(11, member(1, 3));

    assertEquals(7, stays.of(new NodeId(2)));
    assertFalse(stays.isPresent(new NodeId(2)));
    assertFalse(stays.isBackSince(new NodeId(2), 6));
  }

  @Test
  void aNodeThatIsBackHasBegunAnother() {
    membership(10, member(1, 3), member(2, 7));
    membership(11, member(1, 3));
    membership(12, member(1, 3), member(2, 12));

    assertEquals(12, stays.of(new NodeId(2)));
    assertTrue(stays.isBackSince(new NodeId(2), 11));
    assertFalse(stays.isBackSince(new NodeId(2), 12));
    assertFalse(stays.isBackSince(new NodeId(1), 3));
  }

  @Test
  void whoWasCutOffKnowsNothingOfThoseThatAreNotThere() {
    membership(10, member(1, 3), member(2, 7), member(3, 7));
    membership(11, member(1, 3), member(2, 7));
    assertEquals(7, stays.of(new NodeId(3)));

    membership(14, member(1, 14));
    membership(20, member(1, 20), member(2, 7));

    assertEquals(20, stays.of(new NodeId(3)));
    assertEquals(20, stays.first());
  }

  @Test
  void aNodeThatComesWithTheSideThatGoesOnIsBackToo() {
    membership(10, member(1, 3), member(2, 7));
    membership(11, member(1, 11));
    membership(20, member(1, 20), member(2, 7));

    assertEquals(20, stays.of(new NodeId(2)));
    assertTrue(stays.isBackSince(new NodeId(2), 11));
  }

  @Test
  void aStayThatEndedUnseenBetweenTwoMembershipsCounts() {
    membership(10, member(1, 3), member(2, 7));
    membership(12, member(1, 3), member(2, 12));

    assertTrue(stays.isBackSince(new NodeId(2), 10));
  }

  @Test
  void aNodeNeverSeenMayHaveBeenThereUntilTheFirstMembershipThatWas() {
    assertEquals(Long.MAX_VALUE, stays.of(new NodeId(2)));
    membership(10, member(1, 3));
    membership(11, member(1, 3));

    assertEquals(10, stays.of(new NodeId(2)));
    assertFalse(stays.isBackSince(new NodeId(2), 0));
  }

  @Test
  void whatWasMissedWhileTheLinkWasLostIsNotKnown() {
    membership(10, member(1, 3), member(2, 7));
    stays.lost();
    assertEquals(Long.MAX_VALUE, stays.of(new NodeId(2)));

    membership(14, member(1, 3));
    assertEquals(14, stays.of(new NodeId(2)));
    assertEquals(3, stays.of(new NodeId(1)));
  }

  @Test
  void anotherNodeWhoseProcessIsReplacedAtOnceHidesNothingOfThoseThatAreGone() {
    membership(10, member(1, 3), member(2, 7), member(3, 7));
    membership(11, member(1, 3), member(2, 7));
    membership(12, member(1, 3), member(2, 12)); // no membership without node 2

    assertEquals(7, stays.of(new NodeId(3)), "nobody has missed a stay of node 3");
    assertEquals(10, stays.first());
    assertEquals(12, stays.of(new NodeId(2)));
  }
}
