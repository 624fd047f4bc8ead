package org.systole.common.real;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The service manager's end of `sd_notify(3)`: a datagram socket, which Java has none of.
final class ServiceManager {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int UNIX = 1;
  private static final int DATAGRAM_CLOSE_ON_EXEC = 2 | 0x80000;
  private static final int NO_WAIT = 0x40; // its queue may be full, and a daemon must not hang
  private static final int PATH_MAX = 107;

  private final @Nullable String path;

  /// @param path the socket's, with `@` before one that has no file; null if nobody is to be told
  ServiceManager(@Nullable String path) {
    this.path = path;
  }

  /// @return what went wrong, null for nothing
  @Nullable String tell(String state) {
    var to = path;
    if (to == null) {
      return null;
    }
    var name = to.getBytes(StandardCharsets.UTF_8);
    if (name.length < 2 || name.length > PATH_MAX || name[0] != '/' && name[0] != '@') {
      return "NOTIFY_SOCKET names no socket: " + to;
    }
    try {
      return send(name, state.getBytes(StandardCharsets.UTF_8));
    } catch (Throwable e) {
      return e.toString();
    }
  }

  private static @Nullable String send(byte[] name, byte[] state) throws Throwable {
    var socket = Native.function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    var close = Native.function("close", FunctionDescriptor.of(INT, INT));
    var sendTo =
        Native.function(
            "sendto",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                INT,
                ValueLayout.ADDRESS,
                INT));
    var descriptor = (int) socket.invokeExact(UNIX, DATAGRAM_CLOSE_ON_EXEC, 0);
    if (descriptor < 0) {
      return "no socket can be made";
    }
    try (var arena = Arena.ofConfined()) {
      var address = arena.allocate(Short.BYTES + name.length + 1L);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) UNIX);
      for (var at = 0; at < name.length; at++) {
        var it = at == 0 && name[0] == '@' ? 0 : name[at];
        address.set(ValueLayout.JAVA_BYTE, Short.BYTES + (long) at, it);
      }
      var content = arena.allocateFrom(ValueLayout.JAVA_BYTE, state);
      var length = Short.BYTES + name.length;
      var sent =
          (long)
              sendTo.invokeExact(
                  descriptor, content, (long) state.length, NO_WAIT, address, length);
      return sent == state.length ? null : "it does not take it";
    } finally {
      var _ = (int) close.invokeExact(descriptor);
    }
  }
}
