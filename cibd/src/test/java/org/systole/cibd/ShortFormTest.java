package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.xml.XmlText;

class ShortFormTest {
  private static final CibPeerMessage.Change CHANGE =
      new CibPeerMessage.Change(
          7L << 32 | 1,
          128,
          XmlText.of("<diff a=\"\u00e9\"/>"),
          Long.MIN_VALUE,
          -1,
          new Line(1, 2, 3, 4, true),
          true,
          List.of("a.1", "", "a.2"));

  @Test
  void messagesComeOutAsTheyWentIn() throws ProtocolException {
    var line = new Line(1, 2, 3, 4, false);
    var history = List.of(new Line.Span(1, 2), new Line.Span(-3, 4));
    var update =
        new CibMessage.Update(List.of(CibdInTest.status("1")), true, "u", "c", 5_000, 1L << 40);
    var messages =
        List.of(
            CHANGE,
            new CibPeerMessage.Ack(1L << 32, -1, Long.MAX_VALUE),
            new CibPeerMessage.Whole(1, 2, line, history, "<cib/>", List.of("a.1")),
            new CibPeerMessage.Forward(9, "a.2", update, null),
            new CibPeerMessage.Forward(9, "a.2", update, List.of()),
            new CibPeerMessage.Forward(9, "a.2", update, List.of("wheel", "haclient")),
            new CibPeerMessage.Outcome("a.2", Rc.E2BIG, "w", null, new CibVersion(1, 2, 3), 4, 5),
            new CibPeerMessage.Outcome("a.2", Rc.OK, "", "<x/>", new CibVersion(1, 2, 3), 4, 5));
    for (var message : messages) {
      var frame = CibPeerMessage.PROTOCOL.encode(3, message);
      assertEquals(0, frame[0], "it is JSON");
      var envelope = CibPeerMessage.PROTOCOL.decode(frame);
      assertEquals(message, envelope.body());
      assertEquals(3, envelope.id());
    }
    var changed = new CibMessage.Changed(XmlText.of("<diff/>"), 5, -5);
    var frame = CibMessage.PROTOCOL.event(changed);
    assertEquals(changed, CibMessage.PROTOCOL.messages().decode(frame).body());
  }

  @Test
  void whateverBytesComeAreAMessageOrRefused() {
    var frame = CibPeerMessage.PROTOCOL.encode(0, CHANGE);
    var random = new Random(3);
    for (var length = 0; length < frame.length; length++) {
      var part = Arrays.copyOf(frame, length);
      assertThrows(ProtocolException.class, () -> CibPeerMessage.PROTOCOL.decode(part));
    }
    var longer = Arrays.copyOf(frame, frame.length + 1);
    assertThrows(ProtocolException.class, () -> CibPeerMessage.PROTOCOL.decode(longer));
    var refused = 0;
    for (var round = 0; round < 20_000; round++) {
      var garbage = frame.clone();
      for (var left = 1 + random.nextInt(3); left > 0; left--) {
        garbage[1 + random.nextInt(garbage.length - 1)] = (byte) random.nextInt();
      }
      try {
        CibPeerMessage.PROTOCOL.decode(garbage);
      } catch (ProtocolException e) {
        refused++;
      }
    }
    assertTrue(refused > 1_000, "only " + refused + " were refused");
  }
}
