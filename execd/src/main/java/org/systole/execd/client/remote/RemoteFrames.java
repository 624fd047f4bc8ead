package org.systole.execd.client.remote;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The frames in which messages to and from remote executors travel: a header of 40 bytes in the
/// sender's byte order, then the text of the message with a final zero, possibly compressed.
///
/// The two parts of a frame are to be sent as encrypted records of their own. Pacemaker's daemon reads
/// the header first and waits for its socket before it reads on; the rest of the same record would
/// wait with it until something else arrives.
public final class RemoteFrames {
  /// The most bytes of a frame, and of a message.
  public static final int MAX = 20 << 20;

  static final int HEADER = 40;
  static final int MAGIC = 0xBADADBBD;
  private static final int VERSION = 1;

  private RemoteFrames() {}

  /// The header of a message's frame.
  ///
  /// @param id rises with each message of a connection
  /// @param message not compressed, without the final zero
  public static byte[] header(long id, byte[] message) {
    return ByteBuffer.allocate(HEADER)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .putInt(VERSION)
        .putLong(id)
        .putLong(0) // no flags
        .putInt(HEADER + message.length + 1)
        .putInt(HEADER)
        .putInt(0) // not compressed
        .putInt(message.length + 1)
        .array();
  }
}
