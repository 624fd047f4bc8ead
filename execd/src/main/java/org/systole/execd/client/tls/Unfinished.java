package org.systole.execd.client.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Connections of strangers who have not proved themselves yet. There are few of them at a time, and
/// a crowd from one address drives out its own. Safe for use by several threads.
final class Unfinished {
  static final int ALL = 64;
  static final int PER_ADDRESS = 16;

  private final Set<Socket> sockets = new LinkedHashSet<>();

  /// Takes in one more; the oldest goes if there are too many.
  void enter(Socket socket) {
    var gone = add(socket);
    if (gone != null) {
      try {
        gone.close();
      } catch (IOException e) {
        return; // it is to be gone
      }
    }
  }

  private synchronized @Nullable Socket add(Socket socket) {
    var address = socket.getInetAddress();
    var same = sockets.stream().filter(it -> isFrom(address, it)).toList();
    var gone =
        same.size() >= PER_ADDRESS
            ? same.getFirst()
            : sockets.size() >= ALL ? sockets.iterator().next() : null;
    sockets.remove(gone);
    sockets.add(socket);
    return gone;
  }

  private static boolean isFrom(@Nullable InetAddress address, Socket socket) {
    return Objects.equals(address, socket.getInetAddress());
  }

  synchronized void leave(Socket socket) {
    sockets.remove(socket);
  }
}
