package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

/// Connections over the network to remote hosts, as TCP has them. What one end sends arrives in order
/// or not at all. While the line is cut it waits; an end that has got nothing through for a while
/// gives up. A process that ends closes its connections; a machine without power says nothing.
final class SimStreams {
  private static final long SECOND = 1_000_000_000L;
  private static final long LOOK = SECOND / 2;
  private static final long VISIT = 60 * SECOND;

  /// As long as the real network's keepalive takes.
  static final Duration SILENCE = Duration.ofSeconds(60);

  private record Listener(SimProcess process, ServerHandler handler) {}

  private final SimCluster cluster;

  /// By the host's name, which is its address.
  private final Map<String, Listener> listeners = new LinkedHashMap<>();

  private final List<End> ends = new ArrayList<>();

  SimStreams(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// The network as the owner of a world sees it.
  SecureStreams of(World world) {
    if (world instanceof SimWorld simulated) {
      return new Seen(simulated.process());
    }
    throw new IllegalArgumentException("not a simulated process");
  }

  /// Closes all connections of a host at once, as a firewall that is loaded anew does.
  void reset(SimNode host) {
    cluster.checks().reachableHosts().reset(host, null);
    for (var end : List.copyOf(ends)) {
      if (end.process.node() == host) {
        end.other().gone("reset");
        end.gone("reset");
      }
    }
  }

  /// Closes those of one member: what is under way between the two is lost.
  void reset(SimNode host, SimNode member) {
    cluster.story().deed("reset " + host.name() + " " + member.name(), () -> closeAll(host, member));
  }

  private void closeAll(SimNode host, SimNode member) {
    cluster.checks().reachableHosts().reset(host, member);
    for (var end : List.copyOf(ends)) {
      if (end.process.node() == host && end.other().process.node() == member) {
        end.other().gone("reset");
        end.gone("reset");
      }
    }
  }

  /// The members that have been connected to a host for longer than a visit takes.
  Set<String> connectedTo(SimNode host) {
    return connectedTo(host, VISIT);
  }

  /// The members that have been connected to a host for longer than that, whatever goes through now.
  Set<String> connectedTo(SimNode host, long nanos) {
    var members = new TreeSet<String>();
    for (var end : ends) {
      if (end.client
          && end.other().process.node() == host
          && cluster.queue().now() - end.since > nanos) {
        members.add(end.process.node().name());
      }
    }
    return members;
  }

  /// Whether an executor listens there.
  boolean isServed(SimNode host) {
    return listeners.containsKey(host.name());
  }

  private boolean reaches(SimProcess from, SimProcess to) {
    return to.node().isPowered() && cluster.network().hear(from.node(), to.node());
  }

  private final class Seen implements SecureStreams {
    private final SimProcess process;

    Seen(SimProcess process) {
      this.process = process;
    }

    @Override
    public Server listen(@Nullable String address, int port, ServerHandler handler) {
      var listener = new Listener(process, handler);
      var host = process.node().name();
      if (listeners.putIfAbsent(host, listener) != null) {
        throw new IllegalStateException("the port of " + host + " is served already");
      }
      process.onEnd((_, _) -> listeners.remove(host, listener));
      return () -> listeners.remove(host, listener);
    }

    @Override
    public void prepare() {
      // the first attempt takes no longer than others
    }

    @Override
    public void connect(String server, int port, Duration within, ConnectionHandler handler) {
      var client = new End(process, handler);
      attempt(client, server, port, cluster.queue().now() + within.toNanos());
    }

    private void attempt(End client, String server, int port, long until) {
      var queue = cluster.queue();
      queue.after(cluster.network().delay(), () -> reach(client, server, port, until));
    }

    private void reach(End client, String server, int port, long until) {
      var queue = cluster.queue();
      var host = cluster.outside().at(server, port);
      if (!client.process.isAlive()) {
        return;
      }
      if (host == null || queue.now() >= until) {
        refuse(client, host == null ? "no such host: " + server : "no answer");
        return;
      }
      if (!host.isPowered() || !cluster.network().hear(client.process.node(), host)) {
        queue.after(LOOK, () -> reach(client, server, port, until));
        return;
      }
      var listener = listeners.get(host.name());
      if (listener == null) {
        refuse(client, "refused");
        return;
      }
      establish(client, listener);
    }

    private void refuse(End client, String why) {
      client.open = false;
      client.deliver(() -> client.handler().closed(client, why));
    }

    private void establish(End client, Listener listener) {
      var server = new End(listener.process, null);
      client.peer = server;
      server.peer = client;
      ends.add(client);
      ends.add(server);
      server.deliver(
          () -> {
            if (server.open) { // or it was reset before anybody took it
              server.handler = listener.handler.accept(server);
              server.handler().opened(server);
            }
          });
      client.deliver(() -> client.handler().opened(client));
      for (var end : List.of(client, server)) {
        end.process.onEnd((_, _) -> end.died());
        cluster.queue().after(LOOK, end::look);
      }
    }
  }

  /// One end of a connection.
  private final class End implements Connection {
    private final SimProcess process;
    private final boolean client; // it resets when it closes, as the real one
    private @Nullable ConnectionHandler handler;
    private @Nullable End peer;
    private final List<Runnable> held = new ArrayList<>(); // what comes to it and is not through
    private boolean open = true;
    private long lastArrival;
    private final long since = cluster.queue().now();
    private long heardAt = since;

    End(SimProcess process, @Nullable ConnectionHandler handler) {
      this.process = process;
      this.handler = handler;
      this.client = handler != null;
    }

    private ConnectionHandler handler() {
      if (handler == null) {
        throw new IllegalStateException("a connection without a handler");
      }
      return handler;
    }

    private End other() {
      if (peer == null) {
        throw new IllegalStateException("a connection with one end");
      }
      return peer;
    }

    /// Looks whether the other machine is still there, as keepalive does, and lets pass what waits.
    private void look() {
      if (!open || !process.isAlive()) {
        return;
      }
      cluster.queue().after(LOOK, this::look);
      var now = cluster.queue().now();
      if (!reaches(process, other().process)) {
        if (now - heardAt > SILENCE.toNanos()) {
          gone("nothing heard for a minute");
        }
        return;
      }
      heardAt = now;
      var waiting = List.copyOf(held);
      held.clear();
      waiting.forEach(this::deliver);
      if (!other().open && waiting.isEmpty() && lastArrival < now) {
        gone("closed by the other end");
      }
    }

    /// Has something arrive here after everything that is under way.
    private void deliver(Runnable task) {
      if (peer != null && (!held.isEmpty() || !reaches(peer.process, process))) {
        held.add(task);
        return;
      }
      lastArrival = Math.max(cluster.queue().now() + cluster.network().delay(), lastArrival);
      cluster.queue().at(lastArrival, process, task);
    }

    @Override
    public void send(byte[] frame) {
      if (!open || !process.isAlive()) {
        return;
      }
      var to = other();
      var copy = frame.clone();
      to.deliver(
          () -> {
            if (to.open) {
              to.handler().received(to, copy);
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

    @Override
    public void abandon() {
      dropUnsent();
      close();
    }

    private void dropUnsent() {
      if (client && peer != null) {
        peer.held.clear();
      }
    }

    private void gone(String why) {
      if (open) {
        open = false;
        ends.remove(this);
        tellChecks();
        var told = handler;
        if (told != null) {
          cluster.queue().after(0, process, () -> told.closed(this, why));
        }
      }
    }

    /// The process has ended; its system says so, if there still is one.
    private void died() {
      if (open) {
        open = false;
        ends.remove(this);
        tellChecks();
        dropUnsent();
        if (process.node().isPowered()) {
          tellPeer();
        }
      }
    }

    private void tellChecks() {
      if (peer != null) {
        cluster.checks().wellHosts().disconnected(process.node(), peer.process.node());
      }
    }

    private void tellPeer() {
      var other = other();
      other.deliver(() -> other.gone("closed by the other end"));
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials(other().process.node().name(), List.of(), true);
    }
  }
}
