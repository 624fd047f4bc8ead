package org.systole.pacemakerd.jgroups;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/// Messages that travel together, each with its length before it. Long ones travel compressed: they
/// are XML text, and to encrypt costs more than to compress.
final class Packing {
  private static final int WORTH_IT = 2048;
  private static final int LONGEST = 256 << 20;
  private static final int HEADER = Integer.BYTES; // the length when unpacked, 0 for not packed

  private Packing() {}

  static byte[] pack(List<byte[]> messages) {
    var length = 0;
    for (var message : messages) {
      length += Integer.BYTES + message.length;
    }
    var all = ByteBuffer.allocate(length);
    for (var message : messages) {
      all.putInt(message.length).put(message);
    }
    return pack(all.array());
  }

  private static byte[] pack(byte[] message) {
    if (message.length < WORTH_IT) {
      return ByteBuffer.allocate(HEADER + message.length).putInt(0).put(message).array();
    }
    try (var deflater = new Deflater(Deflater.BEST_SPEED)) {
      deflater.setInput(message);
      deflater.finish();
      var packed = new byte[HEADER + message.length + message.length / 100 + 64];
      var length = HEADER;
      while (!deflater.finished()) {
        length += deflater.deflate(packed, length, packed.length - length);
      }
      ByteBuffer.wrap(packed).putInt(message.length);
      return java.util.Arrays.copyOf(packed, length);
    }
  }

  static List<byte[]> unpack(byte[] packed, int offset, int length) throws DataFormatException {
    var all = ByteBuffer.wrap(inflate(packed, offset, length));
    var messages = new ArrayList<byte[]>();
    while (all.hasRemaining()) {
      var size = all.remaining() < Integer.BYTES ? -1 : all.getInt();
      if (size < 0 || size > all.remaining()) {
        throw new DataFormatException("a message in it is cut short");
      }
      var message = new byte[size];
      all.get(message);
      messages.add(message);
    }
    return messages;
  }

  private static byte[] inflate(byte[] packed, int offset, int length) throws DataFormatException {
    if (length < HEADER) {
      throw new DataFormatException("it has no length");
    }
    var size = ByteBuffer.wrap(packed, offset, length).getInt();
    if (size == 0) {
      return java.util.Arrays.copyOfRange(packed, offset + HEADER, offset + length);
    }
    if (size < 0 || size > LONGEST) {
      throw new DataFormatException("its length is " + size);
    }
    try (var inflater = new Inflater()) {
      inflater.setInput(packed, offset + HEADER, length - HEADER);
      var message = new byte[size];
      var at = 0;
      while (at < size) {
        var n = inflater.inflate(message, at, size - at);
        if (n == 0) {
          throw new DataFormatException("it is cut short");
        }
        at += n;
      }
      return message;
    }
  }
}
