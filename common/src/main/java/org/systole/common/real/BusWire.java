package org.systole.common.real;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.freedesktop.dbus.DBusPath;
import org.freedesktop.dbus.connections.BusAddress;
import org.freedesktop.dbus.connections.transports.AbstractTransport;
import org.freedesktop.dbus.connections.transports.TransportBuilder;
import org.freedesktop.dbus.exceptions.DBusException;
import org.freedesktop.dbus.messages.DBusSignal;
import org.freedesktop.dbus.messages.Error;
import org.freedesktop.dbus.messages.Message;
import org.freedesktop.dbus.messages.MessageFactory;
import org.freedesktop.dbus.messages.MethodCall;
import org.freedesktop.dbus.messages.MethodReturn;
import org.freedesktop.dbus.types.Variant;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SystemBus.Call;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Reply;
import org.systole.common.world.SystemBus.Returned;
import org.systole.common.world.SystemBus.Signal;

/// The language of the bus, by dbus-java: how one lets itself in, and how messages are written. Its connections, which have
/// threads for each kind of message and lose their order, and its stand-ins for remote objects are not used, nor loaded.
///
/// Calls block. One thread may read while another writes; any may close.
final class BusWire implements AutoCloseable {
  private static final String BUS = "org.freedesktop.DBus";

  /// What is longer is left out: anybody on the machine may send to anybody.
  private static final int MESSAGE_MAX = 1 << 20;

  private static final int HEAD = 12; // of each message: kind, length of its body, number
  private static final int BODY_LENGTH = 4; // where that is in the head
  private static final int FIELDS_AT = 8; // where the fields begin in what is taken for their array
  private static final byte NO_AUTO_START = 2;

  static {
    quiet();
  }

  /// Keeps dbus-java from logging: its messages would go to a logging of their own, which sets itself up. To be called before
  /// anything of it is loaded.
  static void quiet() {
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    if (System.getProperty("slf4j.provider") == null) {
      System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
    }
  }

  /// What comes in and is for the connection.
  sealed interface Incoming {}

  record Heard(Signal signal) implements Incoming {}

  record Answered(long serial, Reply reply) implements Incoming {}

  /// A call that is put together.
  record Outgoing(MethodCall message) {
    long serial() {
      return message.getSerial();
    }
  }

  private final AbstractTransport transport;
  private @Nullable SocketChannel channel;

  BusWire(Path socket) throws IOException {
    try {
      var builder = TransportBuilder.create(BusAddress.of("unix:path=" + socket));
      builder.configure().withAutoConnect(false);
      transport = builder.build();
    } catch (DBusException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /// Connects, is let in, and is given a name.
  void connect() throws IOException {
    channel = transport.connect();
    var hello = message(new Call(BUS, "/org/freedesktop/DBus", BUS, "Hello", List.of()));
    send(hello);
    while (!(read() instanceof Answered(var serial, var reply) && serial == hello.serial())) {
      // what the bus tells before
    }
  }

  Outgoing message(Call call) {
    var arguments = call.arguments().toArray();
    try {
      return new Outgoing(
          transport
              .getMessageFactory()
              .createMethodCall(
                  call.destination(),
                  call.path(),
                  call.type(),
                  call.name(),
                  NO_AUTO_START,
                  arguments.length == 0 ? null : "s".repeat(arguments.length),
                  arguments));
    } catch (DBusException e) {
      throw new IllegalStateException("a call that cannot be written: " + call, e);
    }
  }

  void send(Outgoing call) throws IOException {
    write(Objects.requireNonNull(channel), call.message());
  }

  /// Writes the whole of a message, at once as far as it goes: dbus-java itself takes for written what was not, where the
  /// other end is slow to read.
  static void write(SocketChannel to, Message message) throws IOException {
    var whole = new ByteArrayOutputStream();
    for (var part : message.getWireData()) {
      if (part == null) {
        break;
      }
      whole.write(part);
    }
    for (var rest = ByteBuffer.wrap(whole.toByteArray()); rest.hasRemaining(); ) {
      to.write(rest);
    }
  }

  /// Waits for the next message that is for the connection.
  Incoming read() throws IOException {
    while (true) {
      var message = readMessage();
      var incoming = message == null ? null : incoming(message);
      if (incoming != null) {
        return incoming;
      }
    }
  }

  /// @return null for one that is left out
  private @Nullable Message readMessage() throws IOException {
    var head = ByteBuffer.allocate(HEAD);
    fill(head);
    var length = ByteBuffer.allocate(Integer.BYTES);
    fill(length);
    var order = head.get(0) == 'B' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    var body = head.order(order).getInt(BODY_LENGTH);
    var fields = length.order(order).getInt(0);
    if (body < 0 || fields < 0 || fields > MESSAGE_MAX) {
      throw new IOException("the bus says what is no message");
    }
    var padded = (fields + 7) & ~7;
    if (body > MESSAGE_MAX) {
      skip((long) padded + body);
      return null;
    }
    var header = ByteBuffer.allocate(FIELDS_AT + padded);
    header.put(0, length.array()).position(FIELDS_AT);
    fill(header);
    var content = ByteBuffer.allocate(body);
    fill(content);
    try {
      return MessageFactory.createMessage(
          head.get(1), head.array(), header.array(), content.array(), null);
    } catch (DBusException | RuntimeException e) {
      return null; // of a kind that is not known
    }
  }

  private void fill(ByteBuffer buffer) throws IOException {
    var from = Objects.requireNonNull(channel);
    while (buffer.hasRemaining()) {
      if (from.read(buffer) < 0) {
        throw new EOFException("the bus has closed the connection");
      }
    }
  }

  private void skip(long bytes) throws IOException {
    for (var left = bytes; left > 0; ) {
      var part = ByteBuffer.allocate((int) Math.min(left, 1 << 13));
      left -= part.capacity();
      fill(part);
    }
  }

  private static @Nullable Incoming incoming(Message message) {
    try {
      return switch (message) {
        case MethodReturn it -> new Answered(it.getReplySerial(), new Returned(values(it)));
        case Error it -> {
          var values = values(it);
          var text = values.isEmpty() ? "" : String.valueOf(values.getFirst());
          yield new Answered(it.getReplySerial(), new Failed(it.getName(), text));
        }
        case DBusSignal it -> heard(it);
        default -> null; // nobody calls a client
      };
    } catch (DBusException | RuntimeException e) {
      return null; // with values that cannot be read
    }
  }

  private static @Nullable Incoming heard(DBusSignal it) throws DBusException {
    return it.getDestination() == null
        ? new Heard(
            new Signal(
                it.getSource(), it.getPath(), it.getInterface(), it.getName(), values(it)))
        : null;
  }

  private static List<?> values(Message message) throws DBusException {
    var values = message.getParameters();
    return values == null ? List.of() : plain(List.of(values));
  }

  private static List<Object> plain(List<?> values) {
    var plain = new ArrayList<>(values.size());
    values.forEach(it -> plain.add(plain(it)));
    return plain;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case Variant<?> it -> plain(it.getValue());
      case DBusPath it -> it.getPath();
      case Boolean it -> it;
      case Number it -> it.longValue();
      case Object[] it -> plain(List.of(it));
      case List<?> it -> plain(it);
      case Map<?, ?> it -> {
        var map = new LinkedHashMap<Object, Object>();
        it.forEach((key, of) -> map.put(plain(key), plain(of)));
        yield map;
      }
      default -> value.toString();
    };
  }

  @Override
  public void close() {
    try {
      transport.close();
    } catch (IOException e) {
      return; // gone all the same
    }
  }
}
