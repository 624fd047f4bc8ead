package org.systole.execd.client.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Connections of strangers who have not proved themselves yet. There are few of them at a time, and
/// a crowd from one address drives out its own. A crowd from many, as one machine has in a network of IPv6,
/// drives out those first that come from where nobody has proved himself so far: members of the cluster come
/// back from where they were. Safe for use by several threads.
final class Unfinished {
  static final int ALL = 64;
  static final int PER_ADDRESS = 16;

  private static final int KNOWN_MAX = 256; // more than a cluster has members

  private final Set<Socket> sockets = new LinkedHashSet<>();
  private final Set<InetAddress> known = new LinkedHashSet<>(); // where somebody has proved himself, the last one last

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
    var gone = same.size() >= PER_ADDRESS ? same.getFirst() : sockets.size() >= ALL ? oldest() : null;
    sockets.remove(gone);
    sockets.add(socket);
    return gone;
  }

  private Socket oldest() {
    return sockets.stream()
        .filter(it -> !known.contains(it.getInetAddress()))
        .findFirst()
        .orElseGet(() -> sockets.iterator().next());
  }

  private static boolean isFrom(@Nullable InetAddress address, Socket socket) {
    return Objects.equals(address, socket.getInetAddress());
  }

  /// Somebody has proved himself.
  synchronized void proved(Socket socket) {
    var address = socket.getInetAddress();
    known.remove(address);
    known.add(address);
    if (known.size() > KNOWN_MAX) {
      known.remove(known.iterator().next());
    }
  }

  synchronized void leave(Socket socket) {
    sockets.remove(socket);
  }
}
