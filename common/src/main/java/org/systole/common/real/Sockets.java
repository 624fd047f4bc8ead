package org.systole.common.real;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;
import org.systole.common.world.ClusterAccount;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Log;
import org.systole.common.world.NeverOpened;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

/// The node's Unix-domain sockets.
final class Sockets {
  private static final int BACKLOG = 256;
  private static final int CLIENTS = 4096;
  private static final long PAUSE_NANOS = 100_000_000;
  private static final long COMPLAIN_NANOS = 1_000_000_000L;

  private final Layout layout;
  private final Directories directories;
  private final EventLoop loop;
  private final Log log;
  private final Guests guests = new Guests();
  private final AtomicLong complained = new AtomicLong();

  Sockets(Layout layout, Directories directories, EventLoop loop, Log log) {
    this.layout = layout;
    this.directories = directories;
    this.loop = loop;
    this.log = log;
  }

  /// A socket is bound where no other user can reach it, given its owner and mode, and only then
  /// moved to its place: there is no moment at which the wrong user could connect.
  Server listen(String name, World.Access access, ServerHandler handler) {
    var path = layout.socket(name);
    var channel = bind(name, path, access);
    var clients = ConcurrentHashMap.<SocketConnection>newKeySet();
    watch(path, channel, clients, handler);
    return () -> {
      try {
        channel.close();
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw new IllegalStateException(
            "cannot close the socket " + path + ": " + e.getMessage(), e);
      }
      clients.forEach(SocketConnection::close);
    };
  }

  private void watch(
      Path path, ServerSocketChannel server, Set<SocketConnection> clients, ServerHandler handler) {
    try {
      var key = new AtomicReference<@Nullable SelectionKey>();
      key.set(
          loop.watch(
              server,
              SelectionKey.OP_ACCEPT,
              () -> accept(server, clients, handler, () -> pause(key.get()))));
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot serve the socket %s: %s".formatted(path, CannotStart.reason(e)));
    }
  }

  private ServerSocketChannel bind(String name, Path path, World.Access access) {
    try {
      var aside = directories.asideForSockets().resolve(name);
      Files.deleteIfExists(aside);
      var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      channel.bind(UnixDomainSocketAddress.of(aside), BACKLOG);
      directories.grant(aside, access == World.Access.GROUP ? "rw-rw----" : "rw-------");
      Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return channel;
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot serve the socket %s: %s".formatted(path, CannotStart.reason(e)));
    }
  }

  private void accept(
      ServerSocketChannel server,
      Set<SocketConnection> clients,
      ServerHandler handler,
      Runnable pause) {
    try {
      for (var next = server.accept(); next != null; next = server.accept()) {
        var channel = next;
        if (clients.size() >= CLIENTS) {
          channel.close();
        } else {
          Thread.ofVirtual().name("admit").start(() -> admit(channel, clients, handler));
        }
      }
    } catch (IOException e) {
      pause.run(); // out of descriptors, most likely: others have to close some first
    }
  }

  private void pause(@Nullable SelectionKey accepting) {
    if (accepting != null && accepting.isValid()) {
      accepting.interestOps(0);
      loop.after(
          PAUSE_NANOS,
          () -> {
            if (accepting.isValid()) {
              accepting.interestOps(SelectionKey.OP_ACCEPT);
            }
          });
    }
  }

  /// Not in the loop: the user database may take its time.
  private void admit(SocketChannel channel, Set<SocketConnection> clients, ServerHandler handler) {
    try {
      var peer = directories.credentials(channel);
      var guest = !peer.privileged();
      var why =
          !directories.mayConnect(peer)
              ? "is not in group " + ClusterAccount.GROUP
              : guest && !guests.enter(peer.user()) ? "has too many connections" : null;
      if (why != null) {
        channel.close();
        complain("Refusing a connection: user %s %s".formatted(peer.user(), why));
        return;
      }
      var connection = new SocketConnection(loop, channel, peer, guests);
      clients.add(connection);
      Runnable ended =
          () -> {
            clients.remove(connection);
            if (guest) {
              guests.leave(peer.user());
            }
          };
      loop.post(() -> connection.start(handler.accept(connection), ended));
    } catch (IOException e) {
      complain("Refusing a connection: " + e.getMessage());
    }
  }

  /// Says so, but not at each attempt.
  private void complain(String what) {
    var now = System.nanoTime();
    var before = complained.get();
    if ((before == 0 || now - before > COMPLAIN_NANOS) && complained.compareAndSet(before, now)) {
      log.warning(what);
    }
  }

  void connect(String name, ConnectionHandler handler) {
    var path = layout.socket(name);
    Thread.ofVirtual()
        .name("connect-" + name)
        .start(
            () -> {
              try {
                var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                try {
                  channel.connect(UnixDomainSocketAddress.of(path));
                } catch (IOException e) {
                  channel.close();
                  throw e;
                }
                var peer = directories.credentials(channel);
                var connection = new SocketConnection(loop, channel, peer, guests);
                loop.post(() -> connection.start(handler, () -> {}));
              } catch (IOException e) {
                var why = "cannot connect to %s: %s".formatted(path, CannotStart.reason(e));
                loop.post(() -> handler.closed(new NeverOpened(""), why));
              }
            });
  }
}
