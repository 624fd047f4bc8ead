package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeName;

/// An administrator gives the nodes a new node list, one node after the other.
class NodeListChangeTest {
  private final List<FakeCluster.Process> nodes = new ArrayList<>();
  private FakeCluster cluster;

  private void form(int count, ClusterConfig config) throws Exception {
    cluster = new FakeCluster(count, "");
    for (var id = 1; id <= count; id++) {
      nodes.add(cluster.start(id, config));
    }
    viewOfAll();
  }

  private void viewOfAll() {
    cluster.view(nodes.toArray(FakeCluster.Process[]::new));
    cluster.run(4000);
  }

  private void stop(int id) {
    var victim = nodes.stream().filter(it -> it.id == id).findFirst().orElseThrow();
    victim.kill();
    nodes.remove(victim);
    nodes.forEach(it -> it.sees(victim, true));
    viewOfAll();
  }

  private void start(int id, ClusterConfig config) {
    nodes.add(cluster.start(id, config));
    viewOfAll();
  }

  private void restart(int id, ClusterConfig config) {
    stop(id);
    start(id, config);
  }

  private FakeCluster.Process node(int id) {
    return nodes.stream().filter(it -> it.id == id).findFirst().orElseThrow();
  }

  private void split(List<Integer> left, List<Integer> right) {
    for (var l : left) {
      for (var r : right) {
        node(l).cutTo(node(r), true);
        node(r).cutTo(node(l), true);
      }
    }
    for (var side : List.of(left, right)) {
      cluster.view(side.stream().map(this::node).toArray(FakeCluster.Process[]::new));
    }
    cluster.run(6000);
  }

  private void heal() {
    for (var one : nodes) {
      nodes.forEach(it -> one.cutTo(it, false));
    }
    viewOfAll();
  }

  private List<Integer> quorate() {
    return nodes.stream().filter(FakeCluster.Process::quorate).map(it -> it.id).sorted().toList();
  }

  @Test
  void noHalfHasQuorumOnceAFourthNodeWasAdded() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    var four = QuorumRulesTest.config(4, "");
    for (var id = 1; id <= 3; id++) {
      restart(id, four);
      assertEquals(List.of(1, 2, 3), quorate());
    }
    start(4, four);
    assertEquals(List.of(1, 2, 3, 4), quorate());

    split(List.of(1, 2), List.of(3, 4));

    assertEquals(List.of(), quorate());
    heal();
    assertEquals(List.of(1, 2, 3, 4), quorate());
  }

  @Test
  void noHalfHasQuorumWhereTheFourthNodeStartsInACutCluster() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    var four = QuorumRulesTest.config(4, "");
    for (var id = 1; id <= 3; id++) {
      restart(id, four);
    }
    split(List.of(1, 2), List.of(3));
    assertEquals(List.of(), quorate());

    nodes.add(cluster.start(4, four));
    node(4).cutTo(node(1), true);
    node(4).cutTo(node(2), true);
    cluster.view(node(3), node(4));
    cluster.run(6000);

    assertEquals(List.of(), quorate());
  }

  @Test
  void aNodeThatReturnsWithALongerListCostsNoQuorumBeforeItVotes() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    stop(1);
    nodes.add(cluster.start(1, QuorumRulesTest.config(4, "")));
    cluster.view(nodes.toArray(FakeCluster.Process[]::new));
    for (var millis = 0; millis < 4000; millis += 10) {
      cluster.run(10);
      assertTrue(node(2).quorate() && node(3).quorate(), "after %d ms".formatted(millis));
    }
    assertEquals(List.of(1, 2, 3), quorate());
    stop(2);
    assertEquals(List.of(), quorate(), "two of four");
  }

  @Test
  void atNoMomentOfAnAdditionHaveTwoSidesQuorum() throws Exception {
    var three = QuorumRulesTest.config(3, "");
    var four = QuorumRulesTest.config(4, "");
    var halves =
        List.of(
            List.of(List.of(1, 2), List.of(3, 4)),
            List.of(List.of(1, 3), List.of(2, 4)),
            List.of(List.of(1, 4), List.of(2, 3)));
    for (var renewed = 0; renewed <= 3; renewed++) {
      nodes.clear();
      form(3, three);
      for (var id = 1; id <= renewed; id++) {
        restart(id, four);
      }
      start(4, four);
      for (var half : halves) {
        split(half.getFirst(), half.getLast());
        var sides = half.stream().filter(it -> it.stream().anyMatch(quorate()::contains)).toList();
        assertTrue(sides.size() <= 1, "%d nodes renewed: %s".formatted(renewed, sides));
        heal();
      }
    }
  }

  @Test
  void nodesWithTheOldListRememberTheNodesTheyWereTogetherWith() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    var five = QuorumRulesTest.config(5, "");
    restart(1, five);
    nodes.addFirst(nodes.removeLast()); // node 1 leads, and knows all nodes
    start(4, five);
    start(5, five);
    assertEquals(List.of(1, 2, 3, 4, 5), quorate());

    split(List.of(2, 3), List.of(1, 4, 5));

    assertEquals(List.of(1, 4, 5), quorate());
  }

  /// Those who count by the shorter list may go on without the others as soon as one more has it.
  @Test
  void whatIsAcknowledgedWhileListsDifferIsToBeWithMostOfEach() throws Exception {
    form(5, QuorumRulesTest.config(5, ""));
    nodes.forEach(it -> assertEquals(List.of(), it.coming));
    restart(2, QuorumRulesTest.config(3, ""));
    for (var id : List.of(1, 3, 4, 5)) {
      assertEquals(List.of(List.of(1, 2, 3)), node(id).coming);
    }
    assertEquals(List.of(List.of(1, 2, 3, 4, 5)), node(2).coming);
    restart(2, QuorumRulesTest.config("", 2, 8, 9));
    assertEquals(List.of(), node(1).coming, "nobody counts by that");
  }

  /// Two nodes were taken off the list while they were off, and start with their files of long ago. One that is cut off with them
  /// has dropped them, as those it was with have, who have quorum without it.
  @Test
  void aListOfLongAgoGivesNoQuorumBesideTheOneInForce() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    split(List.of(1, 2), List.of(3));
    assertEquals(List.of(1, 2), quorate());

    var five = QuorumRulesTest.config(5, "");
    for (var id = 4; id <= 5; id++) {
      nodes.add(cluster.start(id, five));
      node(id).cutTo(node(1), true);
      node(id).cutTo(node(2), true);
    }
    cluster.view(node(4), node(3), node(5));
    cluster.run(6000);

    assertEquals(List.of(1, 2), quorate());
    heal();
    assertEquals(List.of(1, 2, 3), quorate());
  }

  /// Only its own vote is not counted.
  @Test
  void aMemberWhoseFileListsOthersCostsTheRestNoQuorum() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    restart(3, QuorumRulesTest.config("", 3, 8, 9));
    assertEquals(List.of(1, 2, 3), quorate());
    stop(2);
    assertEquals(List.of(), quorate());
  }

  @Test
  void twoOfThreeHaveQuorumOnceTheFourthWasRemoved() throws Exception {
    form(4, QuorumRulesTest.config(4, ""));
    stop(4);
    for (var id = 1; id <= 3; id++) {
      restart(id, QuorumRulesTest.config(3, ""));
      assertEquals(List.of(1, 2, 3), quorate(), "the removal itself costs no quorum");
    }

    split(List.of(1, 2), List.of(3));

    assertEquals(List.of(1, 2), quorate());
  }

  @Test
  void aRemovedNodeThatStopsLastCostsNoQuorumAndIsForgotten() throws Exception {
    form(4, QuorumRulesTest.config(4, ""));
    for (var id = 1; id <= 3; id++) {
      stop(id);
      assertEquals(3, quorate().size(), "while node " + id + " is away");
      start(id, QuorumRulesTest.config(3, ""));
    }
    assertEquals(List.of(1, 2, 3, 4), quorate(), "node 4 leads, and its file lists all");
    stop(4);
    assertEquals(List.of(1, 2, 3), quorate());

    split(List.of(1, 2), List.of(3));

    assertEquals(List.of(1, 2), quorate());
  }

  @Test
  void moreNodesThanExpectedVotesSaysAreNotForgotten() throws Exception {
    form(4, QuorumRulesTest.config(4, "expected_votes: 3"));
    stop(4);
    assertEquals(List.of(1, 2, 3), quorate());

    split(List.of(1, 2), List.of(3));

    assertEquals(List.of(), quorate(), "the fourth node may be back, together with the third");
  }

  @Test
  void eachNodeSaysWhoseFileDiffersAndWhere() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    nodes.forEach(it -> assertEquals(List.of(), it.complaints));

    restart(3, QuorumRulesTest.config(4, "auto_tie_breaker: 1"));

    assertEquals(
        List.of(
            "corosync.conf of node node3 differs from this node's: it lists node 4 (node4), this"
                + " one does not; its expected_votes is 4, here 3; its auto_tie_breaker is true,"
                + " here false; make them the same, and have them read anew with corosync-cfgtool -R"),
        node(1).complaints);
    assertEquals(node(1).complaints, node(2).complaints);
    assertEquals(2, node(3).complaints.size(), node(3).complaints.toString());
    assertTrue(node(3).complaints.getFirst().contains("it does not list node 4 (node4)"));
    assertTrue(node(3).complaints.getFirst().startsWith("corosync.conf of node node1 differs"));
    viewOfAll();
    assertEquals(1, node(1).complaints.size(), "it is said once");
  }

  @Test
  void aNodeTheClusterDoesNotKnowIsToldSo() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    start(4, QuorumRulesTest.config(4, ""));
    assertFalse(node(4).quorate());
    assertEquals(
        List.of(
            "The cluster of nodes node1 node2 node3 does not know this node: it is not in their"
                + " node list; add it to corosync.conf there and have it read anew with corosync-cfgtool"
                + " -R"),
        node(4).complaints);
  }

  @Test
  void aMemberThisNodesFileDoesNotListIsCalledByItsName() throws Exception {
    form(3, QuorumRulesTest.config(3, ""));
    var four = QuorumRulesTest.config(4, "");
    restart(1, four);
    nodes.addFirst(nodes.removeLast());
    start(4, four);
    assertEquals(List.of(1, 2, 3, 4), node(2).members());
    assertEquals(new NodeName("node4"), node(2).membership().members().getLast().name());
  }

  @Test
  void twoNodesWithOnePlaceInTheirListsNeverMakeOneNumber() throws Exception {
    cluster = new FakeCluster(3, "");
    var without = QuorumRulesTest.config("", 1, 3);
    var two = cluster.start(2);
    var three = cluster.start(3, without); // the second one of its list, as node 2 of its own
    cluster.view(two);
    cluster.view(three);
    cluster.run(3000);
    assertEquals(List.of(2), two.members());
    assertEquals(List.of(3), three.members());
    assertNotEquals(two.membership().number(), three.membership().number());
  }
}
