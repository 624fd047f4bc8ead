package org.systole.execd.client.remote;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;

/// Puts messages together from the bytes of one connection, in whatever pieces they come. A frame
/// that only claims to be long gets no memory. Not safe for use by several threads.
public final class RemoteFrameReader {
  /// Of elements in a message, so many as a CIB of some ten thousand resources has. A message of the
  /// same length that is made of nothing else would keep its reader busy for many seconds.
  static final int MARKS_MAX = 300_000;

  private static final int ROOM = 16 << 10;

  private final byte[] header = new byte[RemoteFrames.HEADER];
  private byte[] payload = new byte[0];
  private int headerFilled;
  private int payloadFilled;
  private int payloadLength;
  private int uncompressedLength;
  private boolean compressed;

  /// Takes in bytes that have arrived.
  ///
  /// @param message told of each message that is complete, without its final zero
  /// @throws RemoteFrameException if they cannot be part of a frame
  public void take(byte[] bytes, int offset, int length, Consumer<byte[]> message)
      throws RemoteFrameException {
    var at = offset;
    var end = offset + length;
    while (at < end) {
      if (headerFilled < RemoteFrames.HEADER) {
        var count = Math.min(end - at, RemoteFrames.HEADER - headerFilled);
        System.arraycopy(bytes, at, header, headerFilled, count);
        headerFilled += count;
        at += count;
        if (headerFilled == RemoteFrames.HEADER) {
          readHeader();
        }
      } else {
        var count = Math.min(end - at, payloadLength - payloadFilled);
        makeRoom(count);
        System.arraycopy(bytes, at, payload, payloadFilled, count);
        payloadFilled += count;
        at += count;
        if (payloadFilled == payloadLength) {
          message.accept(complete());
        }
      }
    }
  }

  /// How many bytes it keeps of a message that is not complete.
  public int kept() {
    return payload.length;
  }

  private void makeRoom(int more) {
    if (payloadFilled + more > payload.length) {
      var room = Math.max(payloadFilled + more, Math.max(ROOM, 2 * payload.length));
      payload = Arrays.copyOf(payload, Math.min(room, payloadLength));
    }
  }

  private void readHeader() throws RemoteFrameException {
    var fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    if (fields.getInt(0) != RemoteFrames.MAGIC) {
      fields.order(ByteOrder.BIG_ENDIAN);
    }
    if (fields.getInt(0) != RemoteFrames.MAGIC) {
      throw new RemoteFrameException("this is not the protocol of remote executors");
    }
    var total = length(fields.getInt(24));
    var offset = length(fields.getInt(28));
    var packed = length(fields.getInt(32));
    uncompressedLength = length(fields.getInt(36));
    compressed = packed > 0;
    payloadLength = compressed ? packed : uncompressedLength;
    if (offset != RemoteFrames.HEADER || total != offset + payloadLength) {
      throw new RemoteFrameException("a frame whose lengths contradict each other");
    }
    if (uncompressedLength == 0) {
      throw new RemoteFrameException("a frame without a message");
    }
  }

  private static int length(int field) throws RemoteFrameException {
    if (field < 0 || field > RemoteFrames.MAX) {
      throw new RemoteFrameException(
          "a frame of %d bytes; at most %d are taken"
              .formatted(Integer.toUnsignedLong(field), RemoteFrames.MAX));
    }
    return field;
  }

  private byte[] complete() throws RemoteFrameException {
    var whole = compressed ? unpacked() : payload;
    payload = new byte[0];
    payloadFilled = 0;
    headerFilled = 0;
    var length = uncompressedLength;
    if (whole[length - 1] == 0) {
      length--;
    }
    refuseTooMany(whole);
    return length == whole.length ? whole : Arrays.copyOf(whole, length);
  }

  private static void refuseTooMany(byte[] text) throws RemoteFrameException {
    var marks = 0;
    for (var each : text) {
      if (each == '<' && ++marks > 2 * MARKS_MAX) { // each has a beginning and an end
        throw new RemoteFrameException("a message with too many elements");
      }
    }
  }

  private byte[] unpacked() throws RemoteFrameException {
    try (var stream = new BZip2CompressorInputStream(new ByteArrayInputStream(payload))) {
      var whole = stream.readNBytes(uncompressedLength);
      var rest = stream.read(); // the final zero, which not everybody counts
      if (whole.length == uncompressedLength && (rest < 0 || rest == 0 && stream.read() < 0)) {
        return whole;
      }
    } catch (IOException | IndexOutOfBoundsException e) {
      throw new RemoteFrameException("a compressed message that is damaged");
    }
    throw new RemoteFrameException("a compressed message of another length than it says");
  }
}
