package org.systole.controld.hosts;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.hostha.PowerState;

/// The DC reads the power of hosts: by itself, and where it has no device for a host, or none that
/// answers, by other members, as fencing does. The first that knows counts; nobody's not knowing does.
final class PowerReads {
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /// After this share of the time another member is asked besides.
  private static final int SHARE = 3;

  /// What is read for one host.
  private static final class Read {
    final NodeName host;
    final long until;
    final long patience;
    final Consumer<PowerState> done;
    final Deque<NodeId> left = new ArrayDeque<>();
    int open;
    boolean device; // somebody has one
    World.@Nullable Timer limit;
    World.@Nullable Timer next;

    Read(NodeName host, long until, long patience, Consumer<PowerState> done) {
      this.host = host;
      this.until = until;
      this.patience = patience;
      this.done = done;
    }

    void cancelNext() {
      if (next != null) {
        next.cancel();
        next = null;
      }
    }
  }

  private final World world;
  private final HostOrders.Host host;
  private final PowerReader own;
  private final Map<Long, Read> waiting = new TreeMap<>();
  private final Map<NodeName, NodeId> knew = new TreeMap<>(); // who could tell last, besides this node
  private long lastNumber;
  private boolean closed;

  PowerReads(World world, HostOrders.Host host, PowerReader own) {
    this.world = world;
    this.host = host;
    this.own = own;
    this.lastNumber = world.random().nextLong() >>> 16; // answers to an earlier DC fit nothing
  }

  void close() {
    closed = true;
    for (var read : waiting.values()) {
      read.cancelNext();
    }
    waiting.clear();
  }

  /// @param done told once, within the time
  void read(NodeName name, Duration timeout, Consumer<PowerState> done) {
    var until = world.nanoTime() + timeout.toNanos();
    var read = new Read(name, until, timeout.toNanos() / SHARE, done);
    read.limit = world.after(timeout, () -> end(read, PowerState.UNKNOWN));
    begin(read);
  }

  private void begin(Read read) {
    read.device = false;
    read.left.clear();
    if (host.knowPowerReads()) {
      var first = knew.get(read.host);
      for (var id : host.online()) {
        if (id.equals(host.nodeId(host.nodeName()))) {
          continue;
        }
        if (id.equals(first)) {
          read.left.addFirst(id);
        } else {
          read.left.addLast(id);
        }
      }
    }
    read.open++;
    own.read(read.host, left(read), state -> answered(read, state));
    nextLater(read);
  }

  private Duration left(Read read) {
    return Duration.ofNanos(Math.max(1_000_000, read.until - world.nanoTime()));
  }

  private void nextLater(Read read) {
    read.cancelNext();
    if (!read.left.isEmpty()) {
      read.next =
          world.after(
              Duration.ofNanos(read.patience),
              () -> {
                read.next = null;
                askNext(read);
              });
    }
  }

  private void askNext(Read read) {
    var id = read.left.poll();
    if (id == null || isOver(read)) {
      return;
    }
    waiting.put(++lastNumber, read);
    read.open++;
    host.send(
        id, new PeerMessage.ReadPower(lastNumber, read.host, left(read).toMillis()));
    nextLater(read);
  }

  private boolean isOver(Read read) {
    return closed || read.limit == null;
  }

  /// A member has answered.
  void heard(NodeId from, PeerMessage.PowerRead it) {
    var read = waiting.remove(it.number());
    if (read == null) {
      return;
    }
    var state = it.state().equals(PowerReader.NO_DEVICE) ? null : state(it.state());
    if (state == PowerState.ON || state == PowerState.OFF) {
      knew.put(read.host, from);
    }
    answered(read, state);
  }

  private static PowerState state(String text) {
    return switch (text) {
      case "ON" -> PowerState.ON;
      case "OFF" -> PowerState.OFF;
      default -> PowerState.UNKNOWN;
    };
  }

  private void answered(Read read, @Nullable PowerState state) {
    if (isOver(read)) {
      return;
    }
    read.open--;
    read.device |= state != null;
    if (state == PowerState.ON || state == PowerState.OFF) {
      end(read, state);
    } else if (!read.left.isEmpty()) {
      askNext(read);
    } else if (read.open == 0 && read.device) {
      end(read, PowerState.UNKNOWN);
    } else if (read.open == 0) {
      // A fencer that has just been started does not know its devices yet.
      world.after(
          AGAIN,
          () -> {
            if (!isOver(read)) {
              begin(read);
            }
          });
    }
  }

  private void end(Read read, PowerState state) {
    if (isOver(read)) {
      return;
    }
    if (read.limit != null) {
      read.limit.cancel();
      read.limit = null;
    }
    read.cancelNext();
    waiting.values().removeIf(it -> it == read);
    read.done.accept(state);
  }
}
