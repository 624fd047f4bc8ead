package org.systole.common.world;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The machine's message bus (D-Bus): there the service manager is asked for things, and tells of changes.
///
/// A machine may have none, and one that is there may go away and come back.
public interface SystemBus {
  /// Connects to the bus. The outcome arrives at `handler` in the loop, later: [Handler#opened] or
  /// [Handler#closed].
  Link open(Handler handler);

  /// One connection.
  interface Link {
    /// Calls a method of another program on the bus; calls arrive there in the order of these. Valid once the connection is
    /// open.
    ///
    /// @param limit how long the answer may take; after it the call has failed, with [Failed#NO_REPLY]
    /// @param done told in the loop once, later. Where the connection closes first, all that waits is told so before
    ///     [Handler#closed], with [Failed#DISCONNECTED]
    void call(Call call, Duration limit, Consumer<Reply> done);

    /// Ends the connection. Nothing is told any more.
    void close();
  }

  /// What a connection tells, in the loop. Signals and replies come in the order of the bus.
  interface Handler {
    void opened();

    /// A signal to all that the connection has asked for (`AddMatch`). What another program sends to this connection alone is
    /// not told: anybody on the machine may do that.
    void signal(Signal signal);

    /// The connection is lost, or could not be made. Told once.
    ///
    /// @param why for people
    void closed(String why);
  }

  /// A call of a method whose arguments are texts.
  ///
  /// @param destination the other program's name on the bus
  /// @param type the interface the method belongs to
  record Call(String destination, String path, String type, String name, List<String> arguments) {}

  /// A signal. Values are texts (also paths of objects), numbers as `Long`, truths as `Boolean`, and lists and maps of these;
  /// what stands for any type is its value.
  ///
  /// @param sender the unique name of who sent it, by the bus itself
  /// @param type the interface it belongs to
  record Signal(String sender, String path, String type, String name, List<?> values) {}

  /// What came of a call.
  sealed interface Reply {}

  /// @param values as a signal's
  record Returned(List<?> values) implements Reply {
    /// The first value where it is a text.
    public @Nullable String text() {
      return !values.isEmpty() && values.getFirst() instanceof String text ? text : null;
    }
  }

  /// @param error the error's name, such as `org.freedesktop.DBus.Error.NoReply`
  /// @param message for people, may be empty
  record Failed(String error, String message) implements Reply {
    public static final String NO_REPLY = "org.freedesktop.DBus.Error.NoReply";
    public static final String DISCONNECTED = "org.freedesktop.DBus.Error.Disconnected";
  }

  /// The bus of a world that has none.
  ///
  /// @param world whose loop the handler is told in
  record None(World world) implements SystemBus {
    @Override
    public Link open(Handler handler) {
      world.post(() -> handler.closed("this machine has no message bus"));
      return new Link() {
        @Override
        public void call(Call call, Duration limit, Consumer<Reply> done) {
          throw new IllegalStateException("a call without a connection");
        }

        @Override
        public void close() {}
      };
    }
  }
}
