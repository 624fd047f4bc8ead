package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.DirectMessages.Sent;
import org.systole.pacemakerd.link.LinkPeerMessage.Direct;
import org.systole.pacemakerd.link.LinkPeerMessage.Pair;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

class DirectMessagesTest {
  private static final Address B = new Address("b");
  private static final Address C = new Address("c");
  private static final List<Place> MEMBERS =
      List.of(
          new Place(new NodeId(1), new Address("a"), 1),
          new Place(new NodeId(2), B, 1),
          new Place(new NodeId(3), C, 1));

  private FakeCluster cluster;
  private DirectMessages directs;

  @BeforeEach
  void make() throws Exception {
    cluster = new FakeCluster(3, "");
    directs = new DirectMessages(cluster.new Process(1, new Address("a")), Duration.ofMillis(4000));
  }

  private void send(Address to, int bytes) {
    directs.sent(to, new Direct(1, 0, new NodeId(1), directs.next(), "cib", new byte[bytes]));
  }

  private List<Long> lost(Set<Address> relaying) {
    return directs.update(MEMBERS, relaying).stream().map(it -> it.message().id()).toList();
  }

  @Test
  void aDuplicateIsNotNew() {
    assertTrue(directs.isNew(B, 1));
    assertFalse(directs.isNew(B, 1));
    assertTrue(directs.isNew(C, 1), "numbers count per sender");
    assertTrue(directs.isNew(B, 3));
    assertFalse(
        directs.isNew(B, 2), "a later message overtook it, and it came through the leader too");
  }

  @Test
  void messagesSentShortlyBeforeASilenceAreRelayedOnce() {
    send(B, 1);
    send(C, 1);
    send(B, 1);
    directs.silent(B, true);
    assertEquals(List.of(1L, 3L), lost(Set.of()));
    assertTrue(directs.isApart(new NodeId(2)));
    assertFalse(directs.isApart(new NodeId(3)));
    assertEquals(List.of(), lost(Set.of()), "only once");
  }

  @Test
  void messagesSentLongBeforeASilenceAreNotRelayed() {
    send(B, 1);
    cluster.run(4001);
    send(B, 1);
    directs.silent(B, true);
    assertEquals(List.of(2L), lost(Set.of()));
  }

  @Test
  void noMoreIsKeptThanTenThousandOr32Mebibytes() {
    for (var count = 0; count < 10_003; count++) {
      send(B, 1);
    }
    directs.silent(B, true);
    var lost = lost(Set.of());
    assertEquals(10_000, lost.size());
    assertEquals(4, lost.getFirst());

    send(C, 20 << 20);
    send(C, 20 << 20);
    directs.silent(C, true);
    assertEquals(List.of(10_005L), lost(Set.of()));
  }

  @Test
  void aMessageLongerThanAllThatIsKeptIsSentAndNotKept() {
    send(B, 1);
    send(B, 33 << 20);
    send(B, 1);
    directs.silent(B, true);
    assertEquals(List.of(3L), lost(Set.of()));
  }

  @Test
  void theLeaderTellsWhichNodesDoNotHearEachOther() {
    send(C, 1);
    directs.told(
        List.of(new Pair(new NodeId(2), new NodeId(3)), new Pair(new NodeId(3), new NodeId(1))),
        new NodeId(1));
    assertEquals(List.of(1L), lost(Set.of()));
    assertTrue(directs.isApart(new NodeId(3)));
    assertFalse(directs.isApart(new NodeId(2)), "the silence is between two other nodes");
    directs.told(List.of(), new NodeId(1));
    assertEquals(List.of(), lost(Set.of()));
    assertFalse(directs.isApart(new NodeId(3)));
  }

  @Test
  void nothingOvertakesWhatIsStillOnItsWayThroughTheLeader() {
    directs.silent(B, true);
    lost(Set.of());
    directs.silent(B, false);
    lost(Set.of(B));
    assertTrue(directs.isApart(new NodeId(2)));
    lost(Set.of());
    assertFalse(directs.isApart(new NodeId(2)));
  }

  @Test
  void silenceIsNewsOnce() {
    assertTrue(directs.silent(B, true));
    assertFalse(directs.silent(B, true));
    assertEquals(List.of(new NodeId(2)), directs.unheard(MEMBERS));
    assertTrue(directs.silent(B, false));
    assertFalse(directs.silent(B, false));
    assertEquals(List.of(), directs.unheard(MEMBERS));
  }

  @Test
  void aLostProcessIsForgotten() {
    directs.isNew(B, 5);
    directs.silent(B, true);
    send(B, 30 << 20);
    send(C, 1);
    directs.view(List.of(C));
    assertEquals(List.of(), directs.unheard(MEMBERS));
    assertFalse(directs.isNew(B, 5), "it may come once more, relayed, when B is out of the view");
    assertTrue(directs.isNew(B, 6));
    send(C, 30 << 20);
    directs.silent(C, true);
    assertEquals(
        2,
        directs.update(MEMBERS, Set.of()).size(),
        "B's messages were dropped, and their room is free");
  }

  @Test
  void aMessageIsKeptWithItsReceiver() {
    send(B, 1);
    directs.silent(B, true);
    Sent lost = directs.update(MEMBERS, Set.of()).getFirst();
    assertEquals(B, lost.to());
    assertEquals("cib", lost.message().group());
  }

  @Test
  void ofProcessesThatAreGoneOnlyTheLastThousandAreRemembered() {
    directs.isNew(B, 5);
    for (var number = 0; number < 999; number++) {
      directs.isNew(new Address("gone" + number), 1);
    }
    assertFalse(directs.isNew(B, 5));
    directs.isNew(new Address("one more"), 1);
    assertTrue(directs.isNew(B, 5));
  }
}
