package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SealProtocolTest {
  private static final byte[] SECRET = new byte[200];
  private static final String TEXT = "<primitive id=\"database\"/>";

  /// A process: what it sends, and what its protocols above receive.
  private static final class Node {
    final Address address = UUID.randomUUID();
    final List<Message> sent = new ArrayList<>();
    final List<String> heard = new ArrayList<>();
    final KeyRing keys;
    final SealProtocol seal;

    Node(byte[] secret) {
      keys = new KeyRing(ClusterKey.of(secret, "test"));
      seal = new SealProtocol(keys, "test");
      seal.setAddress(address);
      seal.setDownProtocol(
          new Protocol() {
            @Override
            public @Nullable Object down(Message message) {
              sent.add(message);
              return null;
            }
          });
      seal.setUpProtocol(
          new Protocol() {
            @Override
            public @Nullable Object up(Message message) {
              heard.add(new String(message.getArray(), StandardCharsets.UTF_8));
              return null;
            }
          });
    }

    Message say(@Nullable Address to) {
      seal.down(new BytesMessage(to, TEXT.getBytes(StandardCharsets.UTF_8)));
      return sent.removeLast();
    }
  }

  private final Node one = new Node(SECRET);
  private final Node other = new Node(SECRET);

  @Test
  void messagesOnTheWireAreUnreadable() {
    var sealed = new String(one.say(other.address).getArray(), StandardCharsets.ISO_8859_1);
    assertFalse(sealed.contains("primitive"));
    assertFalse(sealed.contains("database"));
  }

  @Test
  void aProcessWithTheKeyReadsAMessageOnce() {
    var message = one.say(other.address);
    other.seal.up(message);
    assertEquals(List.of(TEXT), other.heard);
    other.seal.up(message);
    assertEquals(1, other.heard.size(), "the second copy is dropped");
  }

  @Test
  void anotherKeyReadsNothing() {
    var stranger = new Node(new byte[201]);
    var message = one.say(stranger.address);
    stranger.seal.up(message);
    assertEquals(List.of(), stranger.heard);
  }

  @Test
  void noMessageCanBeForgedOrRedirected() {
    var message = one.say(other.address);
    message.setSrc(other.address);
    other.seal.up(message);
    var third = new Node(SECRET);
    var again = one.say(other.address);
    again.setDest(third.address);
    third.seal.up(again);
    assertEquals(List.of(), other.heard);
    assertEquals(List.of(), third.heard);
  }

  @Test
  void oneChangedBitIsRefused() {
    var message = one.say(other.address);
    message.getArray()[message.getLength() / 2] ^= 1;
    other.seal.up(message);
    assertEquals(List.of(), other.heard);
  }

  @Test
  void messagesRecordedBeforeAProcessStartedAreRefused() {
    var toOne = one.say(other.address);
    var toAll = one.say(null);
    var restarted = new Node(SECRET);
    restarted.seal.up(toOne);
    restarted.seal.up(toAll);
    assertEquals(List.of(), restarted.heard);
  }

  @Test
  void theSenderOfABroadcastIsAskedToProveThatItIsThereAndThenHeard() {
    other.seal.up(one.say(null));
    assertEquals(List.of(), other.heard);
    one.seal.up(other.sent.removeLast()); // the question
    other.seal.up(one.sent.removeLast()); // the answer
    other.seal.up(one.say(null));
    assertEquals(List.of(TEXT), other.heard);
  }

  private static byte[] another() {
    var secret = new byte[200];
    secret[7] = 1;
    return secret;
  }

  private static void accept(Node node, ClusterKey key) {
    node.keys.offer(key);
    assertTrue(node.keys.accept(key.alias()));
  }

  @Test
  void whileTheKeyIsChangedBothAreReadAndThenOnlyTheNewOne() {
    var former = other.keys.present();
    accept(one, ClusterKey.of(another(), "test"));
    accept(other, ClusterKey.of(another(), "test"));
    other.seal.up(one.say(other.address));
    var late = one.say(other.address);
    var next = one.keys.accepted().getLast().alias();
    one.keys.use(next);
    other.seal.up(one.say(other.address));
    other.seal.up(one.say(null));
    assertEquals(List.of(TEXT, TEXT, TEXT), other.heard, "it need not prove again that it is there");
    other.seal.up(late);
    assertEquals(4, other.heard.size(), "what was on its way is read");
    other.seal.up(late);
    assertEquals(4, other.heard.size(), "once");
    other.keys.use(next);
    other.keys.forget(former);
    other.seal.forget(former);
    other.seal.up(new Node(SECRET).say(other.address));
    other.seal.up(late);
    assertEquals(4, other.heard.size(), "nothing under the former key");
  }

  @Test
  void whoHasAFormerKeyCannotUseUpANodesNumbers() {
    accept(other, ClusterKey.of(another(), "test"));
    accept(one, ClusterKey.of(another(), "test"));
    for (var count = 0; count < 2 * ReplayWindow.WIDTH; count++) {
      other.seal.up(one.say(other.address));
    }
    var heard = other.heard.size();
    var forger = new Node(another()); // its numbers begin at 0
    forger.seal.setAddress(one.address);
    other.seal.up(forger.say(other.address));
    assertEquals(heard + 1, other.heard.size(), "numbers under one key do not count for another");
  }

  @Test
  void numbersCountOnceInAnyOrderWithinTheWindow() {
    var window = new ReplayWindow();
    assertTrue(window.take(5));
    assertTrue(window.take(3));
    assertFalse(window.take(5));
    assertFalse(window.take(3));
    assertTrue(window.take(ReplayWindow.WIDTH + 4));
    assertFalse(window.take(4), "too old");
    assertTrue(window.take(6));
    assertTrue(window.take(10L * ReplayWindow.WIDTH));
    assertFalse(window.take(ReplayWindow.WIDTH + 4));
    assertTrue(window.take(10L * ReplayWindow.WIDTH - 1));
  }
}
