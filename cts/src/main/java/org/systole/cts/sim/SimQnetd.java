package org.systole.cts.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.systole.common.world.UpgradableStreams;

/// The server of the quorum device, outside the cluster: a machine of its own, with lines of its own
/// to each node, that decides as Corosync's qnetd does ([SimQnetdRules]). It knows nothing of the
/// code that ships: it reads and writes the protocol by itself.
final class SimQnetd {
  private static final long DELAY_MIN = 200_000;
  private static final long DELAY_SPREAD = 5_000_000;
  private static final long RETRY = 200_000_000;
  private static final long REFUSED = 1_000_000;
  private static final long LOOK = 50_000_000;

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final boolean lms;
  private final Set<String> cut = new TreeSet<>();
  private final List<SimQnetdClient> clients = new ArrayList<>();
  private boolean up = true;
  private long number;

  SimQnetd(SimCluster cluster, boolean lms) {
    this.cluster = cluster;
    this.lms = lms;
    this.random = cluster.random("qnetd", "", "", 0);
    cluster.queue().after(LOOK, this::look);
  }

  /// The section of the files.
  static String section(String algorithm, int votes, String... more) {
    return """
          device {
            model: net
            votes: %d
            net {
              host: qnetd
              algorithm: %s
              %s
            }
          }
        """
        .formatted(votes, algorithm, String.join("\n      ", more));
  }

  SimCluster cluster() {
    return cluster;
  }

  SimQueue queue() {
    return cluster.queue();
  }

  boolean isLms() {
    return lms;
  }

  /// In the order in which they came.
  List<SimQnetdClient> clients() {
    return clients;
  }

  // ---- what happens to it

  /// Cuts or mends the lines to a node.
  void line(String node, boolean whole) {
    cluster.note("qnetd " + (whole ? "hears " : "does not hear ") + node);
    if (whole) {
      cut.remove(node);
    } else {
      cut.add(node);
    }
  }

  void mendAll() {
    cut.clear();
  }

  /// Ends it: what it has decided is forgotten.
  ///
  /// @param silently whether the nodes are not told, as when its power fails
  void stop(boolean silently) {
    cluster.note("qnetd stops" + (silently ? " silently" : ""));
    up = false;
    for (var it : List.copyOf(clients)) {
      if (!silently) {
        it.hangUp();
      }
    }
    clients.clear();
  }

  void start() {
    if (!up) {
      cluster.note("qnetd starts");
    }
    up = true;
  }

  boolean isUp() {
    return up;
  }

  boolean reaches(SimNode node) {
    return !cut.contains(node.name());
  }

  long delay() {
    return DELAY_MIN + random.nextLong(DELAY_SPREAD);
  }

  long retry() {
    return RETRY;
  }

  /// Ends of processes are noticed by their closed connections, unless the machine is gone with
  /// them.
  private void look() {
    queue().after(LOOK, this::look);
    for (var it : List.copyOf(clients)) {
      if (it.isDead() && reaches(it.node())) {
        drop(it, "its process has ended");
      } else if (it.isSilent(queue().now())) {
        it.hangUp();
        drop(it, "it is silent");
      }
    }
  }

  void drop(SimQnetdClient it, String why) {
    if (clients.contains(it)) {
      cluster.note("qnetd drops " + it.node().name() + ": " + why);
      SimQnetdRules.leaves(this, it);
      clients.remove(it);
      SimQnetdRules.left(this);
    }
  }

  boolean hasNode(long id) {
    return clients.stream().anyMatch(it -> it.isAccepted() && it.id() == id);
  }

  // ---- how nodes reach it

  UpgradableStreams streams(SimProcess process) {
    return (_, within, handler) -> connect(process, within, handler);
  }

  private void connect(SimProcess process, Duration within, UpgradableStreams.Handler handler) {
    if (!reaches(process.node())) {
      queue().after(within.toNanos(), process, () -> handler.closed("no answer"));
    } else if (!up) {
      queue().after(REFUSED, process, () -> handler.closed("Connection refused"));
    } else {
      queue()
          .after(
              delay(),
              process,
              () -> {
                var client = new SimQnetdClient(this, process, handler, ++number);
                clients.add(client);
                handler.opened(client);
              });
    }
  }

  /// A message of the protocol.
  record Message(int kind, List<Option> options) {
    record Option(int key, byte[] value) {}

    static Message of(int kind) {
      return new Message(kind, new ArrayList<>());
    }

    static Message read(int kind, byte[] body) {
      var it = of(kind);
      var in = ByteBuffer.wrap(body);
      while (in.hasRemaining()) {
        var key = in.getShort() & 0xffff;
        var value = new byte[in.getShort() & 0xffff];
        in.get(value);
        it.options.add(new Option(key, value));
      }
      return it;
    }

    Message with(int key, byte... value) {
      options.add(new Option(key, value));
      return this;
    }

    Message with32(int key, long value) {
      return with(key, ByteBuffer.allocate(4).putInt((int) value).array());
    }

    byte[] value(int key) {
      for (var it : options) {
        if (it.key == key) {
          return it.value;
        }
      }
      return new byte[0];
    }

    long number(int key) {
      var value = 0L;
      for (var it : value(key)) {
        value = value << 8 | it & 0xff;
      }
      return value;
    }

    byte[] bytes() {
      var size = options.stream().mapToInt(it -> 4 + it.value.length).sum();
      var out = ByteBuffer.allocate(6 + size).putShort((short) kind).putInt(size);
      options.forEach(
          it -> out.putShort((short) it.key).putShort((short) it.value.length).put(it.value));
      return out.array();
    }
  }
}
