package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.link.FakeCluster.Process;

/// Links of several builds in one cluster.
final class LevelsTest {
  private static final Levels OLD = new Levels(1, 2);
  private static final Levels NEXT = new Levels(2, 3);
  private static final Levels LATER = new Levels(3, 4);

  private FakeCluster cluster;

  @BeforeEach
  void make() throws Exception {
    cluster = new FakeCluster(3, "");
  }

  private void assertGoesOn(Process... members) {
    for (var it : members) {
      assertNull(it.ended);
      assertTrue(it.quorate());
      assertEquals(members.length, it.members().size());
      it.heard.clear();
    }
    members[0].say("on");
    cluster.run(100);
    for (var it : members) {
      assertEquals(List.of(members[0].id + ":on"), it.messages());
    }
  }

  private static void assertRefused(Process out, Process by) {
    assertNotNull(out.ended);
    assertTrue(out.ended.startsWith("100 this node cannot be in the cluster"), out.ended);
    var name = "node" + out.id;
    assertTrue(by.complaints.stream().anyMatch(it -> it.contains(name)), () -> "" + by.complaints);
  }

  private static LinkPeerMessage.Side side(Levels levels, boolean quorate) {
    return new LinkPeerMessage.Side(new NodeName("n"), levels, quorate);
  }

  @Test
  void noQuorateLinkEndsAndNoLinkYieldsToImpossibleLevels() {
    for (var claimed : List.of(true, false)) {
      for (var other : List.of(OLD, NEXT, LATER, new Levels(2, -1))) {
        assertFalse(side(NEXT, true).yieldsTo(side(other, claimed)), other + " " + claimed);
      }
      assertFalse(side(NEXT, false).yieldsTo(side(new Levels(2, -1), claimed)));
    }
    assertTrue(side(NEXT, false).yieldsTo(side(OLD, true)));
    assertTrue(side(NEXT, false).yieldsTo(side(LATER, true)));
    assertTrue(
        side(LATER, false).yieldsTo(side(OLD, false)),
        "neither is quorate: the newer build yields");
    assertFalse(side(OLD, false).yieldsTo(side(LATER, false)));
  }

  @Test
  void theMembersSpeakWhatTheOldestBuildSpeaksUntilItIsGone() {
    var one = cluster.start(1, NEXT);
    var two = cluster.start(2, OLD);
    var three = cluster.start(3, NEXT);
    cluster.view(one, two, three);
    cluster.run(3000);
    assertEquals(List.of(2, 2, 2), List.of(one.daemon.level(), two.daemon.level(), three.daemon.level()));
    assertFalse(one.daemon.speaks(3));

    two.kill();
    one.sees(two, true);
    cluster.view(one, three);
    cluster.run(3000);
    assertEquals(3, one.daemon.level());
    var upgraded = cluster.start(2, NEXT);
    cluster.view(one, three, upgraded);
    cluster.run(3000);
    assertGoesOn(one, three, upgraded);
    assertEquals(3, upgraded.daemon.level());
  }

  @Test
  void theLevelGoesDownForABuildThatIsPutBack() {
    var one = cluster.start(1, NEXT);
    var two = cluster.start(2, NEXT);
    cluster.view(one, two);
    cluster.run(3000);
    assertEquals(3, one.daemon.level());
    var old = cluster.start(3, OLD);
    cluster.view(one, two, old);
    cluster.run(3000);
    assertGoesOn(one, two, old);
    assertEquals(2, one.daemon.level());
  }

  @Test
  void aBuildWithoutACommonLevelIsRefusedWithAReason() {
    var one = cluster.start(1, OLD);
    var two = cluster.start(2, OLD);
    cluster.view(one, two);
    cluster.run(3000);
    var number = one.membership().number();

    var later = cluster.start(3, LATER);
    cluster.view(one, two, later);
    cluster.run(3000);
    assertRefused(later, one);
    assertTrue(later.memberships.isEmpty());
    cluster.view(one, two);
    cluster.run(3000);
    assertGoesOn(one, two);
    assertTrue(one.memberships.stream().skip(1).allMatch(it -> it.quorate()));
    assertTrue(one.membership().number() >= number);
  }

  @Test
  void aLeaderWithoutACommonLevelEndsAndTheMembersGoOn() {
    var one = cluster.start(1, OLD);
    var two = cluster.start(2, OLD);
    cluster.view(one, two);
    cluster.run(3000);
    one.heard.clear();

    var later = cluster.start(3, LATER);
    cluster.view(later, one, two);
    cluster.run(500);
    assertRefused(later, one);
    cluster.view(one, two);
    cluster.run(3000);
    assertTrue(one.heard.stream().allMatch(it -> !it.startsWith("M") || it.endsWith("Q")));
    assertGoesOn(one, two);
  }

  @Test
  void ofTwoBuildsWithoutQuorumTheOlderStays() {
    var later = cluster.start(3, LATER);
    var one = cluster.start(1, OLD);
    var two = cluster.start(2, OLD);
    cluster.view(later, one, two);
    cluster.run(500);
    assertNotNull(later.ended);
    cluster.view(one, two);
    cluster.run(3000);
    assertGoesOn(one, two);
  }

  @Test
  void aLeaderThatUnderstandsBothLeavesOutTheNodeThatDoesNotFit() {
    var bridge = cluster.start(1, new Levels(2, 3));
    var old = cluster.start(2, OLD);
    cluster.view(bridge, old);
    cluster.run(3000);
    var later = cluster.start(3, LATER);
    cluster.view(bridge, old, later);
    cluster.run(3000);
    assertRefused(later, bridge);
    cluster.view(bridge, old);
    cluster.run(3000);
    assertGoesOn(bridge, old);
    assertEquals(2, old.daemon.level());
  }

  @Test
  @SuppressWarnings("NullAway") // nothing is sent
  void aNodeLeftOutBecauseOfAMemberIsTriedAgainWhenTheMembersChange() {
    var misfits = new Misfits(new TestWorld(), (_, _) -> {}, null, new NodeName("node1"), new Levels(2, 3));
    var mine = side(OLD, true);
    var later = new Address("p3");
    var much = new Address("p4");
    misfits.meet(later, side(LATER, false), mine);
    misfits.meet(much, side(new Levels(4, 5), false), mine);
    assertTrue(misfits.has(later));
    assertTrue(misfits.has(much));
    misfits.present(List.of(later, much));
    assertFalse(misfits.has(later), "the member that speaks level 2 only may be gone");
    assertTrue(misfits.has(much));
    misfits.present(List.of(later));
    assertFalse(misfits.has(much));
  }
}
