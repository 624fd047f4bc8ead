package org.systole.common.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Behalf;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// A daemon that the one under test connects to, played by the test. It may be connected to more
/// than once; events go to all connections.
///
/// @param <Q> the requests it gets
/// @param <R> its replies
/// @param <E> its events
public final class TestPeer<Q, R, E> {
  /// What a peer does with a request; it may answer at once or keep the id.
  @FunctionalInterface
  public interface Script<Q> {
    void asked(long id, Q request);
  }

  private final TestWorld world;
  private final ClientProtocol<Q, R, E> protocol;
  private final List<Q> received = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();

  /// How each request is answered that was not answered yet.
  private final Map<Long, Consumer<R>> asked = new LinkedHashMap<>();

  private Script<Q> script = (_, _) -> {};
  private final List<Connection.@Nullable Credentials> spokenFor = new ArrayList<>();
  private boolean absent;

  TestPeer(TestWorld world, ClientProtocol<Q, R, E> protocol) {
    this.world = world;
    this.protocol = protocol;
  }

  /// Says what is done with what comes.
  public void script(Script<Q> what) {
    script = what;
  }

  void accept(ConnectionHandler handler) {
    if (absent) {
      handler.closed(new TestPipe(world, TestWorld.ROOT, handler), "it is not there");
      return;
    }
    var line = new Line(handler);
    lines.add(line);
    handler.opened(line.pipe);
  }

  public boolean isConnected() {
    return !lines.isEmpty();
  }

  /// The users for whom connections spoke, in order.
  public List<Connection.@Nullable Credentials> spokenFor() {
    return List.copyOf(spokenFor);
  }

  /// All that has come, in order.
  public List<Q> received() {
    return List.copyOf(received);
  }

  /// All of one kind that has come, in order.
  public <T extends Q> List<T> received(Class<T> kind) {
    return received.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /// Answers a request; one whose connection has ended is not heard.
  public void reply(long id, R answer) {
    var to = asked.remove(id);
    if (to == null) {
      throw new IllegalStateException("nothing waits for " + answer);
    }
    to.accept(answer);
  }

  public void event(E event) {
    List.copyOf(lines).forEach(it -> it.send(protocol.event(event)));
  }

  /// Ends all connections; what connects again finds it there.
  public void drop(String why) {
    List.copyOf(lines).forEach(it -> it.pipe.end(why));
    world.settle();
  }

  /// Ends all connections and takes no others before it [#comes].
  public void goes(String why) {
    absent = true;
    drop(why);
  }

  /// It is there again.
  public void comes() {
    absent = false;
  }

  /// One connection.
  private final class Line implements ConnectionHandler {
    private final ConnectionHandler daemon;
    private final TestPipe pipe;

    Line(ConnectionHandler daemon) {
      this.daemon = daemon;
      this.pipe = new TestPipe(world, TestWorld.ROOT, this);
      pipe.to(daemon);
    }

    void send(byte[] frame) {
      world.post(
          () -> {
            if (lines.contains(this)) {
              daemon.received(pipe, frame);
            }
          });
    }

    @Override
    public void opened(Connection with) {}

    @Override
    public void received(Connection from, byte[] frame) {
      if (Behalf.isMeant(frame)) {
        spokenFor.add(Behalf.in(frame));
        return;
      }
      try {
        var message = protocol.requestIn(frame);
        received.add(message.body());
        var number = (long) received.size();
        asked.put(number, answer -> send(protocol.reply(message.id(), answer)));
        script.asked(number, message.body());
      } catch (Protocol.ProtocolException e) {
        throw new IllegalStateException("the daemon sent what is no message", e);
      }
    }

    @Override
    public void closed(Connection from, String why) {
      lines.remove(this);
    }
  }
}
