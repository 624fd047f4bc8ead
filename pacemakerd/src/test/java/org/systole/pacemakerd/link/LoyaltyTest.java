package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;

/// Which leader a node follows, and when votes are counted anew.
final class LoyaltyTest {
  private FakeCluster cluster;
  private FakeCluster.Process a;
  private FakeCluster.Process b;
  private FakeCluster.Process c;

  private void form(int nodes, String quorum) throws Exception {
    cluster = new FakeCluster(nodes, quorum);
    a = cluster.start(1);
    b = cluster.start(2);
    c = cluster.start(3);
  }

  @Test
  void aMemberFollowsItsLeaderAndTheLeaderFollowsNoNode() throws Exception {
    form(3, "");
    cluster.view(a, b, c);
    cluster.run(1000);

    assertNull(a.allegiance);
    var allegiance = b.allegiance;
    assertNotNull(allegiance);
    assertEquals(a.address, allegiance.leader());
    assertEquals(Set.of(b.address, c.address), allegiance.fellows());
  }

  @Test
  void nodesWithoutQuorumMayFollowAnyLeader() throws Exception {
    form(7, "");
    cluster.view(a, b, c);
    cluster.run(1000);

    assertEquals(3, b.members().size());
    assertNull(b.allegiance);
  }

  @Test
  void theEndOfTheLeaderFreesItsMembersAndThatOfAMemberDoesNot() throws Exception {
    form(3, "");
    cluster.view(a, b, c);
    cluster.run(1000);
    c.kill();
    b.sees(c, true);
    cluster.run(1);
    assertNotNull(b.allegiance);

    a.kill();
    b.sees(a, true);
    cluster.run(1);
    assertNull(b.allegiance);
  }

  @Test
  void theExpectedVotesAreLoweredOnceTheWindowOfLastManStandingIsOver() throws Exception {
    for (var waits : new boolean[] {false, true}) {
      form(4, "last_man_standing: 1\n last_man_standing_window: 5000\n");
      var d = cluster.start(4);
      cluster.view(a, b, c, d);
      cluster.run(1000);
      assertTrue(a.quorate());
      d.kill();
      a.sees(d, true);
      cluster.view(a, b, c);
      cluster.run(waits ? 6000 : 2000);
      assertTrue(a.quorate(), "three of four");
      c.kill();
      a.sees(c, true);
      cluster.view(a, b);
      cluster.run(2000);

      assertEquals(2, a.members().size());
      assertEquals(waits, a.quorate(), "two of four, or of the three last counted");
      assertEquals(waits, b.quorate());
    }
  }

  /// A change may be with most of all nodes, and with none of most of these, who would go on without it.
  @Test
  void daemonsKnowWhoseVotesCount() throws Exception {
    form(4, "last_man_standing: 1\n last_man_standing_window: 5000\n");
    var d = cluster.start(4);
    cluster.view(a, b, c, d);
    cluster.run(1000);
    assertEquals(List.of(), a.counted);
    d.kill();
    a.sees(d, true);
    cluster.view(a, b, c);
    cluster.run(9000);
    var three = List.of(List.of(new NodeId(1), new NodeId(2), new NodeId(3)));
    assertEquals(three, a.counted);
    assertEquals(three, c.counted);
    d = cluster.start(4);
    a.sees(d, false);
    b.inStep = false;
    cluster.view(a, b, c, d);
    cluster.run(9000);
    assertEquals(4, a.members().size());
    assertEquals(three, a.counted, "all four are proposed");
    assertEquals(three, d.counted);
    b.daemon.inStep(b.memberships.getLast().number());
    cluster.run(5000);
    assertEquals(List.of(), a.counted);
    assertEquals(List.of(), d.counted);
  }

  /// Two of four would go on with what they have, beside two who have more.
  @Test
  void theExpectedVotesStayWhileAMemberLacksWhatWasAcknowledged() throws Exception {
    form(4, "last_man_standing: 1\n last_man_standing_window: 5000\n");
    var d = cluster.start(4);
    b.inStep = false;
    cluster.view(a, b, c, d);
    cluster.run(1000);
    d.kill();
    a.sees(d, true);
    cluster.view(a, b, c);
    cluster.run(9000);
    assertEquals(3, a.members().size());
    c.kill();
    a.sees(c, true);
    cluster.view(a, b);
    cluster.run(2000);
    assertEquals(2, a.members().size());
    assertFalse(a.quorate());
    assertFalse(b.quorate());
  }

  /// Nothing is left open, of which it would take most as well.
  @Test
  void mostOfAllHaveQuorumWhileAMemberLacksWhatWasAcknowledged() throws Exception {
    form(5, "last_man_standing: 1\n last_man_standing_window: 5000\n");
    var d = cluster.start(4);
    var e = cluster.start(5);
    cluster.view(a, b, c, d, e);
    cluster.run(1000);
    d.inStep = false;
    e.kill();
    a.sees(e, true);
    cluster.view(a, b, c, d);
    cluster.run(9000);
    assertEquals(List.of(), a.counted);
    for (var lost : List.of(c, d)) {
      lost.kill();
      a.sees(lost, true);
    }
    e = cluster.start(5);
    cluster.view(a, b, e);
    cluster.run(4000);
    assertEquals(List.of(1, 2, 5), a.members());
    assertTrue(a.quorate(), "three of five");
  }

  @Test
  void theExpectedVotesAreLoweredAsSoonAsTheLastMemberHasWhatWasAcknowledged() throws Exception {
    form(4, "last_man_standing: 1\n last_man_standing_window: 5000\n");
    var d = cluster.start(4);
    cluster.view(a, b, c, d);
    cluster.run(1000);
    b.inStep = false;
    d.kill();
    a.sees(d, true);
    cluster.view(a, b, c);
    cluster.run(9000);
    b.daemon.inStep(b.memberships.getLast().number());
    cluster.run(100);
    c.kill();
    a.sees(c, true);
    cluster.view(a, b);
    cluster.run(2000);
    assertTrue(a.quorate());
    assertTrue(b.quorate());
  }

  @Test
  void twoHalvesHaveNoQuorumEachAfterLastManStandingHasLoweredTheExpectedVotes() throws Exception {
    form(4, "last_man_standing: 1\n last_man_standing_window: 5000\n");
    var d = cluster.start(4);
    cluster.view(a, b, c, d);
    cluster.run(1000);
    for (var it : new FakeCluster.Process[] {a, b, c}) {
      it.cutTo(d, true);
      d.cutTo(it, true);
    }
    cluster.view(a, b, c);
    cluster.view(d);
    cluster.run(8000);
    assertTrue(a.quorate());
    assertFalse(d.quorate());

    for (var it : new FakeCluster.Process[] {a, b}) {
      it.cutTo(c, true);
      c.cutTo(it, true);
    }
    c.cutTo(d, false);
    d.cutTo(c, false);
    cluster.view(a, b);
    cluster.view(c, d);
    cluster.run(8000);
    assertEquals(2, c.members().size());
    assertTrue(a.quorate(), "two of the three that were counted");
    assertFalse(c.quorate(), "one of them, and one that was left out");
  }

  @Test
  void aMembershipThatMustWaitForOthersIsWithoutQuorumUntilThen() throws Exception {
    form(3, "");
    cluster.view(a, b, c);
    cluster.run(1000);
    a.cutTo(c, true);
    b.cutTo(c, true);
    c.cutTo(a, true);
    c.cutTo(b, true);
    var begun = a.memberships.size();
    cluster.view(a, b); // at once, while c may hold a lease
    cluster.run(3000);

    assertTrue(a.quorate());
    var since = a.memberships.subList(begun, a.memberships.size());
    assertEquals(2, since.getFirst().members().size());
    assertFalse(since.getFirst().quorate(), since::toString);
  }
}
