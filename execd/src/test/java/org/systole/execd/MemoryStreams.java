package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

/// A network in memory: who connects reaches whoever serves.
final class MemoryStreams implements SecureStreams {
  private final World world;
  private final List<End> all = new ArrayList<>();
  private final List<End> ends = new ArrayList<>(); // those that are open
  private @Nullable ServerHandler server;

  MemoryStreams(World world) {
    this.world = world;
  }

  boolean isServed() {
    return server != null;
  }

  /// Holds up what is sent on the connections there are.
  void stall() {
    ends.forEach(it -> it.stalled = true);
  }

  /// Holds up what is sent to the server on the connection that was made last.
  void stallLast() {
    ends.get(ends.size() - 2).stalled = true;
  }

  /// Lets through what was held up and not taken back.
  void goOn() {
    for (var end : List.copyOf(all)) {
      end.stalled = false;
      end.held.forEach(world::post);
      end.held.clear();
    }
  }

  /// Cuts all connections.
  void cut() {
    List.copyOf(ends).forEach(it -> it.end("cut"));
  }

  @Override
  public Server listen(@Nullable String address, int port, ServerHandler handler) {
    server = handler;
    return () -> server = null;
  }

  @Override
  public void prepare() {}

  @Override
  public void connect(String host, int port, Duration within, ConnectionHandler handler) {
    var to = server;
    var near = new End();
    if (to == null) {
      world.post(() -> handler.closed(near, "refused"));
      return;
    }
    var far = new End();
    near.other = far;
    far.other = near;
    near.handler = handler;
    far.handler = to.accept(far);
    ends.addAll(List.of(near, far));
    all.addAll(List.of(near, far));
    world.post(() -> far.handler.opened(far));
    world.post(() -> handler.opened(near));
  }

  private final class End implements Connection {
    private End other = this;
    private ConnectionHandler handler;
    private final List<Runnable> held = new ArrayList<>();
    private boolean stalled;
    private boolean closed;

    @Override
    public void send(byte[] frame) {
      deliver(
          () -> {
            if (!other.closed) {
              other.handler.received(other, frame);
            }
          });
    }

    private void deliver(Runnable task) {
      if (stalled) {
        held.add(task);
      } else {
        world.post(task);
      }
    }

    @Override
    public void abandon() {
      held.clear();
      close();
    }

    @Override
    public void close() {
      deliver(() -> end("closed"));
    }

    private void end(String why) {
      for (var end : List.of(this, other)) {
        if (!end.closed) {
          end.closed = true;
          ends.remove(end);
          end.handler.closed(end, why);
        }
      }
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials("10.0.0.7", List.of(), true);
    }
  }
}
