package org.systole.common.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;

/// Bytes in the making; what [FrameReader] reads. Not safe for use by several threads.
public final class FrameWriter {
  private static final int ROOM = 256;

  private byte[] bytes = new byte[ROOM];
  private int length;

  FrameWriter() {}

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  public FrameWriter octet(int value) {
    room(1);
    bytes[length++] = (byte) value;
    return this;
  }

  public FrameWriter flag(boolean value) {
    return octet(value ? 1 : 0);
  }

  /// A number in as many bytes as it needs; most are small and not negative.
  public FrameWriter number(long value) {
    room(10);
    var rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  public FrameWriter code(Coded value) {
    return number(value.code());
  }

  public FrameWriter node(NodeId id) {
    return number(id.number());
  }

  public FrameWriter nodes(List<NodeId> ids) {
    number(ids.size());
    ids.forEach(this::node);
    return this;
  }

  /// A name, or the empty text where there is none.
  public FrameWriter node(@Nullable NodeName name) {
    return text(name == null ? "" : name.text());
  }

  /// An id, or the empty text where there is none.
  public FrameWriter resource(@Nullable ResourceId id) {
    return text(id == null ? "" : id.text());
  }

  public FrameWriter text(String value) {
    return block(value.getBytes(StandardCharsets.UTF_8));
  }

  public FrameWriter texts(List<String> values) {
    number(values.size());
    for (var value : values) {
      text(value);
    }
    return this;
  }

  /// A text that may be missing.
  public FrameWriter optional(@Nullable String value) {
    return value == null ? flag(false) : flag(true).text(value);
  }

  public FrameWriter block(byte[] value) {
    number(value.length);
    room(value.length);
    System.arraycopy(value, 0, bytes, length, value.length);
    length += value.length;
    return this;
  }

  byte[] frame() {
    return Arrays.copyOf(bytes, length);
  }
}
