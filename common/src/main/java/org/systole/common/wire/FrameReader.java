package org.systole.common.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol.NoNameException;
import org.systole.common.wire.Protocol.ProtocolException;

/// Reads what [FrameWriter] wrote. Bytes that cannot be that are refused, whatever they are. Not
/// safe for use by several threads.
public final class FrameReader {
  private static final int NUMBER_BITS = 64;
  private static final int ROOM_MAX = 1_000;

  private final byte[] bytes;
  private int at;

  FrameReader(byte[] bytes) {
    this.bytes = bytes;
  }

  private ProtocolException cutShort() {
    return new ProtocolException("a message that is cut short or too long");
  }

  public int octet() throws ProtocolException {
    if (at >= bytes.length) {
      throw cutShort();
    }
    return bytes[at++] & 0xFF;
  }

  public boolean flag() throws ProtocolException {
    return octet() != 0;
  }

  public long number() throws ProtocolException {
    var value = 0L;
    for (var shift = 0; shift < NUMBER_BITS; shift += 7) {
      var next = octet();
      value |= (next & 0x7FL) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw cutShort();
  }

  /// A [#number] that fits an `int`.
  public int integer() throws ProtocolException {
    var value = number();
    if (value != (int) value) {
      throw cutShort();
    }
    return (int) value;
  }

  private int length() throws ProtocolException {
    var length = number();
    if (length < 0 || length > bytes.length - at) {
      throw cutShort();
    }
    return (int) length;
  }

  public String text() throws ProtocolException {
    var length = length();
    var text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  public List<String> texts() throws ProtocolException {
    var count = count();
    var texts = FrameReader.<String>room(count);
    for (var left = count; left > 0; left--) {
      texts.add(text());
    }
    return texts;
  }

  public NodeId nodeId() throws ProtocolException {
    var number = integer();
    var id = NodeId.of(number);
    if (id == null) {
      throw new NoNameException(0, NameCodecs.NO_NODE_ID);
    }
    return id;
  }

  public List<NodeId> nodeIds() throws ProtocolException {
    var count = count();
    var ids = FrameReader.<NodeId>room(count);
    for (var left = count; left > 0; left--) {
      ids.add(nodeId());
    }
    return ids;
  }

  public NodeName nodeName() throws ProtocolException {
    var name = nodeNameOrNone();
    if (name == null) {
      throw new NoNameException(0, "a node name is empty");
    }
    return name;
  }

  /// A name, or null for the empty text.
  public @Nullable NodeName nodeNameOrNone() throws ProtocolException {
    var text = text();
    var name = NodeName.of(text);
    if (name == null && !text.isEmpty()) {
      throw new NoNameException(0, NameCodecs.NO_NODE_NAME);
    }
    return name;
  }

  /// An id, or null for the empty text.
  public @Nullable ResourceId resourceIdOrNone() throws ProtocolException {
    var text = text();
    var id = ResourceId.of(text);
    if (id == null && !text.isEmpty()) {
      throw new NoNameException(0, NameCodecs.NO_RESOURCE_ID);
    }
    return id;
  }

  /// How many of something follow, of which each takes a byte at least.
  public int count() throws ProtocolException {
    return length();
  }

  /// A list to be filled with `count` parts. What a frame only claims to have gets no room.
  public static <T> List<T> room(int count) {
    return new ArrayList<>(Math.min(count, ROOM_MAX));
  }

  /// A text that may be missing.
  public @Nullable String optional() throws ProtocolException {
    return flag() ? text() : null;
  }

  /// The one of all constants there are whose code follows.
  public <T extends Coded> T coded(T[] all) throws ProtocolException {
    var code = number();
    for (var it : all) {
      if (it.code() == code) {
        return it;
      }
    }
    throw new ProtocolException("a code that stands for nothing");
  }

  public byte[] block() throws ProtocolException {
    var length = length();
    var block = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return block;
  }

  void end() throws ProtocolException {
    if (at != bytes.length) {
      throw cutShort();
    }
  }
}
