package org.systole.common.wire;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Server;
import org.systole.common.world.World;

/// Serves one protocol on a local socket: requests in, replies and events out.
///
/// Lives on the daemon's loop. A client that sends garbage is logged and cut off; a request of a type
/// that is not known here, as another build may send it, is answered so.
public final class RpcServer {
  /// What the daemon does with its clients.
  ///
  /// @param <Q> their requests
  /// @param <R> the replies
  /// @param <E> the events for those that subscribed
  public interface Handler<Q, R, E> {
    default void opened(Session<E> session) {}

    /// The answer to a client that may not make this request, see [Allowed].
    ///
    /// @param why one line, with the user's name
    /// @return null if such a client is cut off
    default @Nullable R denied(Q request, String why) {
      return null;
    }

    /// The answer to a client whose reply does not fit a frame.
    ///
    /// @param why one line, with both lengths
    /// @return null if such a client is cut off
    default @Nullable R tooLong(Q request, String why) {
      return null;
    }

    /// Every request gets exactly one [Call#reply], at once or later. It comes from a client that
    /// may make it.
    void request(Session<E> session, Call<R> call, Q request);

    default void closed(Session<E> session) {}
  }

  /// A request that waits for its reply.
  public static final class Call<R> {
    private final ClientProtocol<?, R, ?> protocol;
    private final Session<?> session;
    private final long id;
    private final Function<String, @Nullable R> tooLong;

    private Call(
        ClientProtocol<?, R, ?> protocol,
        Session<?> session,
        long id,
        Function<String, @Nullable R> tooLong) {
      this.protocol = protocol;
      this.session = session;
      this.id = id;
      this.tooLong = tooLong;
    }

    /// Who asks.
    public Connection.Credentials peer() {
      return session.peer();
    }

    /// Whether it came from that client.
    public boolean isOf(Session<?> client) {
      return session == client;
    }

    /// Says nothing to a client that has gone, or that asked for no reply. Of a reply that does not
    /// fit a frame only that is said, see [Handler#tooLong].
    public void reply(R reply) {
      if (id == 0) {
        return;
      }
      var frame = protocol.reply(id, reply);
      if (frame.length > Connection.FRAME_MAX) {
        var why = Frames.tooLong(reply, frame);
        var instead = tooLong.apply(why);
        if (instead != null) {
          session.world.log().warning("Not sent over %s: %s".formatted(protocol.name(), why));
          frame = protocol.reply(id, instead);
        }
      }
      session.send(reply, frame);
    }
  }

  /// One client. Sessions are compared by identity.
  public static final class Session<E> {
    private final World world;
    private final ClientProtocol<?, ?, E> protocol;
    private final Connection connection;
    private Connection.@Nullable Credentials behalf;
    private boolean watches;

    private Session(World world, ClientProtocol<?, ?, E> protocol, Connection connection) {
      this.world = world;
      this.protocol = protocol;
      this.connection = connection;
    }

    /// Who is at the other end, or who is spoken for there, see [Behalf].
    public Connection.Credentials peer() {
      return behalf == null ? connection.peer() : behalf;
    }

    /// Sends what was not asked for, to a client that subscribed.
    public void event(E event) {
      send(event, protocol.event(event));
    }

    /// Sends an event encoded once for many sessions, see [ClientProtocol#event].
    public void eventEncoded(byte[] frame) {
      send("an event", frame);
    }

    private void send(Object message, byte[] frame) {
      Frames.send(world, protocol.name(), connection, message, frame);
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

  public static <Q, R, E> Server serve(
      World world,
      String socket,
      World.Access access,
      ClientProtocol<Q, R, E> protocol,
      Handler<Q, R, E> handler) {
    return world.listen(
        socket, access, connection -> new Conversation<>(world, protocol, handler, connection));
  }

  private static final class Conversation<Q, R, E> implements ConnectionHandler {
    private final World world;
    private final ClientProtocol<Q, R, E> protocol;
    private final Handler<Q, R, E> handler;
    private final Session<E> session;

    Conversation(
        World world,
        ClientProtocol<Q, R, E> protocol,
        Handler<Q, R, E> handler,
        Connection connection) {
      this.world = world;
      this.protocol = protocol;
      this.handler = handler;
      this.session = new Session<>(world, protocol, connection);
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
      if (Behalf.isMeant(frame)) {
        speakFor(connection, Behalf.in(frame));
        return;
      }
      Protocol.Envelope<Q> message;
      try {
        if (frame.length > protocol.guestFrameMax() && !session.peer().privileged()) {
          throw new Protocol.ProtocolException(
              "%s: a message of %d bytes, at most %d are taken"
                  .formatted(protocol.name(), frame.length, protocol.guestFrameMax()));
        }
        message = protocol.requestIn(frame);
      } catch (Protocol.ProtocolException e) {
        refuse(connection, e);
        return;
      }
      var call =
          new Call<R>(
              protocol, session, message.id(), why -> handler.tooLong(message.body(), why));
      if (session.peer().privileged() || Allowed.isForMembers(message.body())) {
        handler.request(session, call, message.body());
      } else {
        deny(call, message.body());
      }
    }

    /// The cluster's own may speak for others; that cannot be taken back.
    private void speakFor(Connection connection, Connection.@Nullable Credentials other) {
      if (other == null || !session.peer().privileged()) {
        refuse(connection, new Protocol.ProtocolException("may not speak for others"));
        return;
      }
      session.behalf = other;
    }

    private void deny(Call<R> call, Q request) {
      var why =
          "user %s may not do this: only root and the cluster's own user may"
              .formatted(call.peer().who());
      var answer = handler.denied(request, why);
      if (answer == null) {
        world.log().warning("Cutting off a client of the %s: %s".formatted(protocol.name(), why));
        session.close();
      } else {
        call.reply(answer);
      }
    }

    private void refuse(Connection connection, Protocol.ProtocolException why) {
      var answer = why instanceof Protocol.NoNameException it ? protocol.refusal(it) : null;
      if (answer != null) {
        connection.send(answer);
        return;
      }
      if (why instanceof Protocol.UnknownMessageException it
          && (it.id() != 0 || session.peer().privileged())) {
        world.log().warning("Not understood: " + why.getMessage());
        if (it.id() != 0) {
          connection.send(protocol.notUnderstood(it));
        }
        return;
      }
      world
          .log()
          .warning("Cutting off a client (" + session.peer().who() + "): " + why.getMessage());
      connection.close();
    }

    @Override
    public void closed(Connection connection, String why) {
      handler.closed(session);
    }
  }
}
