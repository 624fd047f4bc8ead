package org.systole.pacemakerd.jgroups;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.util.DefaultSocketFactory;
import org.systole.common.world.Log;

/// Sockets between nodes. Each connection begins with a [Handshake]. A peer that fails it, or is
/// silent, never reaches the transport and delays no other.
final class GuardedSockets extends DefaultSocketFactory {
  private static final int STRANGERS = 64; // connections that have not shown the key yet
  private static final int STRANGERS_OF_ONE = 16; // of one address that is no node's
  private static final int WAITING_OF_NODE = 256; // of a node's address
  private static final int ADMITTED = 256; // admitted and not yet taken by the transport
  private static final long BETWEEN_NANOS = 50_000_000L;
  private static final long PAUSE_NANOS = 100_000_000L;
  private static final long COMPLAIN_NANOS = 10_000_000_000L;

  private final Handshake handshake;
  private final Set<InetAddress> nodes;
  private final Log log;
  private final Admitted admitted = new Admitted();

  /// The connections by the key that both ends have shown. They are held by others.
  private static final class Admitted {
    private final Map<Socket, ClusterKey> sockets = new WeakHashMap<>(); // guarded by itself

    void add(Socket socket, ClusterKey key) {
      synchronized (sockets) {
        sockets.put(socket, key);
      }
    }

    List<Socket> by(ClusterKey key) {
      synchronized (sockets) {
        var by = new ArrayList<Socket>();
        sockets.forEach(
            (socket, shown) -> {
              if (shown == key && !socket.isClosed()) {
                by.add(socket);
              }
            });
        return by;
      }
    }
  }

  /// @param nodes addresses whose connections cannot be kept out by those of other addresses
  GuardedSockets(Handshake handshake, Set<InetAddress> nodes, Log log) {
    this.handshake = handshake;
    this.nodes = nodes;
    this.log = log;
  }

  /// What is said of an own port that cannot be had.
  static BindException cannotServe(InetAddress address, int port, BindException why) {
    var text =
        "port %d of %s cannot be had (%s): another program or another node on this machine has it ('ss -ltnp' says which), or the address is not this machine's";
    return new BindException(text.formatted(port, address.getHostAddress(), why.getMessage()));
  }

  @Override
  public Socket createSocket(String name) throws IOException {
    return new Outgoing(handshake, admitted);
  }

  @Override
  public ServerSocket createServerSocket(String name) throws IOException {
    return new Incoming(handshake, nodes, log, admitted);
  }

  /// Closes what was opened by a key that is no longer accepted, one connection after the other; they
  /// are made anew by whoever needs them. Takes a moment for each.
  void closeAll(ClusterKey former) {
    for (var socket : admitted.by(former)) {
      try {
        socket.close();
      } catch (IOException e) {
        log.warning("Cannot close a connection: " + e.getMessage());
      }
      LockSupport.parkNanos(BETWEEN_NANOS);
    }
  }

  private static final class Outgoing extends Socket {
    private final Handshake handshake;
    private final Admitted made;

    Outgoing(Handshake handshake, Admitted made) {
      this.handshake = handshake;
      this.made = made;
    }

    @Override
    public void connect(SocketAddress to) throws IOException {
      connect(to, 0);
    }

    @Override
    public void connect(SocketAddress to, int timeout) throws IOException {
      super.connect(to, timeout);
      try {
        made.add(this, handshake.asClient(this));
      } catch (IOException e) {
        close();
        throw e;
      }
    }
  }

  /// The end that is connected to.
  static final class Incoming extends ServerSocket {
    private final Handshake handshake;
    private final Set<InetAddress> nodes;
    private final Log log;
    private final Semaphore strangers = new Semaphore(STRANGERS);
    private final Map<InetAddress, Set<Socket>> byAddress = new HashMap<>(); // guarded by itself
    private final Admitted all;
    private final LinkedBlockingQueue<Socket> admitted = new LinkedBlockingQueue<>(ADMITTED);
    private boolean accepting;
    private volatile long complained;

    private Incoming(Handshake handshake, Set<InetAddress> nodes, Log log, Admitted all)
        throws IOException {
      this.all = all;
      this.handshake = handshake;
      this.nodes = nodes;
      this.log = log;
    }

    @Override
    public Socket accept() throws IOException {
      begin();
      try {
        var next = admitted.take();
        if (isClosed()) {
          next.close();
          admitted.offer(next); // wakes the next thread that waits
          throw new SocketException("Socket closed");
        }
        return next;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SocketException("interrupted", e);
      }
    }

    @Override
    public void close() throws IOException {
      super.close();
      admitted.offer(new Socket()); // wakes a thread that waits for one
    }

    private synchronized void begin() {
      if (!accepting) {
        accepting = true;
        Thread.ofVirtual().name("accept-strangers").start(this::acceptAll);
      }
    }

    private void acceptAll() {
      while (!isClosed()) {
        try {
          var stranger = super.accept();
          var address = stranger.getInetAddress();
          if (!enter(stranger, address)) {
            stranger.close();
          } else {
            Thread.ofVirtual().name("admit").start(() -> admit(stranger, address));
          }
        } catch (IOException e) {
          if (!isClosed()) {
            complain("Cannot accept connections of other nodes: " + e.getMessage());
            LockSupport.parkNanos(PAUSE_NANOS); // out of descriptors, most likely
          }
        }
      }
    }

    /// Any user of a node, or any machine that shares its address, can open connections from there.
    /// They must not keep out the node itself, which proves the key within milliseconds: if too
    /// many connections of a node's address wait, the one that has waited longest is closed.
    ///
    /// @return whether it may go on with the handshake
    private boolean enter(Socket stranger, InetAddress address) throws IOException {
      var node = nodes.contains(address);
      Socket longest = null;
      synchronized (byAddress) {
        var waiting = byAddress.getOrDefault(address, Set.of()).size();
        if (!node && (waiting >= STRANGERS_OF_ONE || !strangers.tryAcquire())) {
          return false; // and is forgotten: there are more addresses than memory
        }
        var his = byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>());
        his.add(stranger);
        if (node && his.size() > WAITING_OF_NODE) {
          longest = his.iterator().next();
          his.remove(longest);
        }
      }
      if (longest != null) {
        longest.close();
      }
      return true;
    }

    /// How many addresses have connections that wait to show the key.
    int addresses() {
      synchronized (byAddress) {
        return byAddress.size();
      }
    }

    private void leave(Socket stranger, InetAddress address) {
      synchronized (byAddress) {
        var his = byAddress.get(address);
        if (his != null && his.remove(stranger) && his.isEmpty()) {
          byAddress.remove(address);
        }
      }
    }

    private void admit(Socket stranger, InetAddress address) {
      try {
        all.add(stranger, handshake.asServer(stranger));
        leave(stranger, address); // it no longer waits, so it is not closed to make room
        if (!admitted.offer(stranger)) {
          stranger.close();
        }
      } catch (IOException e) {
        complain(
            "Refusing a connection of %s: %s"
                .formatted(
                    stranger.getRemoteSocketAddress() instanceof InetSocketAddress it
                        ? it.getAddress().getHostAddress()
                        : "somebody",
                    e.getMessage()));
        try {
          stranger.close();
        } catch (IOException ignored) {
          complain("Cannot close a connection: " + ignored.getMessage());
        }
      } finally {
        if (!nodes.contains(address)) {
          strangers.release();
        }
        leave(stranger, address);
      }
    }

    private void complain(String what) {
      var now = System.nanoTime();
      if (complained == 0 || now - complained > COMPLAIN_NANOS) {
        complained = now;
        log.warning(what);
      }
    }
  }
}
