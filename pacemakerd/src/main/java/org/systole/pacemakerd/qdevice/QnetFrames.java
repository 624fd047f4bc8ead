package org.systole.pacemakerd.qdevice;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Makes messages of the pieces in which they arrive.
final class QnetFrames {
  private final int max;
  private byte[] rest = new byte[0];

  /// @param max a longer message is refused before it is taken
  QnetFrames(int max) {
    this.max = max;
  }

  /// The same with another limit.
  QnetFrames resized(int newMax) {
    var resized = new QnetFrames(newMax);
    resized.rest = rest;
    return resized;
  }

  void add(byte[] piece) {
    var joined = Arrays.copyOf(rest, rest.length + piece.length);
    System.arraycopy(piece, 0, joined, rest.length, piece.length);
    rest = joined;
  }

  /// @return null if no message is whole yet
  @Nullable QnetMessage next() throws QnetMessage.BadMessage {
    if (rest.length < QnetMessage.HEAD) {
      return null;
    }
    var in = ByteBuffer.wrap(rest);
    var kind = in.getShort() & 0xffff;
    var length = in.getInt();
    if (length < 0 || length > max) {
      throw new QnetMessage.BadMessage("message %d has %d bytes".formatted(kind, length));
    }
    if (in.remaining() < length) {
      return null;
    }
    var body = new byte[length];
    in.get(body);
    rest = Arrays.copyOfRange(rest, QnetMessage.HEAD + length, rest.length);
    return QnetMessage.decode(kind, body);
  }

  /// Whether bytes are left over.
  boolean isEmpty() {
    return rest.length == 0;
  }
}
