package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// A file that was read anew, and by which others have quorum, waits for members that lack what the cluster has acknowledged.
class FileWaitsTest extends NodesUnderTest {
  private static final String WAITS =
      "The new corosync.conf is not in force yet: it waits for %s to get what the cluster has acknowledged (its CIB), and to write it to disk. See what its CIB manager logs, or stop the node.";

  private void reload(String text) {
    nodes.forEach(it -> it.file = text);
    node(1).reload();
    cluster.run(3000);
  }

  private void lack(int... ids) {
    for (var id : ids) {
      node(id).inStep = false;
    }
  }

  private void getsAll(int id) {
    var it = node(id);
    it.inStep = true;
    it.daemon.inStep(it.membership().number());
    cluster.run(2000);
  }

  /// Two of them would be most of the new list, and go on without what the third one has.
  @Test
  void aShorterListWaitsForAllMembers() throws Exception {
    form("", 1, 2, 3, 4, 5);
    lack(2, 3);
    gone(4);
    gone(5);
    reload(text(1, 2, 3));
    assertEquals(List.of(), node(1).configured);
    getsAll(3);
    assertEquals(List.of(), node(1).configured);
    assertEquals(List.of(1, 2, 3), quorate());
    cluster.run(10_000);
    assertEquals(List.of("true [" + WAITS.formatted("node2") + "]"), node(1).reloads);
    gone(1);
    assertEquals(List.of(), quorate());
  }

  @Test
  void itIsInForceAsSoonAsTheLastOneHasAll() throws Exception {
    form("", 1, 2, 3, 4, 5);
    lack(2, 3);
    gone(4);
    gone(5);
    reload(text(1, 2, 3));
    getsAll(3);
    getsAll(2);
    nodes.forEach(it -> assertEquals(List.of(1, 2, 3), it.configured));
    assertEquals(List.of("true []"), node(1).reloads);
    gone(1);
    assertEquals(List.of(2, 3), quorate());
  }

  /// Who is to come has nothing, and is enough with one that lacks something.
  @Test
  void aLongerListWaits() throws Exception {
    form("", 1, 2, 3);
    lack(3);
    reload(text(1, 2, 3, 4, 5));
    assertEquals(List.of(), node(1).configured);
    getsAll(3);
    nodes.forEach(it -> assertEquals(List.of(1, 2, 3, 4, 5), it.configured));
  }

  /// What was acknowledged after a member had all, and before all had taken the file, it may lack.
  @Test
  void whatAMemberHadBeforeTheFileWasTakenIsNotEnough() throws Exception {
    form("", 1, 2, 3);
    lack(2, 3);
    assertEquals(List.of(), node(1).coming);
    reload(text(1, 2, 3, 4));
    assertEquals(List.of(), node(1).configured);
    nodes.forEach(it -> assertEquals(List.of(List.of(1, 2, 3, 4)), it.coming, "the CIB managers know"));
    getsAll(2);
    getsAll(3);
    nodes.forEach(it -> assertEquals(List.of(), it.coming));
    nodes.forEach(it -> assertEquals(List.of(1, 2, 3, 4), it.configured));
  }

  @Test
  void oneThatWasAwayMeanwhileHasToGetAllAgain() throws Exception {
    form("", 1, 2, 3, 4);
    lack(2);
    reload(text(1, 2, 3, 4, 5));
    var away = node(3);
    nodes.remove(away);
    for (var it : nodes) {
      it.cutTo(away, true);
      away.cutTo(it, true);
    }
    cluster.view(away);
    viewOfAll();
    assertEquals(List.of(1, 2, 4), quorate());
    for (var it : nodes) {
      it.cutTo(away, false);
      away.cutTo(it, false);
    }
    nodes.add(away);
    away.inStep = false;
    viewOfAll();
    assertEquals(List.of(1, 2, 3, 4), node(1).members());
    getsAll(2);
    assertEquals(List.of(), node(1).configured, "node 3 lacks what the others went on with");
    getsAll(3);
    assertEquals(List.of(1, 2, 3, 4, 5), node(1).configured);
  }

  @Test
  void whoLeavesIsNotWaitedFor() throws Exception {
    form("", 1, 2, 3, 4, 5);
    lack(3);
    gone(5);
    reload(text(1, 2, 3, 4));
    assertEquals(List.of(), node(1).configured);
    gone(3);
    assertEquals(List.of(1, 2, 3, 4), node(1).configured);
    assertEquals(List.of(1, 2, 4), quorate());
  }

  /// What the list drops may have acknowledged something together with few others until it has left.
  @Test
  void nothingCountsBeforeWhoIsDroppedHasLeft() throws Exception {
    form("", 1, 2, 3, 4);
    reload(text(1, 2, 3));
    lack(2);
    gone(4);
    assertEquals(List.of(), node(1).configured);
    getsAll(2);
    assertEquals(List.of(1, 2, 3), node(1).configured);
  }

  @Test
  void whatDoesNotMatterForTheQuorumWaitsForNobody() throws Exception {
    form("", 1, 2, 3);
    lack(2, 3);
    reload(QuorumRulesTest.text(3000, "", 1, 2, 3));
    assertEquals(List.of("true []"), node(1).reloads);
    nodes.forEach(it -> assertEquals(3000, it.usedToken));
  }

  /// A member asks for a membership once it has all, and not again.
  @Test
  void aMembershipStandsWhileItWaits() throws Exception {
    form("", 1, 2, 3);
    lack(3);
    reload(text(1, 2, 3, 4));
    var before = node(1).membership().number();
    cluster.run(60_000);
    assertEquals(before, node(1).membership().number());
    assertTrue(node(2).complaints.contains(WAITS.formatted("node3")), "" + node(2).complaints);
    assertEquals(1, node(2).complaints.stream().filter(WAITS.formatted("node3")::equals).count());
  }
}
