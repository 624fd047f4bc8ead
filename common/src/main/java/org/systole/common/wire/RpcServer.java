package org.systole.common.wire;

import java.time.Duration;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Server;
import org.systole.common.world.World;

/// Serves one protocol on a local socket: requests in, answers and events out.
///
/// Lives on the daemon's loop. A client that sends garbage is logged and cut off.
///
/// @param <M> the protocol's messages
public final class RpcServer<M> {
  /// What the daemon does with its clients.
  public interface Handler<M> {
    default void opened(Session<M> session) {}

    /// Every request gets exactly one [Session#reply] with its id, at once or later.
    void request(Session<M> session, long id, M request);

    default void closed(Session<M> session) {}
  }

  /// One client. Sessions are compared by identity.
  public static final class Session<M> {
    private final Protocol<M> protocol;
    private final Connection connection;
    private boolean watches;

    private Session(Protocol<M> protocol, Connection connection) {
      this.protocol = protocol;
      this.connection = connection;
    }

    public Connection.Credentials peer() {
      return connection.peer();
    }

    public void reply(long id, M answer) {
      connection.send(protocol.encode(id, answer));
    }

    /// Sends what was not asked for, to a client that subscribed.
    public void event(M event) {
      connection.send(protocol.encode(0, event));
    }

    /// Sends an event encoded once for many sessions, see [Protocol#encode] with id 0.
    public void eventEncoded(byte[] frame) {
      connection.send(frame);
    }

    /// Tells a client that watches whether this daemon still answers not to expect it for a while.
    public void busy(Duration forAsLong) {
      if (watches) {
        connection.send(Ping.busy(forAsLong));
      }
    }

    public void close() {
      connection.close();
    }
  }

  private RpcServer() {}

  public static <M> Server serve(
      World world, String socket, World.Access access, Protocol<M> protocol, Handler<M> handler) {
    return world.listen(
        socket, access, connection -> new Conversation<>(world, protocol, handler, connection));
  }

  private static final class Conversation<M> implements ConnectionHandler {
    private final World world;
    private final Protocol<M> protocol;
    private final Handler<M> handler;
    private final Session<M> session;

    Conversation(World world, Protocol<M> protocol, Handler<M> handler, Connection connection) {
      this.world = world;
      this.protocol = protocol;
      this.handler = handler;
      this.session = new Session<>(protocol, connection);
    }

    @Override
    public void opened(Connection connection) {
      handler.opened(session);
    }

    @Override
    public void received(Connection connection, byte[] frame) {
      if (Ping.isRequest(frame)) {
        session.watches = true;
        connection.send(Ping.answer());
        return;
      }
      Protocol.Envelope<M> message;
      try {
        if (frame.length > protocol.guestFrameMax() && !connection.peer().privileged()) {
          throw new Protocol.ProtocolException(
              "%s: a message of %d bytes, at most %d are taken"
                  .formatted(protocol.name(), frame.length, protocol.guestFrameMax()));
        }
        message = protocol.decode(frame);
      } catch (Protocol.ProtocolException e) {
        world
            .log()
            .warning("Cutting off a client (" + connection.peer().user() + "): " + e.getMessage());
        connection.close();
        return;
      }
      handler.request(session, message.id(), message.body());
    }

    @Override
    public void closed(Connection connection, String why) {
      handler.closed(session);
    }
  }
}
