package org.systole.cts.farm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;

/// The network of one host. It can be lost, with all connections, as when the kernel closes those of
/// a process that was killed.
final class FarmStreams implements SecureStreams {
  private final SecureStreams real;
  private final Runnable accepted;
  private final List<Server> servers = new ArrayList<>();
  private final Set<Connection> connections = new LinkedHashSet<>();
  private boolean lost;

  /// @param accepted called when somebody has connected and proved to know the key
  FarmStreams(SecureStreams real, Runnable accepted) {
    this.real = real;
    this.accepted = accepted;
  }

  void lose() {
    lost = true;
    servers.forEach(Server::close);
    List.copyOf(connections).forEach(Connection::abandon);
  }

  @Override
  public Server listen(@Nullable String address, int port, ServerHandler handler) {
    var server = real.listen(address, port, connection -> accept(connection, handler));
    servers.add(server);
    return server;
  }

  private ConnectionHandler accept(Connection connection, ServerHandler handler) {
    var inner = handler.accept(connection);
    connections.add(connection);
    accepted.run();
    if (lost) {
      connection.abandon();
    }
    return new ConnectionHandler() {
      @Override
      public void opened(Connection it) {
        if (!lost) {
          inner.opened(it);
        }
      }

      @Override
      public void received(Connection it, byte[] frame) {
        if (!lost) {
          inner.received(it, frame);
        }
      }

      @Override
      public void closed(Connection it, String why) {
        connections.remove(it);
        if (!lost) {
          inner.closed(it, why);
        }
      }
    };
  }

  @Override
  public void prepare() {
    real.prepare();
  }

  @Override
  public void connect(String server, int port, Duration within, ConnectionHandler handler) {
    throw new IllegalStateException("a host connects to nobody");
  }
}
