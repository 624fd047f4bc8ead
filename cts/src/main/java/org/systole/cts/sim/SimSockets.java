package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;

/// The local sockets of one node: frames arrive in order, a little later; a dead process's
/// connections close.
final class SimSockets {
  private static final long DELAY_MIN = 20_000;
  private static final long DELAY_SPREAD = 180_000;

  /// What may wait for a reader before it is cut off.
  private static final long WAITING_BYTES_MAX = 128L << 20;

  private record Listener(SimProcess process, ServerHandler handler, List<End> accepted) {}

  private final SimQueue queue;
  private final RandomGenerator random;
  private final Map<String, Listener> listeners = new LinkedHashMap<>();

  SimSockets(SimQueue queue, RandomGenerator random) {
    this.queue = queue;
    this.random = random;
  }

  private long delay() {
    return DELAY_MIN + random.nextLong(DELAY_SPREAD);
  }

  Server listen(SimProcess process, String name, ServerHandler handler) {
    var listener = new Listener(process, handler, new ArrayList<>());
    if (listeners.putIfAbsent(name, listener) != null) {
      throw new IllegalStateException("socket " + name + " is served already");
    }
    process.onEnd((_, _) -> listeners.remove(name, listener));
    return () -> {
      listeners.remove(name, listener);
      List.copyOf(listener.accepted).forEach(End::close);
    };
  }

  void connect(SimProcess process, String name, ConnectionHandler handler) {
    var client = new End(process, handler);
    queue.after(delay(), () -> establish(name, client));
  }

  private void establish(String name, End client) {
    var listener = listeners.get(name);
    if (!client.process.isAlive()) {
      return;
    }
    if (listener == null) {
      client.open = false;
      client.deliver(() -> client.handler().closed(client, "nobody serves the socket " + name));
      return;
    }
    var server = new End(listener.process, null);
    client.peer = server;
    server.peer = client;
    server.handler = listener.handler.accept(server);
    listener.accepted.add(server);
    server.onGone = () -> listener.accepted.remove(server);
    server.deliver(() -> server.handler().opened(server));
    client.deliver(() -> client.handler().opened(client));
    client.process.onEnd((_, _) -> client.died());
    server.process.onEnd((_, _) -> server.died());
  }

  /// Whose process it is: commands are root's, daemons the cluster's own user's, and what is called
  /// `guest-NAME` is of a member of the cluster's group.
  private static String userOf(SimProcess process) {
    if (process.name().startsWith(SimNode.GUEST)) {
      return process.name().substring(SimNode.GUEST.length());
    }
    return process.name().startsWith("sim-") ? "root" : "hacluster";
  }

  private static final Connection.Credentials NOBODY = credentials("nobody", true);

  private static Connection.Credentials credentials(String user, boolean privileged) {
    return new Connection.Credentials(user, List.of(user.equals("root") ? "root" : "haclient"), privileged);
  }

  /// One end of a connection.
  private final class End implements Connection {
    private final SimProcess process;
    private @Nullable ConnectionHandler handler;
    private @Nullable End peer;
    private boolean open = true;
    private long lastArrival;
    private long waitingBytes;
    private Runnable onGone = () -> {};
    private final Credentials own; // asked for with each message

    End(SimProcess process, @Nullable ConnectionHandler handler) {
      this.process = process;
      this.handler = handler;
      var guest = process.name().startsWith(SimNode.GUEST);
      this.own = credentials(userOf(process), !guest);
    }

    private ConnectionHandler handler() {
      if (handler == null) {
        throw new IllegalStateException("a connection without a handler");
      }
      return handler;
    }

    /// Has something arrive at this end after everything that is under way to it.
    private void deliver(Runnable task) {
      lastArrival = Math.max(queue.now() + delay(), lastArrival);
      queue.at(lastArrival, process, task);
    }

    @Override
    public void send(byte[] frame) {
      var to = peer;
      if (!open || to == null || !process.isAlive()) {
        return;
      }
      if (frame.length == 0) {
        throw new IllegalArgumentException("a frame without content");
      }
      if (frame.length > FRAME_MAX) {
        close();
        return;
      }
      to.waitingBytes += frame.length;
      if (to.waitingBytes > WAITING_BYTES_MAX) {
        close();
        return;
      }
      to.deliver(
          () -> {
            to.waitingBytes -= frame.length;
            if (to.open) {
              to.handler().received(to, frame);
            }
          });
    }

    @Override
    public void close() {
      if (open) {
        gone("closed here");
        tellPeer();
      }
    }

    private void gone(String why) {
      open = false;
      onGone.run();
      queue.after(0, process, () -> handler().closed(this, why));
    }

    private void died() {
      if (open) {
        open = false;
        onGone.run();
        tellPeer();
      }
    }

    private void tellPeer() {
      var other = peer;
      if (other != null) {
        other.deliver(
            () -> {
              if (other.open) {
                other.gone("closed by the other end");
              }
            });
      }
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      var other = peer;
      return other == null ? NOBODY : other.own;
    }
  }
}
