package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;

class EndedPeersTest {
  private static final Address A = new Address("a");
  private static final Address B = new Address("b");
  private static final Duration ROUND = Duration.ofNanos(250);
  private static final Duration CLAIM = Duration.ofNanos(1000);

  private final EndedPeers ended = new EndedPeers();

  @Test
  void aProcessHeardLaterLives() {
    ended.ended(A, 1000);
    ended.ended(B, 1000);
    ended.heard(A, 1250, ROUND);
    assertEquals(List.of(A, B), ended.recent(1300, CLAIM));
    ended.heard(A, 1251, ROUND);
    assertEquals(List.of(B), ended.recent(1300, CLAIM));
  }

  @Test
  void aMessageUnderWayWhenAProcessEndedDoesNotBringItBack() {
    ended.ended(A, 0);
    ended.heard(A, 250, ROUND);
    assertEquals(List.of(A), ended.recent(300, CLAIM));
  }

  @Test
  void whoAnswersThePingThatThisOneAnswersLives() {
    var places = List.of(new LinkPeerMessage.Place(new NodeId(1), A, 1));
    ended.ended(A, 1000);
    ended.answered(places, null, ROUND);
    ended.answered(places, 1250L, ROUND);
    assertEquals(List.of(A), ended.recent(1300, CLAIM));
    ended.answered(places, 1251L, ROUND);
    assertEquals(List.of(), ended.recent(1300, CLAIM));
  }

  @Test
  void anEndIsForgottenOnceTheClaimsOfTheProcessHaveLapsed() {
    ended.ended(A, 0);
    ended.ended(B, 10);
    assertEquals(List.of(A, B), ended.recent(1000, CLAIM));
    assertEquals(List.of(B), ended.recent(1001, CLAIM));
  }

  @Test
  void aProcessInANewViewHasNotEnded() {
    ended.ended(A, 0);
    ended.present(List.of(A, B));
    assertEquals(List.of(), ended.recent(1, CLAIM));
  }

  @Test
  void noMoreThan256AreRemembered() {
    for (var number = 0; number < 300; number++) {
      ended.ended(new Address("p" + number), number);
    }
    var recent = ended.recent(300, CLAIM);
    assertEquals(256, recent.size());
    assertEquals(new Address("p44"), recent.getFirst());
  }
}
