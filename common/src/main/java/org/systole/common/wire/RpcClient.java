package org.systole.common.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;

/// A daemon's connection to another daemon of the same node. It reconnects by itself until closed.
///
/// Lives on the owner's loop; nothing blocks.
///
/// @param <Q> the protocol's requests
/// @param <R> its replies
/// @param <E> its events
public final class RpcClient<Q, R, E> {
  private static final Duration RECONNECT = Duration.ofMillis(200);
  private static final Duration RECONNECT_LATER = Duration.ofSeconds(5); // it would go on for ever

  /// What the owner hears.
  public interface Listener<E> {
    /// The connection is up, for the first time or again: subscribe here.
    default void connected() {}

    /// The connection is lost. Calls that were out have been answered with [Answer.Lost].
    default void disconnected(String why) {}

    /// Something that was not asked for.
    default void event(E event) {}
  }

  /// How a call ended.
  public sealed interface Answer<R> {
    record Got<R>(R message) implements Answer<R> {}

    /// No answer within the timeout; the request may still be carried out.
    record TimedOut<R>() implements Answer<R> {}

    /// The connection was not there or broke; the request may have been carried out.
    record Lost<R>(String why) implements Answer<R> {}
  }

  private record Call<R>(Consumer<Answer<R>> done, World.Timer timer) {}

  private final World world;
  private final String socket;
  private final ClientProtocol<Q, R, E> protocol;
  private final Listener<E> listener;
  private final Map<Long, Call<R>> calls = new LinkedHashMap<>();
  private @Nullable Connection connection;
  private long lastId;
  private boolean closed;
  private boolean saidTooMuch;

  public RpcClient(
      World world, String socket, ClientProtocol<Q, R, E> protocol, Listener<E> listener) {
    this.world = world;
    this.socket = socket;
    this.protocol = protocol;
    this.listener = listener;
  }

  /// Starts connecting; `connected` tells when it is up.
  public void open() {
    world.connect(socket, new Handler());
  }

  public boolean isConnected() {
    return connection != null;
  }

  /// Sends a request; `done` is told once, later. Without a connection it is [Answer.Lost], and so is
  /// one that does not fit a frame.
  public void call(Q request, Duration timeout, Consumer<Answer<R>> done) {
    var to = connection;
    if (to == null) {
      world.post(() -> done.accept(new Answer.Lost<>("not connected to " + socket)));
      return;
    }
    var id = ++lastId;
    var frame = protocol.request(id, request);
    if (frame.length > Connection.FRAME_MAX) {
      world.post(() -> done.accept(new Answer.Lost<>(Frames.tooLong(request, frame))));
      return;
    }
    var timer = world.after(timeout, () -> finish(id, new Answer.TimedOut<>()));
    calls.put(id, new Call<>(done, timer));
    to.send(frame);
  }

  /// Sends a request that has no reply. One that does not fit a frame ends the connection, which
  /// comes back some seconds later: nobody must believe it was sent.
  public void tell(Q message) {
    var to = connection;
    if (to != null) {
      saidTooMuch |=
          !Frames.send(world, protocol.name(), to, message, protocol.request(0, message));
    }
  }

  /// Ends the connection as if such a message had been told.
  ///
  /// @param why for the log
  public void refuseToTell(String why) {
    var to = connection;
    if (to != null) {
      world.log().error("Closing the connection to " + socket + ": " + why);
      saidTooMuch = true;
      to.close();
    }
  }

  /// Closes for good; calls that are out are answered with [Answer.Lost].
  public void close() {
    closed = true;
    if (connection != null) {
      connection.close();
    }
  }

  private void finish(long id, Answer<R> answer) {
    var call = calls.remove(id);
    if (call != null) {
      call.timer().cancel();
      call.done().accept(answer);
    }
  }

  private final class Handler implements ConnectionHandler {
    @Override
    public void opened(Connection opened) {
      if (closed) {
        opened.close();
        return;
      }
      connection = opened;
      listener.connected();
    }

    @Override
    public void received(Connection from, byte[] frame) {
      ClientProtocol.Said<R, E> said;
      try {
        said = protocol.saidIn(frame);
      } catch (Protocol.NotUnderstoodException e) {
        world.log().warning("Not understood over " + socket + ": " + e.getMessage());
        finish(e.id(), new Answer.Lost<>(e.getMessage()));
        return;
      } catch (Protocol.UnknownMessageException e) {
        world.log().warning("Ignored, from " + socket + ": " + e.getMessage());
        finish(e.id(), new Answer.Lost<>(e.getMessage()));
        return;
      } catch (Protocol.ProtocolException e) {
        world.log().error("Dropping the connection to " + socket + ": " + e.getMessage());
        from.close();
        return;
      }
      switch (said) {
        case ClientProtocol.Said.Event<R, E>(var event) -> listener.event(event);
        case ClientProtocol.Said.Reply<R, E>(var id, var reply) ->
            finish(id, new Answer.Got<>(reply));
      }
    }

    @Override
    public void closed(Connection from, String why) {
      var wasUp = connection != null;
      connection = null;
      for (var id : new ArrayList<>(calls.keySet())) {
        finish(id, new Answer.Lost<>(why));
      }
      if (wasUp) {
        listener.disconnected(why);
      }
      if (!closed) {
        var pause = saidTooMuch ? RECONNECT_LATER : RECONNECT;
        saidTooMuch = false;
        world.after(
            pause,
            () -> {
              if (!closed) {
                open();
              }
            });
      }
    }
  }
}
