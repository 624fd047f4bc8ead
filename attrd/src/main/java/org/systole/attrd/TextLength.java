package org.systole.attrd;

import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;

/// The length of names and values in messages between attribute managers, in bytes.
final class TextLength {
  private static final int ROOM = 160; // the names of the fields, numbers and marks

  private TextLength() {}

  /// Of a value as [AttrPeerMessage.Value].
  static long of(Attribute attribute, NodeName node, @Nullable String value) {
    return ROOM
        + of(attribute.name())
        + of(attribute.kind().set())
        + 3L * node.text().length() // the same in whatever case it is written
        + of(value);
  }

  static long of(AttrMessage.Update update) {
    return ROOM
        + of(update.name())
        + of(update.pattern())
        + of(update.kind().set())
        + of(update.value());
  }

  private static long of(@Nullable String text) {
    var length = 0L;
    for (var at = 0; text != null && at < text.length(); at++) {
      var c = text.charAt(at);
      length +=
          c < ' ' ? 6 : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : c < 0x800 ? 2 : 3; // as JSON
    }
    return length;
  }
}
