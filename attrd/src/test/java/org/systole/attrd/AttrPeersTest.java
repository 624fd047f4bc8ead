package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Which manager writes, which ones have sent their values, and what newcomers are sent; seen from
/// node2 of three.
class AttrPeersTest {
  private final AttributeTable table = new AttributeTable(new Unwatched());
  private final AttrPeers peers = new AttrPeers(table);

  AttrPeersTest() {
    var nodes =
        List.of(
            new LinkMessage.ConfiguredNode(new NodeId(1), new NodeName("node1"), 1),
            new LinkMessage.ConfiguredNode(new NodeId(2), new NodeName("node2"), 1),
            new LinkMessage.ConfiguredNode(new NodeId(3), new NodeName("node3"), 1));
    peers.joined(new LinkMessage.Joined(new NodeId(2), new NodeName("node2"), "test", nodes, 1000));
  }

  private static List<NodeId> ids(int... ids) {
    return IntStream.of(ids).mapToObj(NodeId::new).toList();
  }

  private static Membership membership(long number, Map<Integer, Long> since) {
    var members =
        since.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                it ->
                    new Member(
                        new NodeId(it.getKey()), new NodeName("node" + it.getKey()), it.getValue()))
            .toList();
    return new Membership(number, members, true);
  }

  /// All three are there, node1 the longest, and have sent their values.
  private void settled() {
    peers.membership(membership(10, Map.of(1, 1L, 2, 5L, 3, 9L)));
    peers.group(ids(1, 2, 3));
    peers.told(new NodeId(1), false);
    peers.told(new NodeId(3), false);
  }

  private static AttrPeerMessage.Value value(String node, boolean remote) {
    return new AttrPeerMessage.Value("a", Kind.TRANSIENT, 0, new NodeName(node), "x", remote);
  }

  @Test
  void nodesAreKnownByIdAndNameFromTheConfigurationOn() {
    assertTrue(peers.isLocal(new NodeId(2)));
    assertEquals(new NodeName("node2"), peers.localName());
    assertEquals(new NodeName("node3"), peers.nameOf(new NodeId(3)));
    assertEquals(new NodeName("node 7"), peers.nameOf(new NodeId(7)));
    assertEquals(new CibNodeId("3"), peers.cibIdOf(new NodeName("NODE3")));
    assertNull(peers.cibIdOf(new NodeName("node7")));
    assertEquals(
        List.of(new NodeName("node1"), new NodeName("node2"), new NodeName("node3")),
        peers.writerMustClean());
    peers.membership(membership(10, Map.of(7, 1L)));
    assertEquals(new CibNodeId("7"), peers.cibIdOf(new NodeName("node7")), "a member is known too");
    assertEquals(Map.of(new NodeId(7), new NodeName("node7")), peers.memberNames());
  }

  @Test
  void theLongestMemberWrites() {
    settled();
    assertFalse(peers.isWriter(), "node1 is older");
    peers.membership(membership(11, Map.of(2, 5L, 3, 9L)));
    peers.group(ids(2, 3));
    assertTrue(peers.isWriter());
  }

  @Test
  void noManagerWritesBeforeAllOthersHaveSentTheirValues() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L, 3, 9L)));
    assertTrue(peers.group(ids(1, 2, 3)));
    assertFalse(peers.isWriter());
    peers.told(new NodeId(1), false);
    assertFalse(peers.isWriter());
    assertTrue(peers.introduction().fresh());
    peers.told(new NodeId(3), false);
    assertTrue(peers.isWriter());
    assertFalse(peers.introduction().fresh());
  }

  @Test
  void whenNoManagerHasValuesTheCibIsReadFirst() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L)));
    peers.group(ids(1, 2));
    assertFalse(peers.mustRecall(), "node1 may know");
    peers.told(new NodeId(1), true);
    assertTrue(peers.mustRecall());
    assertFalse(peers.isWriter());
    peers.recalled();
    assertFalse(peers.mustRecall());
    assertTrue(peers.isWriter());
  }

  @Test
  void onePeerThatHasValuesIsEnough() {
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L, 3, 6L)));
    peers.group(ids(1, 2, 3));
    peers.told(new NodeId(1), true);
    peers.told(new NodeId(3), false);
    assertFalse(peers.mustRecall());
  }

  @Test
  void aManagerThatComesIsNewsOnceAndOneThatGoesIsNot() {
    settled();
    assertFalse(peers.group(ids(1, 2, 3)));
    assertFalse(peers.group(ids(1, 2)));
    assertTrue(peers.group(ids(1, 2, 3)), "back again");
    assertFalse(peers.group(ids(1, 2, 3, 8)), "no member");
  }

  @Test
  void aNodeOfANewStayHasLeftAndCome() {
    settled();
    assertEquals(
        List.of(new NodeName("node3")),
        peers.membership(membership(12, Map.of(1, 1L, 2, 5L, 3, 12L))));
    assertTrue(peers.group(ids(1, 2, 3)));
    assertEquals(
        List.of(new NodeName("node1")), peers.membership(membership(13, Map.of(2, 5L, 3, 12L))));
    assertEquals(List.of(), peers.membership(membership(14, Map.of(2, 5L, 3, 12L))));
  }

  @Test
  void theOldestVouchesForNewcomersAndRemoteNodes() {
    table.take(List.of(value("node1", false), value("node3", false), value("far", true)));
    peers.membership(membership(10, Map.of(1, 7L, 2, 5L)));
    peers.group(ids(1, 2));
    peers.told(new NodeId(1), false);
    peers.membership(membership(11, Map.of(1, 7L, 2, 5L, 3, 11L)));
    peers.group(ids(1, 2, 3));
    assertEquals(List.of(value("far", true), value("node3", false)), peers.introduction().others());
  }

  @Test
  void onlyTheOldestVouchesForOthers() {
    settled();
    table.take(List.of(value("node3", false), value("far", true)));
    peers.group(ids(1, 2));
    peers.group(ids(1, 2, 3));
    assertEquals(List.of(), peers.introduction().others());
  }

  @Test
  void whatIsSaidOnceMoreIsForThoseToWhomItWasSaidBefore() {
    settled();
    peers.group(ids(1, 2));
    var told = peers.introduction();
    peers.group(ids(1, 2, 3));
    var again = peers.again(told);
    assertNotNull(again);
    assertEquals(ids(1, 2), again.present());
    peers.group(ids(2, 3));
    assertNull(peers.again(told), "nobody of them is left");
  }

  @Test
  void everyPeerIsGoneWithTheLink() {
    settled();
    peers.lost();
    assertEquals(List.of(), List.copyOf(peers.present()));
    assertFalse(peers.isWriter());
    assertTrue(peers.group(ids(1, 2, 3)), "they come anew");
  }
}
