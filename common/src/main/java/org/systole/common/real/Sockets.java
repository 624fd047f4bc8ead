package org.systole.common.real;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.systole.common.layout.Layout;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

/// The node's Unix-domain sockets.
final class Sockets {
  private static final int BACKLOG = 256;
  private static final int CLIENTS = 4096;

  private final Layout layout;
  private final Directories directories;
  private final EventLoop loop;

  Sockets(Layout layout, Directories directories, EventLoop loop) {
    this.layout = layout;
    this.directories = directories;
    this.loop = loop;
  }

  /// A socket is bound where nobody else can reach it, given its owner and mode, and only then
  /// moved to
  /// its place: there is no moment at which the wrong user could connect.
  Server listen(String name, World.Access access, ServerHandler handler) {
    var path = layout.socket(name);
    var channel = bind(name, path, access);
    var clients = ConcurrentHashMap.<SocketConnection>newKeySet();
    Thread.ofVirtual().name("accept-" + name).start(() -> accept(channel, clients, handler));
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
      ServerSocketChannel server, Set<SocketConnection> clients, ServerHandler handler) {
    while (server.isOpen()) {
      try {
        var channel = server.accept();
        if (clients.size() >= CLIENTS) {
          channel.close();
          continue;
        }
        var connection = new SocketConnection(loop, channel, directories);
        clients.add(connection);
        loop.post(
            () -> connection.start(handler.accept(connection), () -> clients.remove(connection)));
      } catch (IOException e) {
        if (server.isOpen() && !pause()) {
          return; // out of descriptors, most likely: others have to close some first
        }
      }
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(100);
      return true;
    } catch (InterruptedException e) {
      return false;
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
                var connection = new SocketConnection(loop, channel, directories);
                loop.post(() -> connection.start(handler, () -> {}));
              } catch (IOException e) {
                var why = "cannot connect to %s: %s".formatted(path, CannotStart.reason(e));
                loop.post(() -> handler.closed(new NeverOpened(), why));
              }
            });
  }

  /// Stands for a connection that did not come about.
  private static final class NeverOpened implements Connection {
    @Override
    public void send(byte[] frame) {}

    @Override
    public void close() {}

    @Override
    public Credentials peer() {
      return new Credentials("", "", false);
    }
  }
}
