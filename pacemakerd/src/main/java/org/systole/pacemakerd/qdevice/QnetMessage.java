package org.systole.pacemakerd.qdevice;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A message of qnetd's protocol: a kind (two bytes), a length (four), and options, each a kind
/// (two), a length (two) and a value. All numbers have the highest byte first.
///
/// @param kind one of [Kind]; others are for this end to refuse
record QnetMessage(int kind, List<Option> options) {
  static final int HEAD = 6;
  private static final int OPTION_HEAD = 4;
  private static final int BYTE = 0xff;
  private static final int SHORT = 0xffff;

  /// The kinds of messages, as numbered on the wire.
  static final class Kind {
    static final int PREINIT = 0;
    static final int PREINIT_REPLY = 1;
    static final int STARTTLS = 2;
    static final int INIT = 3;
    static final int INIT_REPLY = 4;
    static final int SERVER_ERROR = 5;
    static final int SET_OPTION = 6;
    static final int SET_OPTION_REPLY = 7;
    static final int ECHO_REQUEST = 8;
    static final int ECHO_REPLY = 9;
    static final int NODE_LIST = 10;
    static final int NODE_LIST_REPLY = 11;
    static final int ASK_FOR_VOTE = 12;
    static final int ASK_FOR_VOTE_REPLY = 13;
    static final int VOTE_INFO = 14;
    static final int VOTE_INFO_REPLY = 15;
    static final int HEURISTICS_CHANGE = 16;
    static final int HEURISTICS_CHANGE_REPLY = 17;
    static final int COUNT = 18;

    private Kind() {}
  }

  /// The kinds of options.
  static final class Key {
    static final int SEQUENCE = 0;
    static final int CLUSTER_NAME = 1;
    static final int TLS_SUPPORTED = 2;
    static final int SUPPORTED_MESSAGES = 4;
    static final int SUPPORTED_OPTIONS = 5;
    static final int ERROR = 6;
    static final int REQUEST_MAX = 7;
    static final int REPLY_MAX = 8;
    static final int NODE_ID = 9;
    static final int ALGORITHMS = 10;
    static final int ALGORITHM = 11;
    static final int HEARTBEAT = 12;
    static final int RING_ID = 13;
    static final int NODE_STATE = 16;
    static final int NODE_INFO = 17;
    static final int LIST_KIND = 18;
    static final int VOTE = 19;
    static final int QUORATE = 20;
    static final int TIE_BREAKER = 21;
    static final int HEURISTICS = 22;
    static final int KEEP_ACTIVE_PARTITION = 23;
    static final int COUNT = 24;

    private Key() {}
  }

  /// A side as the server tells it from others: who leads it, and a number of that leader's.
  record Ring(long leader, long number) {}

  record Option(int key, byte[] value) {}

  /// Bytes that are no message, or lack what it needs.
  static final class BadMessage extends Exception {
    BadMessage(String message) {
      super(message);
    }
  }

  static QnetMessage of(int kind) {
    return new QnetMessage(kind, new ArrayList<>());
  }

  // ---- making one

  QnetMessage bytes(int key, byte[] value) {
    options.add(new Option(key, value));
    return this;
  }

  QnetMessage text(int key, String value) {
    return bytes(key, value.getBytes(StandardCharsets.UTF_8));
  }

  QnetMessage number8(int key, int value) {
    return bytes(key, new byte[] {(byte) value});
  }

  QnetMessage number16(int key, int value) {
    return bytes(key, ByteBuffer.allocate(2).putShort((short) value).array());
  }

  QnetMessage number32(int key, long value) {
    return bytes(key, ByteBuffer.allocate(4).putInt((int) value).array());
  }

  /// All numbers below `end`.
  QnetMessage below(int key, int end) {
    var value = ByteBuffer.allocate(2 * end);
    for (var it = 0; it < end; it++) {
      value.putShort((short) it);
    }
    return bytes(key, value.array());
  }

  QnetMessage ring(Ring ring) {
    return bytes(
        Key.RING_ID,
        ByteBuffer.allocate(12).putInt((int) ring.leader).putLong(ring.number).array());
  }

  /// @param state 0 if it does not matter
  QnetMessage node(long id, int state) {
    var info = QnetMessage.of(0).number32(Key.NODE_ID, id);
    return bytes(
        Key.NODE_INFO, (state == 0 ? info : info.number8(Key.NODE_STATE, state)).encoded());
  }

  private byte[] encoded() {
    var out = new ByteArrayOutputStream();
    for (var it : options) {
      out.writeBytes(
          ByteBuffer.allocate(OPTION_HEAD)
              .putShort((short) it.key)
              .putShort((short) it.value.length)
              .array());
      out.writeBytes(it.value);
    }
    return out.toByteArray();
  }

  byte[] encode() {
    var body = encoded();
    return ByteBuffer.allocate(HEAD + body.length)
        .putShort((short) kind)
        .putInt(body.length)
        .put(body)
        .array();
  }

  // ---- reading one

  /// @param body what follows the head
  static QnetMessage decode(int kind, byte[] body) throws BadMessage {
    var options = new ArrayList<Option>();
    var in = ByteBuffer.wrap(body);
    try {
      while (in.hasRemaining()) {
        var key = in.getShort() & SHORT;
        var value = new byte[in.getShort() & SHORT];
        in.get(value);
        options.add(new Option(key, value));
      }
    } catch (BufferUnderflowException e) {
      throw new BadMessage("message %d ends within an option".formatted(kind));
    }
    return new QnetMessage(kind, options);
  }

  private @Nullable Option option(int key) {
    return options.stream().filter(it -> it.key == key).findFirst().orElse(null);
  }

  boolean has(int key) {
    return option(key) != null;
  }

  /// @throws BadMessage if it is missing or too long
  long number(int key) throws BadMessage {
    var it = option(key);
    if (it == null || it.value.length == 0 || it.value.length > 4) {
      throw new BadMessage("message %d has no proper option %d".formatted(kind, key));
    }
    var number = 0L;
    for (var digit : it.value) {
      number = number << 8 | digit & BYTE;
    }
    return number;
  }

  /// Whether a list of numbers has this one.
  boolean lists(int key, int number) {
    var it = option(key);
    if (it == null) {
      return false;
    }
    var in = ByteBuffer.wrap(it.value);
    while (in.remaining() >= 2) {
      if ((in.getShort() & SHORT) == number) {
        return true;
      }
    }
    return false;
  }

  Ring ring() throws BadMessage {
    var it = option(Key.RING_ID);
    if (it == null || it.value.length != 12) {
      throw new BadMessage("message %d has no proper ring id".formatted(kind));
    }
    var in = ByteBuffer.wrap(it.value);
    return new Ring(in.getInt() & 0xffff_ffffL, in.getLong());
  }

  String text(int key) throws BadMessage {
    var it = option(key);
    if (it == null) {
      throw new BadMessage("message %d has no option %d".formatted(kind, key));
    }
    return new String(it.value, StandardCharsets.UTF_8);
  }

  /// The ids of a node list.
  List<Long> nodes() throws BadMessage {
    var ids = new ArrayList<Long>();
    for (var it : options) {
      if (it.key == Key.NODE_INFO) {
        ids.add(decode(kind, it.value).number(Key.NODE_ID));
      }
    }
    return ids;
  }
}
