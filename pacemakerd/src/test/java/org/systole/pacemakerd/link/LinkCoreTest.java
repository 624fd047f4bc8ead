package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;

class LinkCoreTest {
  private FakeCluster cluster;
  private FakeCluster.Process a;
  private FakeCluster.Process b;
  private FakeCluster.Process c;

  @BeforeEach
  void formThree() throws Exception {
    cluster = new FakeCluster(3, "");
    a = cluster.start(1);
    b = cluster.start(2);
    c = cluster.start(3);
    cluster.view(a, b, c);
    cluster.run(1000);
  }

  @Test
  void threeNodesInOneViewBecomeAQuorateMembershipWithOneNumber() {
    for (var it : List.of(a, b, c)) {
      assertEquals(List.of(1, 2, 3), it.members());
      assertEquals(List.of(1, 2, 3), it.group);
      assertTrue(it.quorate());
      assertEquals(a.membership().number(), it.membership().number());
    }
  }

  @Test
  void aViewThatItsMembersDoNotHoldMakesNoMembership() {
    // c is cut off, and its view has a majority with a; a and b hold another view
    cluster.view(List.of(c), c, a);
    cluster.view(a, b);
    a.cutTo(c, true);
    b.cutTo(c, true);
    c.cutTo(a, true);
    c.cutTo(b, true);
    cluster.run(3000);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(a.quorate());
    assertFalse(c.quorate());
  }

  @Test
  void atNoMomentAreTwoSidesQuorate() {
    c.cutTo(a, true);
    c.cutTo(b, true);
    a.cutTo(c, true);
    b.cutTo(c, true);
    var excluded = false;
    for (var millis = 0; millis < 4000; millis += 10) {
      cluster.run(10);
      if (millis == 300) {
        cluster.view(a, b); // far earlier than the failure detector would
      }
      if (a.members().equals(List.of(1, 2)) && a.quorate()) {
        excluded = true;
        assertFalse(c.quorate(), "at " + millis + " ms");
      }
    }
    assertTrue(excluded);
  }

  @Test
  void aNodeWhoseEndWasSeenIsExcludedAtOnceAndTheQuorumStays() {
    c.kill();
    b.sees(c, true);
    var before = a.memberships.size();
    cluster.view(a, b);
    cluster.run(100);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(
        a.memberships.subList(before, a.memberships.size()).stream().allMatch(it -> it.quorate()));
  }

  @Test
  void aSilentNodeLosesItsQuorumBeforeTheOthersGoOn() {
    c.paused = true;
    cluster.run(1000); // the time of the failure detector
    cluster.view(a, b);
    cluster.run(200);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(a.quorate());
    c.resume();
    cluster.run(1);
    assertFalse(c.quorate());
  }

  @Test
  void aLeaderWhoseEndWasReportedWronglyIsStillWaitedFor() {
    b.sees(a, true);
    c.sees(a, true);
    cluster.run(500);
    assertTrue(a.quorate());
    cutOff(a, b, c);
    cluster.view(b, c);
    for (var millis = 0; millis < 3000; millis += 10) {
      cluster.run(10);
      assertFalse(
          a.quorate() && b.quorate() && b.members().equals(List.of(2, 3)), "at " + millis + " ms");
    }
    assertTrue(b.quorate());
  }

  @Test
  void aMemberWhoseEndWasReportedWronglyIsStillWaitedFor() {
    cluster.view(c, a, b); // c leads
    cluster.run(1000);
    b.sees(c, true);
    cluster.run(400);
    b.say("c is heard");
    cluster.run(300);
    cutOff(c, a, b);
    cluster.view(b, a);
    for (var millis = 0; millis < 3000; millis += 10) {
      cluster.run(10);
      assertFalse(
          c.quorate() && b.quorate() && b.members().equals(List.of(1, 2)), "at " + millis + " ms");
    }
    assertTrue(b.quorate());
  }

  private static void cutOff(FakeCluster.Process one, FakeCluster.Process... others) {
    for (var it : others) {
      one.cutTo(it, true);
      it.cutTo(one, true);
    }
  }

  @Test
  void aMachineThatWasSuspendedDoesNotTrustAnEarlierLease() {
    c.sleep();
    cluster.run(1000);
    cluster.view(a, b);
    cluster.run(1000);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(a.quorate());
    cutOff(c, a, b); // it hears only its own daemons
    c.wake();
    c.say("awake");
    cluster.run(2);
    assertFalse(c.quorate());
  }

  @Test
  void aLeaderThatWasSuspendedDoesNotCountEarlierAnswers() {
    cutOff(a, b, c);
    a.sleep();
    cluster.run(1000);
    cluster.view(b, c);
    cluster.run(1000);
    assertTrue(b.quorate());
    a.wake();
    a.say("awake");
    for (var millis = 0; millis < 1000; millis += 10) {
      cluster.run(10);
      assertFalse(a.quorate(), "at " + millis + " ms");
    }
  }

  @Test
  void nodesWithAnotherTokenTimeCountTheirLeasesByTheShortest() throws Exception {
    for (var slow = 1; slow <= 3; slow++) {
      var other = new FakeCluster(3, "");
      var nodes = new java.util.ArrayList<FakeCluster.Process>();
      for (var id = 1; id <= 3; id++) {
        nodes.add(other.start(id, QuorumRulesTest.config(id == slow ? 10_000 : 1000, "", 1, 2, 3)));
      }
      var all = nodes.toArray(FakeCluster.Process[]::new);
      other.view(all);
      other.run(15_000);
      var lonely = nodes.get(slow - 1);
      var pair = nodes.stream().filter(it -> it != lonely).toArray(FakeCluster.Process[]::new);
      assertTrue(nodes.stream().allMatch(FakeCluster.Process::quorate));
      cutOff(lonely, pair);
      other.view(pair);
      var gone = false;
      for (var millis = 0; millis < 3000; millis += 10) {
        other.run(10);
        var excluded = pair[0].quorate() && pair[0].members().size() == 2;
        gone |= excluded;
        assertFalse(excluded && lonely.quorate(), "node %d at %d ms".formatted(slow, millis));
      }
      assertTrue(gone, "the others wait for their own token only");
    }
  }

  @Test
  void aNodeThatRestartsWithAShorterTokenDoesNotVoteWhileItsVoteUnderTheLongerOneCounts()
      throws Exception {
    var other = new FakeCluster(3, "");
    var slow = QuorumRulesTest.config(10_000, "", 1, 2, 3);
    var one = other.start(1, slow);
    var two = other.start(2, slow);
    var three = other.start(3, slow);
    cutOff(two, one, three);
    other.view(one, three);
    other.view(two);
    other.run(40_000);
    assertTrue(one.quorate() && three.quorate());
    three.kill(); // for seven seconds its last answer counts for node 1
    for (var restart = 0; restart < 2; restart++) {
      var again = other.start(3, QuorumRulesTest.config(1000, "", 1, 2, 3));
      cutOff(one, again);
      other.view(two, again);
      for (var millis = 0; millis < 3000; millis += 10) {
        other.run(10);
        assertFalse(one.quorate() && again.quorate(), "at " + millis + " ms");
      }
      if (restart == 0) {
        again.kill();
      }
    }
    other.run(10_000);
    assertTrue(two.quorate());
    assertFalse(one.quorate());
  }

  @Test
  void theEndOfTheLeaderLosesNothingThatWasOrdered() {
    a.say("one");
    b.say("two");
    cluster.run(50);
    b.say("three");
    cluster.run(1); // on its way to the leader
    a.kill();
    c.say("four");
    b.sees(a, true);
    cluster.run(50);
    cluster.view(b, c);
    cluster.run(500);
    assertEquals(b.messages(), c.messages());
    assertTrue(
        b.messages().containsAll(List.of("1:one", "2:two", "2:three", "3:four")),
        b.messages().toString());
    assertEquals(4, b.messages().size());
  }

  @Test
  void aMessageOnlyOneSurvivorHadDeliveredReachesTheOtherBeforeTheMembership() {
    a.cutTo(c, true); // the leader's last messages reach b only
    b.say("last");
    cluster.run(20);
    assertEquals(List.of("2:last"), b.messages());
    assertEquals(List.of(), c.messages());
    a.kill();
    b.sees(a, true);
    cluster.view(c, b);
    cluster.run(500);
    assertEquals(List.of("2:last"), c.messages());
    assertTrue(c.heard.indexOf("2:last") < c.heard.indexOf("M[2, 3]Q"), c.heard.toString());
  }

  @Test
  void messagesAndMembershipsComeInOneOrderEverywhere() {
    for (var i = 0; i < 50; i++) {
      a.say("a" + i);
      b.say("b" + i);
      c.say("c" + i);
      cluster.run(i % 3);
      if (i == 25) {
        cluster.view(b, a, c); // the leader changes
      }
    }
    cluster.run(1000);
    assertEquals(150, a.messages().size());
    assertEquals(a.messages(), b.messages());
    assertEquals(a.messages(), c.messages());
    assertEquals(
        a.heard.subList(a.heard.indexOf("1:a0"), a.heard.size()).stream()
            .filter(it -> !it.startsWith("M") || !it.endsWith("Q"))
            .toList(),
        c.heard.subList(c.heard.indexOf("1:a0"), c.heard.size()).stream()
            .filter(it -> !it.startsWith("M") || !it.endsWith("Q"))
            .toList());
  }

  @Test
  void aRestartedNodeIsSeenToLeaveBeforeItJoinsAgain() {
    c.kill();
    var again = cluster.start(3);
    cluster.view(a, b, c, again); // the dead process is still listed
    cluster.run(2000);
    assertEquals(List.of(1, 2, 3), a.members());
    assertTrue(a.heard.contains("M[1, 2]") || a.heard.contains("M[1, 2]Q"), a.heard.toString());
    assertTrue(a.heard.contains("G[1, 2]"));
    assertEquals(List.of(1, 2, 3), again.members());
    assertTrue(again.quorate());
    assertEquals(
        again.membership().number(),
        java.util.Objects.requireNonNull(a.membership().byId(new NodeId(3))).sinceNumber());
  }

  @Test
  void ofTwoLivingProcessesWithOneNodeIdTheMemberStays() {
    var twin = cluster.start(3);
    cluster.view(a, b, c, twin);
    cluster.run(2000);
    assertEquals(List.of(1, 2, 3), a.members());
    assertEquals(List.of(1, 2, 3), c.members());
    assertTrue(c.quorate());
    assertTrue(twin.memberships.isEmpty());
  }

  @Test
  void aNodeThatWasCutOffHearsOfTheLossBeforeItJoinsAgain() {
    cluster.view(a, b);
    cluster.run(2000);
    cluster.view(a, b, c);
    var before = c.heard.size();
    cluster.run(1000);
    var since = c.heard.subList(before, c.heard.size());
    assertEquals("M[3]", since.getFirst());
    assertTrue(since.contains("M[1, 2, 3]Q"), since.toString());
    assertEquals(a.membership().number(), c.membership().number());
    assertEquals(a.group, c.group);
  }

  @Test
  void aMemberThatDoesNotAnswerIsLeftOut() {
    c.paused = true;
    cluster.run(3000);
    assertEquals(List.of(1, 2), a.members());
    assertTrue(a.quorate());
    c.resume();
    cluster.run(2000);
    assertEquals(List.of(1, 2, 3), a.members());
    assertEquals(List.of(1, 2, 3), c.members());
  }

  @Test
  void aMessageToOneNodeArrivesThereAndAfterWhatItsSenderHadSeen() {
    a.say("first");
    cluster.run(20);
    b.tell(3, "second");
    cluster.run(20);
    assertEquals(List.of("1:first", ">2:second"), c.messages());
    assertEquals(List.of("1:first"), a.messages());
  }

  @Test
  void messagesToAMemberThatOnlyTheLeaderReachesArriveOnceAndInOrder() {
    b.tell(3, "1");
    cluster.run(10);
    b.cutTo(c, true); // one way only: b itself notices nothing
    b.tell(3, "2");
    b.tell(3, "3");
    cluster.run(1000);
    c.silent(b, true);
    cluster.run(1000);
    b.tell(3, "4");
    c.tell(2, "answer");
    cluster.run(1000);
    b.cutTo(c, false);
    c.silent(b, false);
    b.tell(3, "5");
    cluster.run(1000);
    b.tell(3, "6");
    cluster.run(1000);
    assertEquals(List.of(">2:1", ">2:2", ">2:3", ">2:4", ">2:5", ">2:6"), c.messages());
    assertEquals(List.of(">3:answer"), b.messages());
    assertEquals(1, c.memberships.stream().map(it -> it.number()).distinct().count());
  }

  @Test
  void anItemLostOnTheWayToTheLeaderIsSubmittedAgain() {
    c.cutTo(a, true);
    c.say("lost");
    cluster.run(5);
    c.cutTo(a, false);
    cluster.run(5000);
    assertEquals(List.of("3:lost"), a.messages());
    assertEquals(List.of("3:lost"), c.messages());
    assertTrue(c.quorate());
  }

  @Test
  void numbersRiseOverARestartOfTheWholeCluster() {
    var number = a.membership().number();
    List.of(a, b, c).forEach(FakeCluster.Process::kill);
    var x = cluster.start(1);
    cluster.view(x);
    cluster.run(2000);
    assertEquals(List.of(1), x.members());
    assertFalse(x.quorate());
    assertTrue(x.membership().number() > number);
    assertNotEquals(
        MembershipNumber.counter(number), MembershipNumber.counter(x.membership().number()));
  }
}
