package org.systole.common.world;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// A daemon that the one under test connects to, played by the test.
///
/// @param <Q> the requests it gets
/// @param <R> its replies
/// @param <E> its events
public final class TestPeer<Q, R, E> implements ConnectionHandler {
  /// What a peer does with a request; it may answer at once or keep the id.
  @FunctionalInterface
  public interface Script<Q> {
    void asked(long id, Q request);
  }

  private final TestWorld world;
  private final ClientProtocol<Q, R, E> protocol;
  private final List<Q> received = new ArrayList<>();
  private @Nullable ConnectionHandler daemon;
  private @Nullable TestPipe connection;
  private Script<Q> script = (_, _) -> {};

  TestPeer(TestWorld world, ClientProtocol<Q, R, E> protocol) {
    this.world = world;
    this.protocol = protocol;
  }

  /// Says what is done with what comes.
  public void script(Script<Q> what) {
    script = what;
  }

  void accept(ConnectionHandler handler) {
    var pipe = new TestPipe(world, TestWorld.ROOT, this);
    pipe.to(handler);
    daemon = handler;
    connection = pipe;
    handler.opened(pipe);
  }

  public boolean isConnected() {
    return connection != null;
  }

  /// All that has come, in order.
  public List<Q> received() {
    return List.copyOf(received);
  }

  public void reply(long id, R answer) {
    send(protocol.reply(id, answer));
  }

  public void event(E event) {
    send(protocol.event(event));
  }

  private void send(byte[] frame) {
    var to = daemon;
    var at = connection;
    if (to != null && at != null) {
      world.post(() -> to.received(at, frame));
    }
  }

  /// Ends the connection.
  public void drop(String why) {
    if (connection != null) {
      connection.end(why);
    }
    world.settle();
  }

  @Override
  public void opened(Connection with) {}

  @Override
  public void received(Connection from, byte[] frame) {
    try {
      var message = protocol.requestIn(frame);
      received.add(message.body());
      script.asked(message.id(), message.body());
    } catch (Protocol.ProtocolException e) {
      throw new IllegalStateException("the daemon sent what is no message", e);
    }
  }

  @Override
  public void closed(Connection from, String why) {
    connection = null;
    daemon = null;
  }
}
