package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;

class LinkPeerShortFormTest {
  private static final ViewId VIEW = new ViewId(new Address("a1b2-c3"), 17);

  private static final List<LinkPeerMessage> MESSAGES =
      List.of(
          new LinkPeerMessage.Ping(VIEW, 12_001, 99, 1L << 40),
          new LinkPeerMessage.Pong(
              VIEW,
              99,
              new NodeId(3),
              12_001,
              13_000,
              0,
              true,
              List.of(new NodeId(1), new NodeId(200)),
              false,
              3),
          new LinkPeerMessage.Pong(VIEW, 0, new NodeId(1), 0, 0, 7, false, List.of(), true, 300),
          new LinkPeerMessage.Confirm(
              12_001,
              99,
              List.of(new NodeId(1), new NodeId(2), new NodeId(3)),
              true,
              new QuorumState(3, 3, 2, 3, false, true),
              List.of(
                  new LinkPeerMessage.Pair(new NodeId(1), new NodeId(3)),
                  new LinkPeerMessage.Pair(new NodeId(2), new NodeId(3)))),
          new LinkPeerMessage.Confirm(
              1, 1, List.of(), false, new QuorumState(3, 3, 2, 1, true, false), List.of()));

  private static final LinkPeerMessage TOLD =
      new LinkPeerMessage.Told(
          12_002,
          new LinkPeerMessage.Ordered(
              12_001,
              7,
              new NodeId(2),
              LinkPeerMessage.Item.of(9, LinkPeerMessage.Kind.MESSAGE, "cib", new byte[] {1, 2})));

  @Test
  void messagesOfARoundAreReadAsTheyWereWritten() throws Exception {
    for (var message : MESSAGES) {
      var frame = LinkPeerMessage.PROTOCOL.encode(0, message);
      assertEquals(0, frame[0], "short");
      assertTrue(frame.length < 64);
      assertEquals(message, LinkPeerMessage.PROTOCOL.decode(frame).body());
    }
  }

  @Test
  void anItemOfATailIsReadAsItWasWritten() throws Exception {
    var frame = LinkPeerMessage.PROTOCOL.encode(0, TOLD);
    assertEquals(0, frame[0], "short");
    var read = (LinkPeerMessage.Told) LinkPeerMessage.PROTOCOL.decode(frame).body();
    assertEquals(12_002, read.number());
    assertEquals(12_001, read.item().number());
    assertEquals(7, read.item().sequence());
    assertEquals(new NodeId(2), read.item().origin());
    assertEquals("cib", read.item().item().group());
    assertArrayEquals(new byte[] {1, 2}, read.item().item().payload());
  }

  @Test
  void aTruncatedMessageIsRefused() {
    for (var message : Stream.concat(MESSAGES.stream(), Stream.of(TOLD)).toList()) {
      var frame = LinkPeerMessage.PROTOCOL.encode(0, message);
      for (var length = 1; length < frame.length; length++) {
        var part = Arrays.copyOf(frame, length);
        assertThrows(ProtocolException.class, () -> LinkPeerMessage.PROTOCOL.decode(part));
      }
    }
  }
}
