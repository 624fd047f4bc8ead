package org.systole.attrd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;

/// The length of names and values in messages between attribute managers, in bytes: never less than
/// it is on the wire.
final class TextLength {
  // the names of the fields, numbers and marks
  private static final int ROOM = 160;
  private static final int UPDATE_ROOM = 320;
  private static final long COUNTED_ROOM = 16;
  private static final int QUOTES = 3;

  private TextLength() {}

  /// Of a value as [AttrPeerMessage.Value].
  static long of(
      Attribute attribute, NodeName node, @Nullable String value, List<String> counted) {
    return ROOM
        + of(attribute.name())
        + of(attribute.kind().set())
        + of(node)
        + of(value)
        + of(counted);
  }

  private static long of(List<String> counted) {
    var length = counted.isEmpty() ? 0L : COUNTED_ROOM;
    for (var it : counted) {
      length += of(it) + QUOTES;
    }
    return length;
  }

  static long of(AttrMessage.Update update) {
    var node = update.node();
    return UPDATE_ROOM
        + of(update.name())
        + of(update.pattern())
        + of(update.kind().set())
        + (node == null ? 0 : of(node))
        + of(update.value())
        + of(update.once())
        + of(update.delayText());
  }

  /// An upper limit for the name in any case.
  private static long of(NodeName node) {
    return 6L * node.text().length();
  }

  private static long of(@Nullable String text) {
    var length = 0L;
    for (var at = 0; text != null && at < text.length(); at++) {
      length += of(text.charAt(at));
    }
    return length;
  }

  /// The length as JSON. Each half of a character beyond 16 bits is written as an escape.
  private static int of(char c) {
    if (c < ' ' || Character.isSurrogate(c)) {
      return 6;
    }
    if (c == '"' || c == '\\') {
      return 2;
    }
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }
}
