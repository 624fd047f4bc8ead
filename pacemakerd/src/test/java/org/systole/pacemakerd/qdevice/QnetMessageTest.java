package org.systole.pacemakerd.qdevice;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.pacemakerd.qdevice.QnetMessage.BadMessage;
import org.systole.pacemakerd.qdevice.QnetMessage.Key;
import org.systole.pacemakerd.qdevice.QnetMessage.Kind;
import org.systole.pacemakerd.qdevice.QnetMessage.Ring;

final class QnetMessageTest {
  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static QnetMessage one(byte[] bytes) throws BadMessage {
    var frames = new QnetFrames(1000);
    frames.add(bytes);
    var it = frames.next();
    assertNotNull(it);
    return it;
  }

  @Test
  void aMessageIsItsKindItsLengthAndItsOptions() {
    var message =
        QnetMessage.of(Kind.PREINIT).text(Key.CLUSTER_NAME, "ab").number32(Key.SEQUENCE, 258);

    assertArrayEquals(
        hex("0000 0000000e  0001 0002 6162  0000 0004 00000102"), message.encode());
  }

  @Test
  void whatIsWrittenIsRead() throws BadMessage {
    var written =
        QnetMessage.of(Kind.NODE_LIST)
            .ring(new Ring(0xffff_fffeL, 1L << 40))
            .node(3, 0)
            .node(4_000_000_000L, 2)
            .below(Key.SUPPORTED_OPTIONS, 3);

    var read = one(written.encode());

    assertEquals(Kind.NODE_LIST, read.kind());
    assertEquals(new Ring(0xffff_fffeL, 1L << 40), read.ring());
    assertEquals(List.of(3L, 4_000_000_000L), read.nodes());
    assertEquals(
        List.of(true, false),
        List.of(read.lists(Key.SUPPORTED_OPTIONS, 2), read.lists(Key.SUPPORTED_OPTIONS, 3)));
  }

  @Test
  void aMessageMayComeInPiecesAndTwoAtOnce() throws BadMessage {
    var bytes = QnetMessage.of(Kind.ECHO_REPLY).number32(Key.SEQUENCE, 7).encode();
    var frames = new QnetFrames(1000);

    frames.add(Arrays.copyOf(bytes, 5));
    assertNull(frames.next());
    frames.add(Arrays.copyOfRange(bytes, 5, bytes.length));
    frames.add(bytes);

    assertEquals(7, frames.next().number(Key.SEQUENCE));
    assertEquals(7, frames.next().number(Key.SEQUENCE));
    assertNull(frames.next());
  }

  @Test
  void nonsenseIsRefused() {
    for (var it :
        List.of(
            "0001 ffffffff", // a length below zero
            "0001 7fffffff", // more than is taken
            "0001 00000003 000100", // it ends within an option's head
            "0001 00000006 0001 0005 6162")) { // and within its value
      assertThrows(BadMessage.class, () -> one(hex(it)), it);
    }
  }

  @Test
  void whatAMessageNeedsAndLacksIsNamed() throws BadMessage {
    var empty = one(QnetMessage.of(Kind.VOTE_INFO).encode());

    assertThrows(BadMessage.class, () -> empty.number(Key.VOTE));
    assertThrows(BadMessage.class, empty::ring);
    var wrong = one(QnetMessage.of(Kind.VOTE_INFO).bytes(Key.RING_ID, new byte[3]).encode());
    assertThrows(BadMessage.class, wrong::ring);
  }
}
