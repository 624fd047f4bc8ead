package org.systole.cts.sim;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.PeerPaths;
import org.systole.common.world.Channels;

/// The links of one process to the others in its view, where nodes have more than one. Which one is
/// used is for the code that ships to say; here are the connections that it probes.
final class SimPaths {
  private static final long ANSWER = 2_000_000;

  private final SimNetwork network;
  private final SimChannel self;
  private final Map<Channels.Address, PeerPaths> peers = new TreeMap<>();
  private Channels.Network config;
  private boolean many; // links between two nodes

  SimPaths(SimNetwork network, SimChannel self, Channels.Network config) {
    this.network = network;
    this.self = self;
    this.config = config;
    this.many = isMany(config);
  }

  private static boolean isMany(Channels.Network config) {
    return config.hosts().stream().anyMatch(it -> it.size() > 1);
  }

  void begin() {
    if (many) {
      tick();
    }
  }

  void use(Channels.Network changed) {
    var before = many;
    config = changed;
    many = isMany(changed);
    peers.values().forEach(it -> it.use(timing(), links()));
    if (!before) {
      begin();
    }
  }

  private PeerPaths.Timing timing() {
    return PeerPaths.Timing.ofToken(config.tokenMillis());
  }

  /// All simulated nodes have the same.
  private Map<Integer, Integer> links() {
    var any = config.hosts().getFirst();
    return config.between(any, any);
  }

  private void tick() {
    if (!self.isOpen() || !many) {
      peers.clear();
      return;
    }
    var queue = network.cluster().queue();
    queue.after(timing().probe().toNanos(), self.process(), this::tick);
    var view = self.views().current();
    var members = view == null ? List.<Channels.Address>of() : view.members();
    peers.keySet().retainAll(members);
    for (var member : members) {
      var peer = network.at(member);
      if (peer != null && peer != self) {
        var paths = peers.computeIfAbsent(member, _ -> new PeerPaths(timing(), links()));
        paths.links().forEach(link -> probe(paths, peer, link));
      }
    }
  }

  private void probe(PeerPaths paths, SimChannel peer, int link) {
    var queue = network.cluster().queue();
    var now = queue.now();
    changed(paths, peer, paths.look(link, now));
    var whole = isWhole(peer, link);
    if (paths.isDead(link, now)) {
      if (!whole) {
        return; // no connection can be made
      }
      paths.opened(link);
    }
    paths.probed(link, now);
    if (whole) {
      queue.after(
          ANSWER, self.process(), () -> changed(paths, peer, paths.answered(link)));
    }
  }

  private void changed(PeerPaths paths, SimChannel peer, PeerPaths.@Nullable Change change) {
    if (change != null && self.isOpen()) {
      network
          .cluster()
          .change(
              "%s: link %d to %s is %s, link %d is used"
                  .formatted(
                      self.process().node().name(),
                      change.link(),
                      peer.process().node().name(),
                      change.up() ? "up" : "down",
                      paths.active()));
      self.flush();
    }
  }

  private boolean isWhole(SimChannel peer, int link) {
    var one = self.process().node();
    var other = peer.process().node();
    return !peer.process().isStopped()
        && network.hear(one, other)
        && !network.isLinkCut(one, other, link);
  }

  /// Whether the link that is used carries what this process sends. To a process that is not in its
  /// view any link does that takes a connection.
  boolean carry(SimChannel to) {
    if (!many) {
      return true;
    }
    var one = self.process().node();
    var other = to.process().node();
    var paths = peers.get(to.address());
    return paths == null
        ? links().keySet().stream().anyMatch(it -> !network.isLinkCut(one, other, it))
        : !network.isLinkCut(one, other, paths.active());
  }
}
