package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;

/// Who writes, who has told what it knows, and who owes what to whom; seen from node2 of three.
class AttrPeersTest {
  private final AttributeTable table = new AttributeTable();
  private final AttrPeers peers = new AttrPeers(table);

  AttrPeersTest() {
    var nodes =
        List.of(
            new LinkMessage.ConfiguredNode(1, "node1", 1),
            new LinkMessage.ConfiguredNode(2, "node2", 1),
            new LinkMessage.ConfiguredNode(3, "node3", 1));
    peers.joined(new LinkMessage.Joined(2, "node2", "test", nodes, 1000));
  }

  private static Membership membership(long number, Map<Integer, Long> since) {
    var members =
        since.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(it -> new Member(it.getKey(), "node" + it.getKey(), it.getValue()))
            .toList();
    return new Membership(number, members, true);
  }

  /// All three are there, node1 the longest, and have told what they know.
  private void settled() {
    peers.membership(membership(10, Map.of(1, 1L, 2, 5L, 3, 9L)));
    peers.group(List.of(1, 2, 3));
    peers.told(1, false);
    peers.told(3, false);
  }

  private static AttrPeerMessage.Value value(String node, boolean remote) {
    return new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, node, "x", remote);
  }

  @Test
  void nodesAreKnownByIdAndNameFromTheConfigurationOn() {
    assertEquals(2, peers.localId());
    assertEquals("node2", peers.localName());
    assertEquals("node3", peers.nameOf(3));
    assertEquals("node 7", peers.nameOf(7));
    assertEquals("3", peers.cibIdOf("NODE3"));
    assertNull(peers.cibIdOf("node7"));
    assertEquals(List.of("node1", "node2", "node3"), peers.writerMustClean());
    peers.membership(membership(10, Map.of(7, 1L)));
    assertEquals("7", peers.cibIdOf("node7"), "a member is known too");
    assertEquals(Map.of(7, "node7"), peers.memberNames());
  }

  @Test
  void whoHasBeenThereLongestWrites() {
    settled();
    assertFalse(peers.isWriter(), "node1 is older");
    peers.membership(membership(11, Map.of(2, 5L, 3, 9L)));
    peers.group(List.of(2, 3));
    assertTrue(peers.isWriter());
  }

  @Test
  void nobodyWritesBeforeAllOthersHaveToldWhatTheyKnow() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L, 3, 9L)));
    assertTrue(peers.group(List.of(1, 2, 3)));
    assertFalse(peers.isWriter());
    peers.told(1, false);
    assertFalse(peers.isWriter());
    assertTrue(peers.whatToTell().fresh());
    peers.told(3, false);
    assertTrue(peers.isWriter());
    assertFalse(peers.whatToTell().fresh());
  }

  @Test
  void whenNobodyKnowsAnythingTheCibIsAskedFirst() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L)));
    peers.group(List.of(1, 2));
    assertFalse(peers.mustRecall(), "node1 may know");
    peers.told(1, true);
    assertTrue(peers.mustRecall());
    assertFalse(peers.isWriter());
    peers.recalled();
    assertFalse(peers.mustRecall());
    assertTrue(peers.isWriter());
  }

  @Test
  void oneWhoKnowsIsEnough() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L, 3, 6L)));
    peers.group(List.of(1, 2, 3));
    peers.told(1, true);
    peers.told(3, false);
    assertFalse(peers.mustRecall());
  }

  @Test
  void aManagerThatComesIsNewsOnceAndOneThatGoesIsNot() {
    settled();
    assertFalse(peers.group(List.of(1, 2, 3)));
    assertFalse(peers.group(List.of(1, 2)));
    assertTrue(peers.group(List.of(1, 2, 3)), "back again");
    assertFalse(peers.group(List.of(1, 2, 3, 8)), "no member");
  }

  @Test
  void aNodeOfANewStayHasLeftAndCome() {
    settled();
    assertEquals(List.of("node3"), peers.membership(membership(12, Map.of(1, 1L, 2, 5L, 3, 12L))));
    assertTrue(peers.group(List.of(1, 2, 3)));
    assertEquals(List.of("node1"), peers.membership(membership(13, Map.of(2, 5L, 3, 12L))));
    assertEquals(List.of(), peers.membership(membership(14, Map.of(2, 5L, 3, 12L))));
  }

  @Test
  void theOldestVouchesForNewcomersAndRemoteNodes() {
    table.take(List.of(value("node1", false), value("node3", false), value("far", true)));
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L)));
    peers.group(List.of(1, 2));
    peers.told(1, false);
    peers.membership(membership(11, Map.of(1, 7L, 2, 5L, 3, 11L)));
    peers.group(List.of(1, 2, 3));
    assertEquals(List.of(value("far", true), value("node3", false)), peers.whatToTell().others());
  }

  @Test
  void whoIsNotTheOldestVouchesForNobody() {
    settled();
    table.take(List.of(value("node3", false), value("far", true)));
    peers.group(List.of(1, 2));
    peers.group(List.of(1, 2, 3));
    assertEquals(List.of(), peers.whatToTell().others());
  }

  @Test
  void whatWasToldIsRightWhileNothingOfThisNodeChanges() {
    table.take(List.of(value("node2", false)));
    var told = peers.whatToTell();
    table.take(List.of(value("node1", false)));
    assertTrue(peers.isStillRight(told));
    table.apply(AttrUpdates.set("a", "node2", "y"));
    assertFalse(peers.isStillRight(told));
  }

  @Test
  void withTheLinkEverybodyIsGone() {
    settled();
    peers.lost();
    assertEquals(List.of(), List.copyOf(peers.present()));
    assertFalse(peers.isWriter());
    assertTrue(peers.group(List.of(1, 2, 3)), "they come anew");
  }
}
