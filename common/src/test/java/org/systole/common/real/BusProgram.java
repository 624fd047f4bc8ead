package org.systole.common.real;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Function;
import org.freedesktop.dbus.connections.BusAddress;
import org.freedesktop.dbus.connections.transports.AbstractTransport;
import org.freedesktop.dbus.connections.transports.TransportBuilder;
import org.freedesktop.dbus.exceptions.DBusException;
import org.freedesktop.dbus.messages.Message;
import org.freedesktop.dbus.messages.MethodCall;
import org.jspecify.annotations.Nullable;

/// A program on a real bus, which answers calls on a thread of its own.
final class BusProgram implements AutoCloseable {
  /// What it says to a call.
  ///
  /// @param signature of the values; null together with an error's name for an error
  record Said(@Nullable String error, String signature, Object... values) {}

  static {
    BusWire.quiet();
  }

  private final AbstractTransport transport;
  private final SocketChannel channel;

  /// @param name what it is called on the bus
  /// @param answers what it says to calls; null for nothing
  BusProgram(Path socket, String name, Function<MethodCall, @Nullable Said> answers)
      throws IOException, DBusException {
    var builder = TransportBuilder.create(BusAddress.of("unix:path=" + socket));
    builder.configure().withAutoConnect(false);
    transport = builder.build();
    channel = transport.connect();
    ask("Hello", null);
    ask("RequestName", "su", name, 0);
    Thread.ofVirtual().start(() -> serve(answers));
  }

  private void ask(String name, @Nullable String signature, Object... values) throws IOException, DBusException {
    var bus = "org.freedesktop.DBus";
    var call =
        transport
            .getMessageFactory()
            .createMethodCall(bus, "/org/freedesktop/DBus", bus, name, (byte) 0, signature, values);
    send(call);
  }

  private void serve(Function<MethodCall, @Nullable Said> answers) {
    try {
      while (true) {
        var message = transport.readMessage();
        var said = message instanceof MethodCall call ? answers.apply(call) : null;
        if (said != null) {
          send(answer((MethodCall) message, said));
        }
      }
    } catch (IOException | DBusException e) {
      return; // it is closed
    }
  }

  private Message answer(MethodCall call, Said said) throws DBusException {
    var factory = transport.getMessageFactory();
    return said.error() == null
        ? factory.createMethodReturn(call, said.signature().isEmpty() ? null : said.signature(), said.values())
        : factory.createError(call.getSource(), said.error(), call.getSerial(), said.signature(), said.values());
  }

  private synchronized void send(Message message) throws IOException {
    BusWire.write(channel, message);
  }

  void signal(String path, String type, String name, String signature, Object... values)
      throws IOException, DBusException {
    send(transport.getMessageFactory().createSignal(null, path, type, name, signature, values));
  }

  @Override
  public void close() {
    try {
      transport.close();
    } catch (IOException e) {
      return; // closed all the same
    }
  }
}
