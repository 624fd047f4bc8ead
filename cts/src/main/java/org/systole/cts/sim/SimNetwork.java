package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.world.Channels;
import org.systole.common.world.World;

/// The network between the nodes, who can reach whom over it, and the channels on it.
///
/// The channels stand in for JGroups and have its habits: views are installed by each process for
/// itself and may overlap; a silent peer is noticed after the token timeout, a closed connection at
/// once; a restarted process stands in a view twice for a while; groups that cannot hear each other
/// go on alone and merge later; a leader fetches whom it hears out of the view of one it does not
/// hear, unless that process follows its leader.
final class SimNetwork {
  private static final long DELAY_MIN = 100_000;
  private static final long DELAY_SPREAD = 900_000;
  private static final long UNACKNOWLEDGED = 2_000_000_000;
  private static final long RETRANSMIT_MIN = 50_000_000;
  private static final long RETRANSMIT_SPREAD = 150_000_000;
  private static final long RETRANSMIT_AGAIN = 1_000_000_000;
  private static final double LOST_AGAIN = 0.1;
  private static final long FILE_MIN = 1_000_000;
  private static final long FILE_SPREAD = 20_000_000;
  private static final int PACKED_FROM = 2048; // bytes
  private static final int PACKED = 7; // 88 kB of a CIB travel as 12.4

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final RandomGenerator files; // of its own: it moves nothing on the network

  /// Directed pairs "from>to" that are cut, and since when.
  private final Map<String, Long> cut = new TreeMap<>();

  /// One of several links between two nodes: "one other link".
  private final Set<String> linksCut = new TreeSet<>();

  private final List<SimChannel> channels = new ArrayList<>();
  private final Map<Channels.Address, SimChannel> byAddress = new HashMap<>(); // asked for each message
  private double loss;
  private long extraDelayMax;
  private long nanosPerByte;
  private long lastAddress;

  SimNetwork(SimCluster cluster) {
    this.cluster = cluster;
    this.random = cluster.random("network", "", "", 0);
    this.files = cluster.random("files", "", "", 0);
  }

  SimCluster cluster() {
    return cluster;
  }

  RandomGenerator random() {
    return random;
  }

  /// The share of messages that arrive only after having been sent again.
  void loss(double share) {
    loss = share;
  }

  /// Messages may take this much longer.
  void delay(long nanosMax) {
    extraDelayMax = nanosMax;
  }

  /// A message takes so much longer for each of its bytes, as on a narrow line: a whole CIB takes a while.
  void narrow(long perByte) {
    cluster.story().deed("narrow " + perByte, () -> nanosPerByte = perByte);
  }

  /// Cuts or mends one direction.
  void link(SimNode from, SimNode to, boolean up) {
    var pair = from.name() + ">" + to.name();
    if (up) {
      cut.remove(pair);
    } else {
      cut.putIfAbsent(pair, cluster.queue().now());
    }
  }

  /// Cuts machines into groups that hear only themselves. Who is no member is cut off only where it is
  /// named.
  void cutApart(List<List<String>> groups) {
    cluster.note("partition " + groups);
    var named = new ArrayList<>(cluster.machines());
    named.removeIf(it -> it.id() == SimNode.NO_MEMBER && !isNamed(groups, it));
    for (var from : named) {
      for (var to : named) {
        var together =
            groups.stream().anyMatch(it -> it.contains(from.name()) && it.contains(to.name()));
        link(from, to, together);
      }
    }
    channels.forEach(SimChannel::flush); // over lines that are mended by this
  }

  private static boolean isNamed(List<List<String>> groups, SimNode host) {
    return groups.stream().anyMatch(it -> it.contains(host.name()));
  }

  /// Cuts or mends one of the links between two nodes, both ways.
  void oneLink(SimNode one, SimNode other, int link, boolean up) {
    if (up) {
      linksCut.remove(linkName(one, other, link));
    } else {
      linksCut.add(linkName(one, other, link));
    }
    channels.forEach(SimChannel::flush);
  }

  private static String linkName(SimNode one, SimNode other, int link) {
    return Math.min(one.id(), other.id()) + " " + Math.max(one.id(), other.id()) + " " + link;
  }

  boolean isLinkCut(SimNode one, SimNode other, int link) {
    return linksCut.contains(linkName(one, other, link));
  }

  /// What a node's file says of the network now.
  Channels.Network configured(SimNode node) {
    var config = cluster.config(node);
    return new Channels.Network(
        config.nodes().stream().map(ClusterConfig.Node::addresses).toList(),
        config.priorities(),
        config.tokenMillis());
  }

  void mendAll() {
    cut.clear();
    linksCut.clear();
    channels.forEach(SimChannel::flush);
  }

  /// Whether what one sends gets to the other. Where the way back is cut no acknowledgement comes,
  /// and a sender stops once its window is full: a cut one way soon is one both ways.
  boolean reaches(SimNode from, SimNode to) {
    var one = from.machine(); // what a guest sends goes through what carries it
    var other = to.machine();
    return passes(from, to) && (one == from && other == to || passes(one, other));
  }

  private boolean passes(SimNode from, SimNode to) {
    if (cut.isEmpty()) {
      return true;
    }
    var back = cut.get(to.name() + ">" + from.name());
    return from == to
        || !cut.containsKey(from.name() + ">" + to.name())
            && (back == null || cluster.queue().now() - back < UNACKNOWLEDGED);
  }

  /// Whether no line between the two is cut.
  boolean hear(SimNode one, SimNode two) {
    return reaches(one, two) && reaches(two, one);
  }

  /// The node that is first in this node's view; the node itself while it has none, or if that
  /// process is gone.
  SimNode leader(SimNode node) {
    for (var channel : channels) {
      var view = channel.views().current();
      if (channel.process().node() == node && view != null) {
        var first = at(view.members().getFirst());
        return first == null ? node : first.process().node();
      }
    }
    return node;
  }

  /// How long one message between the nodes takes. The transport packs what is long, see `Packing`. How
  /// short that becomes is taken to be the same everywhere, not asked of this machine's zlib: a seed
  /// lives the same life on every machine.
  long delay(int bytes) {
    var travelling = bytes < PACKED_FROM ? bytes : bytes / PACKED;
    return delay() + travelling * nanosPerByte;
  }

  /// How long anything takes that is short.
  long delay() {
    var delay = DELAY_MIN + random.nextLong(DELAY_SPREAD);
    if (extraDelayMax > 0) {
      delay += random.nextLong(extraDelayMax);
    }
    if (loss > 0 && random.nextDouble() < loss) {
      var again = random.nextDouble() < LOST_AGAIN ? RETRANSMIT_AGAIN : RETRANSMIT_SPREAD;
      delay += RETRANSMIT_MIN + random.nextLong(again);
    }
    return delay;
  }

  /// The transport as the owner of a world sees it.
  Channels channels(World world) {
    if (world instanceof SimWorld simulated) {
      return channels(simulated.process());
    }
    throw new IllegalArgumentException("not a simulated process");
  }

  Channels channels(SimProcess process) {
    return new Channels() {
      @Override
      public Channel open(Listener listener) {
        var address = new Address(process.node().name() + "~" + ++lastAddress);
        var channel = new SimChannel(SimNetwork.this, process, address, listener);
        channels.add(channel);
        byAddress.put(address, channel);
        channel.open();
        return channel;
      }

      @Override
      public void configuration(Consumer<Configuration> done) {
        var takes = FILE_MIN + files.nextLong(FILE_SPREAD);
        cluster
            .queue()
            .after(
                takes,
                process,
                () ->
                    done.accept(
                        new Configuration(
                            "corosync.conf", cluster.corosyncConf(process.node()), null, null)));
      }

      @Override
      public @Nullable String key() {
        return null;
      }

      @Override
      public boolean acceptKey(String key) {
        return false;
      }

      @Override
      public void useKey(String key) {}
    };
  }

  /// Channels whose process lives, in the order they were opened.
  List<SimChannel> live() {
    return channels;
  }

  @Nullable SimChannel at(Channels.Address address) {
    return byAddress.get(address);
  }

  void forget(SimChannel channel) {
    channels.remove(channel);
    byAddress.remove(channel.address());
  }

  /// The node's processes are about to end without anybody being told.
  void vanished(SimNode node) {
    for (var channel : List.copyOf(channels)) {
      if (channel.process().node() == node) {
        channel.vanish();
      }
    }
  }

  /// One node's transport says that the process of another, which lives, has ended, as when a
  /// firewall begins to refuse connections.
  void takesForEnded(SimNode at, SimNode other) {
    cluster
        .story()
        .deed(
            "ended %s %s".formatted(at.name(), other.name()),
            () -> {
              var told = channelOf(at);
              var of = channelOf(other);
              if (told != null && of != null) {
                cluster.queue().after(0, told.process(), () -> told.tellEnded(of.address()));
              }
            });
  }

  /// A line that was cut refuses what is sent: the transport of one node has its connection to another,
  /// which lives, closed at once, and does not wait until it is silent for long enough.
  void refuses(SimNode at, SimNode other) {
    cluster
        .story()
        .deed(
            "refused %s %s".formatted(at.name(), other.name()),
            () -> {
              var told = channelOf(at);
              var of = channelOf(other);
              if (told != null && of != null) {
                cluster.queue().after(0, told.process(), () -> told.peerEnded(of.address(), false));
              }
            });
  }

  private @Nullable SimChannel channelOf(SimNode node) {
    return channels.stream()
        .filter(it -> it.process().node() == node && it.isOpen())
        .findFirst()
        .orElse(null);
  }

  void resumed(SimNode node) {
    channels.stream().filter(it -> it.process().node() == node).forEach(SimChannel::flush);
  }
}
