package org.systole.execd.client.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Connections of strangers who have not proved themselves yet. There are few of them at a time, and
/// a crowd from one address drives out its own, by chance: the oldest would always be whoever comes from there too and has the key, as his
/// handshake takes longer than a crowd needs to come. A crowd from many, as one machine has in a network of IPv6,
/// drives out those first that come from where nobody has proved himself so far: members of the cluster come
/// back from where they were. Of those it drives out its own, as long as it has not that many addresses: a member that comes for
/// the first time has one. Safe for use by several threads.
final class Unfinished {
  static final int ALL = 64;
  static final int PER_ADDRESS = 16;

  private static final int KNOWN_MAX = 256; // more than a cluster has members

  private final Set<Socket> sockets = new LinkedHashSet<>();
  private final Set<@Nullable InetAddress> known = new LinkedHashSet<>(); // where somebody has proved himself, the last one last

  private final RandomGenerator chance;

  /// @param chance nobody can foresee
  Unfinished(RandomGenerator chance) {
    this.chance = chance;
  }

  /// Takes in one more; another one goes if there are too many.
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
    var origin = origin(socket);
    var same = sockets.stream().filter(it -> Objects.equals(origin, origin(it))).toList();
    var gone = same.size() >= PER_ADDRESS ? same.get(chance.nextInt(same.size())) : sockets.size() >= ALL ? ofMost() : null;
    sockets.remove(gone);
    sockets.add(socket);
    return gone;
  }

  /// The oldest from where most come.
  private @Nullable Socket ofMost() {
    var strange = sockets.stream().filter(it -> !known.contains(origin(it))).toList();
    var all = strange.isEmpty() ? List.copyOf(sockets) : strange;
    var counts = new HashMap<@Nullable InetAddress, Integer>(); // looked up only
    Socket oldest = null;
    var most = 0;
    for (var each : all) {
      counts.merge(origin(each), 1, Integer::sum);
    }
    for (var each : all) {
      var many = counts.getOrDefault(origin(each), 0);
      if (many > most) {
        most = many;
        oldest = each;
      }
    }
    return oldest;
  }

  /// Where somebody comes from. Whoever runs programs on this machine has millions of addresses that lead back to it.
  private static @Nullable InetAddress origin(Socket socket) {
    var address = socket.getInetAddress();
    return address != null && address.isLoopbackAddress() ? InetAddress.getLoopbackAddress() : address;
  }

  /// Somebody has proved himself.
  synchronized void proved(Socket socket) {
    var origin = origin(socket);
    known.remove(origin);
    known.add(origin);
    if (known.size() > KNOWN_MAX) {
      known.remove(known.iterator().next());
    }
  }

  synchronized void leave(Socket socket) {
    sockets.remove(socket);
  }
}
