package org.systole.common.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// A client of the daemon under test, played by the test.
///
/// @param <Q> the requests
/// @param <R> the replies
/// @param <E> the events
public final class TestClient<Q, R, E> implements ConnectionHandler {
  private final TestWorld world;
  private final ClientProtocol<Q, R, E> protocol;
  private final Map<Long, R> answers = new LinkedHashMap<>();
  private final List<E> events = new ArrayList<>();
  private @Nullable ConnectionHandler daemon;
  private @Nullable Connection connection;
  private long lastId;
  private boolean cutOff;

  TestClient(TestWorld world, ClientProtocol<Q, R, E> protocol) {
    this.world = world;
    this.protocol = protocol;
  }

  void to(ConnectionHandler handler, Connection its) {
    daemon = handler;
    connection = its;
  }

  /// Sends a request.
  ///
  /// @return its id, to look for the answer
  public long ask(Q request) {
    sendRaw(protocol.request(++lastId, request));
    return lastId;
  }

  /// Sends a request that arrives with all else that is under way.
  public void askLater(Q request) {
    post(protocol.request(++lastId, request));
  }

  /// Sends what may be no message at all.
  public void sendRaw(byte[] frame) {
    post(frame);
    world.settle();
  }

  private void post(byte[] frame) {
    var to = daemon;
    var at = connection;
    if (to != null && at != null && !cutOff) {
      world.post(() -> to.received(at, frame));
    }
  }

  /// Asks, and returns the answer there is at once, null if there is none yet.
  public @Nullable R answer(Q request) {
    return answers.get(ask(request));
  }

  /// The answer to a request, null if there is none so far.
  public @Nullable R answerTo(long id) {
    return answers.get(id);
  }

  /// All answers so far, in the order they came.
  public List<R> answers() {
    return List.copyOf(answers.values());
  }

  /// What came without being asked for.
  public List<E> events() {
    return List.copyOf(events);
  }

  public boolean isCutOff() {
    return cutOff;
  }

  /// Reads nothing more of what the daemon says.
  public void stopsReading() {
    if (connection instanceof TestPipe pipe) {
      pipe.hold();
    }
  }

  /// Goes away.
  public void close() {
    if (connection instanceof TestPipe pipe) {
      pipe.end("the client went away");
    }
    world.settle();
  }

  @Override
  public void opened(Connection with) {}

  @Override
  public void received(Connection from, byte[] frame) {
    try {
      switch (protocol.saidIn(frame)) {
        case ClientProtocol.Said.Event<R, E>(var event) -> events.add(event);
        case ClientProtocol.Said.Reply<R, E>(var id, var reply) -> {
          if (answers.put(id, reply) != null) {
            throw new IllegalStateException("answered twice: " + reply);
          }
        }
      }
    } catch (Protocol.ProtocolException e) {
      throw new IllegalStateException("the daemon sent what is no message", e);
    }
  }

  @Override
  public void closed(Connection from, String why) {
    cutOff = true;
  }
}
