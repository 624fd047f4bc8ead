package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A file is read anew while members are away: it comes in force all the same once that is safe, costs nobody the quorum, and it is
/// said what it waits for.
class FilesApartTest extends NodesUnderTest {
  private final List<FakeCluster.Process> away = new ArrayList<>();

  private void files(String text) {
    nodes.forEach(it -> it.file = text);
  }

  private void reload(String text) {
    files(text);
    node(1).reload();
    cluster.run(3000);
  }

  private void comes(int id, int... list) throws Exception {
    var process = cluster.start(id, QuorumRulesTest.config("", list));
    process.file = text(list);
    nodes.add(process);
    viewOfAll();
  }

  private void cutOff(int... ids) {
    for (var id : ids) {
      away.add(node(id));
    }
    nodes.removeAll(away);
    for (var one : nodes) {
      for (var other : away) {
        one.cutTo(other, true);
        other.cutTo(one, true);
      }
    }
    cluster.view(away.toArray(FakeCluster.Process[]::new));
    viewOfAll();
  }

  private void heal() {
    nodes.addAll(away);
    away.clear();
    nodes.forEach(one -> nodes.forEach(other -> one.cutTo(other, false)));
    viewOfAll();
  }

  // ---- a member is to leave

  @Test
  void aMemberIsNotRemovedWhereTheOthersHaveNoQuorumWithoutIt() throws Exception {
    form("", 1, 2, 3, 4);
    gone(3);
    reload(text(1, 2, 3));
    assertEquals(
        List.of(
            "false [The new corosync.conf could not come in force: without node4, which it does not list, node1 node2 would have 2 votes of the 3 that it takes by the list that is in force until then; start node3 first, or take what is lost off the list before, by itself., Nothing was changed on any node.]"),
        node(1).reloads);
    cluster.run(20_000);
    assertEquals(0, node(4).dropped);
    assertEquals(List.of(1, 2, 4), quorate());

    reload(text(1, 2, 4));
    reload(text(1, 2));
    assertEquals(1, node(4).dropped, "as it says");
    gone(4);
    assertEquals(List.of(1, 2), node(1).configured);
    assertEquals(List.of(1, 2), quorate());
  }

  @Test
  void twoOfFourAreNotRemovedAtOnce() throws Exception {
    form("", 1, 2, 3, 4);
    reload(text(1, 2));
    assertTrue(node(1).reloads.getFirst().contains("take them off the list one at a time"), "" + node(1).reloads);
    assertEquals(0, node(3).dropped + node(4).dropped);
    reload(text(1, 2, 3));
    gone(4);
    reload(text(1, 2));
    assertEquals(1, node(3).dropped);
    gone(3);
    assertEquals(List.of(1, 2), quorate());
  }

  @Test
  void oneOfTwoIsRemovedWhereEachHasQuorumAlone() throws Exception {
    form("two_node: 1", 1, 2);
    reload(text(1));
    assertEquals(1, node(2).dropped);
    gone(2);
    assertEquals(List.of(1), quorate());
    assertEquals(List.of(1), node(1).configured);
  }

  /// One is lost after the file was taken, and before who is dropped was told to leave.
  @Test
  void whoIsDroppedIsKeptWhereAnotherOneIsLostMeanwhile() throws Exception {
    var line =
        "The new corosync.conf is not in force yet: it waits for votes: without node4, which it does not list, node1 node2 would have 2 votes of the 3 that it takes by the list that is in force until then; start node3 first, or take what is lost off the list before, by itself.";
    var kept = 0;
    for (var millis = 0; millis < 40; millis++) {
      nodes.clear();
      form("", 1, 2, 3, 4);
      files(text(1, 2, 3));
      node(1).reload();
      cluster.run(millis);
      var lost = node(3);
      lost.kill();
      cluster.run(4); // what was said before has arrived
      var told = node(4).dropped;
      nodes.remove(lost);
      nodes.forEach(it -> it.sees(lost, true));
      viewOfAll();
      cluster.run(20_000);
      assertEquals(told, Math.min(1, node(4).dropped), "after %d ms".formatted(millis));
      assertEquals(List.of(1, 2, 4), quorate());
      if (told == 0 && node(2).complaints.contains(line)) {
        kept++;
        comes(3, 1, 2, 3);
        assertTrue(node(4).dropped > 0, "after %d ms".formatted(millis));
        gone(4);
        assertEquals(List.of(1, 2, 3), node(1).configured);
        assertEquals(List.of(1, 2, 3), quorate());
      }
    }
    assertTrue(kept > 0, "it was never between");
  }

  /// It had been told to leave before another one was lost.
  @Test
  void itIsSaidThatVotesAreMissingAndWhose() throws Exception {
    form("", 1, 2, 3, 4);
    reload(text(1, 2, 3));
    assertEquals(1, node(4).dropped);
    gone(3);
    gone(4);
    assertEquals(List.of(), quorate());
    cluster.run(12_000);
    var line =
        "The new corosync.conf is not in force yet: the nodes that are there (node1 node2) have 2 votes of the 3 that it takes by the list that is in force until then; start node3.";
    assertEquals(line, node(2).complaints.getLast());
    assertEquals(List.of("true [" + line + "]"), node(1).reloads);
    comes(3, 1, 2, 3);
    assertEquals(List.of(1, 2, 3), quorate());
    assertEquals(List.of(1, 2, 3), node(1).configured);
  }

  @Test
  void aFileThatWaitsIsTakenBackWithTheFormerOne() throws Exception {
    form("", 1, 2, 3);
    gone(3);
    reload(text(1, 2, 3, 4));
    assertEquals(List.of(), node(1).reloads, "it waits");
    cluster.run(10_000);
    reload(text(1, 2, 3));
    assertEquals("true []", node(1).reloads.getLast());
    comes(3, 1, 2, 3);
    gone(1);
    assertEquals(List.of(2, 3), quorate());
  }

  // ---- a member has missed a file

  @Test
  void whoWasCutOffReadsItsFileAnewOnceItIsBack() throws Exception {
    for (var missed : List.of(3, 1)) { // the leader, too
      nodes.clear();
      form("", 1, 2, 3);
      nodes.forEach(it -> it.file = text(1, 2, 3, 4));
      cutOff(missed);
      var asked = node(2);
      asked.reload();
      cluster.run(11_000);
      assertTrue(asked.reloads.getFirst().contains("start node" + missed + " node4."), "" + asked.reloads);
      heal();
      nodes.forEach(it -> assertEquals(List.of(1, 2, 3, 4), it.configured));
      assertEquals(List.of(1, 2, 3), quorate());
    }
  }

  @Test
  void itIsSaidWhoHasNotReadTheFileAndWhereItsOwnDiffers() throws Exception {
    form("", 1, 2, 3);
    cutOff(3);
    reload(text(1, 2, 3, 4));
    away.getFirst().file = text(1, 2, 3);
    heal();
    cluster.run(60_000);
    assertEquals(List.of(), node(1).configured);
    var line = "The new corosync.conf is not in force yet: it waits for node3 to read it; give it the same file, and say corosync-cfgtool -R again.";
    assertEquals(1, node(1).complaints.stream().filter(line::equals).count(), "" + node(1).complaints);
    assertEquals(1, node(2).complaints.stream().filter(line::equals).count(), "" + node(2).complaints);
    assertTrue(
        node(1)
            .complaints
            .contains(
                "corosync.conf of node node3 is not the new one, which the others have read: it does not list node 4 (node4); its expected_votes is 3, here 4; make them the same, and say corosync-cfgtool -R again"),
        "" + node(1).complaints);
    reload(text(1, 2, 3, 4));
    nodes.forEach(it -> assertEquals(List.of(1, 2, 3, 4), it.configured));
  }

  /// It has taken one before, which the others have gone past.
  @Test
  void theNewestFileIsReadByOneThatHasTakenAnEarlierOne() throws Exception {
    form("", 1, 2, 3);
    node(1).inStep = false;
    reload(text(1, 2, 3, 4));
    assertEquals(List.of(), node(1).configured, "it waits");
    cutOff(1);
    var newest = QuorumRulesTest.text(2000, "", 1, 2, 3, 4);
    files(newest);
    node(2).reload();
    cluster.run(3000);
    var back = away.getFirst();
    back.file = newest;
    back.inStep = true;
    heal();
    nodes.forEach(it -> assertTrue(it.goesBy(4, 2000), "node " + it.id));
    assertEquals(List.of(1, 2, 3), quorate());
  }

  // ---- addresses

  @Test
  void filesWithOtherAddressesOfANodeAreRefused() throws Exception {
    form("", 1, 2, 3);
    var number = node(1).membership().number();
    files(text(1, 2, 3, 4));
    node(2).file = text(1, 2, 3, 4).replace("10.0.0.3", "10.0.0.33");
    node(1).reload();
    cluster.run(3000);
    assertEquals(
        List.of(
            "false [corosync.conf of node node2 differs from this node's: its ring0_addr of node 3 (node3) is 10.0.0.33, here 10.0.0.3; make them the same., Nothing was changed on any node.]"),
        node(1).reloads);
    files(text(1, 2, 3));
    node(2).file = text(1, 2, 3).replace("name: node3", "name: node3\nring1_addr: 10.0.1.3");
    node(1).reload();
    cluster.run(3000);
    assertTrue(node(1).reloads.getLast().contains("its ring1_addr of node 3 (node3) is 10.0.1.3, here none"), "" + node(1).reloads);
    assertEquals(number, node(1).membership().number());
    assertFalse(nodes.stream().anyMatch(it -> !it.used.isEmpty()));
  }
}
