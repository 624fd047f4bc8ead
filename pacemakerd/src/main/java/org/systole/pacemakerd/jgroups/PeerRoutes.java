package org.systole.pacemakerd.jgroups;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.PeerPaths;
import org.systole.common.world.Channels.LinkState;
import org.systole.common.world.Channels.Network;
import org.systole.common.world.World;

/// The ways to each node, where nodes have several links. The transport knows a node by its address
/// on link 0; here that is turned into the link it is sent by.
///
/// What was sent by a link shortly before it was found to be cut may not have arrived: it is kept for
/// that long, and sent again by another link. What comes twice is dropped by the protocols above.
final class PeerRoutes {
  private static final int KEPT_BYTES_MAX = 8 << 20; // for one peer; what is more is asked for again

  /// How something is sent by one link.
  interface Wire {
    /// @throws Exception if it cannot be sent; whatever the transport throws
    void send(int link, IpAddress to, byte[] data, int offset, int length) throws Exception;

    /// Closes the connection; what waits to be written on it fails.
    void close(int link, IpAddress to);
  }

  private record Kept(long at, byte[] data) {}

  private final World world;
  private final int port;
  private final InetAddress self;
  private final KnownAddresses names;
  private final Map<InetAddress, Route> routes = new ConcurrentHashMap<>();
  private volatile SortedMap<Integer, InetAddress> own = new TreeMap<>();
  private volatile @Nullable Wire wire;

  /// @param self this node's address on link 0
  PeerRoutes(World world, InetAddress self, int port) {
    this(world, self, port, new KnownAddresses(InetAddress::getByName));
  }

  PeerRoutes(World world, InetAddress self, int port, KnownAddresses names) {
    this.names = names;
    this.world = world;
    this.self = self;
    this.port = port;
    own.put(0, self);
  }

  void wire(Wire by) {
    wire = by;
  }

  /// Goes by other addresses from now on. A name that could never be resolved is left out.
  ///
  /// @return whether there are other links now
  boolean use(Network network) {
    var before = addresses();
    var timing = PeerPaths.Timing.ofToken(network.tokenMillis());
    var resolved = new TreeMap<String, SortedMap<Integer, InetAddress>>();
    for (var host : network.hosts()) {
      var addresses = resolve(host);
      if (addresses.containsKey(0)) {
        resolved.put(Objects.requireNonNull(host.get(0)), addresses);
      }
    }
    for (var it : resolved.values()) {
      if (self.equals(it.get(0))) {
        own = it;
      }
    }
    var stay = new ArrayList<InetAddress>();
    resolved.forEach(
        (text, addresses) -> {
          var first = Objects.requireNonNull(addresses.get(0));
          var common = network.between(own, addresses);
          if (!first.equals(self) && common.size() > 1) {
            stay.add(first);
            var paths = new PeerPaths(timing, common);
            routes.computeIfAbsent(first, _ -> new Route(text, paths)).use(addresses);
            Objects.requireNonNull(routes.get(first)).paths.use(timing, common);
          }
        });
    routes.keySet().retainAll(stay);
    return !before.equals(addresses());
  }

  private List<Object> addresses() {
    var all = new HashMap<InetAddress, Object>();
    routes.forEach((first, route) -> all.put(first, route.addresses));
    return List.of(own, all);
  }

  private SortedMap<Integer, InetAddress> resolve(SortedMap<Integer, String> host) {
    var found = new TreeMap<Integer, InetAddress>();
    host.forEach(
        (link, name) -> {
          try {
            found.put(link, names.find(name));
          } catch (UnknownHostException e) {
            if (link > 0) { // the first one is complained of by who needs it
              say("The address %s cannot be resolved; correct ring%d_addr".formatted(name, link));
            }
          }
        });
    return found;
  }

  KnownAddresses names() {
    return names;
  }

  /// Warns of something, from any thread.
  void say(String what) {
    world.post(() -> world.log().warning(what));
  }

  /// This node's addresses by its links' numbers.
  SortedMap<Integer, InetAddress> own() {
    return own;
  }

  /// The addresses of all nodes on all links: who may connect.
  List<InetAddress> others() {
    return routes.values().stream().flatMap(it -> it.addresses.values().stream()).toList();
  }

  /// The ways to a node; null if there is only one.
  @Nullable Route route(Address to) {
    return to instanceof IpAddress it ? routes.get(it.getIpAddress()) : null;
  }

  List<LinkState> states() {
    var states = new ArrayList<LinkState>();
    for (var it : new TreeMap<>(inOrder()).values()) {
      it.paths
          .links()
          .forEach(link -> states.add(new LinkState(it.first, link, it.paths.isUp(link))));
    }
    return states;
  }

  private Map<String, Route> inOrder() {
    var found = new TreeMap<String, Route>();
    routes.values().forEach(it -> found.put(it.first, it));
    return found;
  }

  /// The ways to one node.
  final class Route {
    private final String first; // as the configuration has it
    private final PeerPaths paths;
    private final Deque<Kept> kept = new ArrayDeque<>();
    private long keptBytes;
    private volatile SortedMap<Integer, InetAddress> addresses = new TreeMap<>();

    Route(String first, PeerPaths paths) {
      this.first = first;
      this.paths = paths;
    }

    private void use(SortedMap<Integer, InetAddress> changed) {
      addresses = changed;
    }

    PeerPaths paths() {
      return paths;
    }

    @Nullable InetAddress address(int link) {
      return addresses.get(link);
    }

    /// Sends by the link that is up, or by any that takes it while none is known to be.
    void send(byte[] data, int offset, int length) throws Exception {
      keep(Arrays.copyOfRange(data, offset, offset + length));
      transmit(data, offset, length);
    }

    private void transmit(byte[] data, int offset, int length) throws Exception {
      var by = wire;
      Exception why = null;
      for (var link : by == null ? List.<Integer>of() : paths.order()) {
        try {
          var address = addresses.get(link);
          if (address == null) {
            throw new IOException("the node has no link " + link);
          }
          Objects.requireNonNull(by).send(link, new IpAddress(address, port), data, offset, length);
          paths.took(link);
          return;
        } catch (Exception e) {
          why = why == null ? e : why;
        }
      }
      if (why != null) {
        throw why;
      }
    }

    private void keep(byte[] data) {
      synchronized (kept) {
        var now = System.nanoTime();
        kept.add(new Kept(now, data));
        keptBytes += data.length;
        trim(now);
      }
    }

    private void trim(long now) {
      var recent = paths.timing().recent().toNanos();
      while (!kept.isEmpty()
          && (keptBytes > KEPT_BYTES_MAX || now - kept.getFirst().at > recent)) {
        keptBytes -= kept.removeFirst().data.length;
      }
    }

    /// Something has become of a link.
    ///
    /// @param before the link that was used
    void changed(PeerPaths.@Nullable Change change, int before) {
      if (change == null) {
        return;
      }
      var address = addresses.get(change.link());
      var text = address == null ? first : address.getHostAddress();
      var log = world.log();
      if (change.up()) {
        world.post(() -> log.notice("Link %d to %s is up".formatted(change.link(), text)));
        return;
      }
      var now = paths.active();
      var what =
          paths.isUp(now)
              ? "Link %d to %s is down, link %d is used".formatted(change.link(), text, now)
              : "Link %d to %s is down, and no other is up".formatted(change.link(), text);
      world.post(() -> log.warning(what));
      var by = wire;
      if (by != null && address != null && paths.isUp(now)) {
        by.close(change.link(), new IpAddress(address, port));
      }
      if (before == change.link() && now != before) {
        Thread.ofVirtual().name("send-again").start(this::again);
      }
    }

    private void again() {
      List<Kept> lost;
      synchronized (kept) {
        trim(System.nanoTime());
        lost = List.copyOf(kept);
      }
      try {
        for (var it : lost) {
          transmit(it.data, 0, it.data.length);
        }
      } catch (Exception e) {
        world.post(() -> world.log().debug("Sending again ends: " + e.getMessage()));
      }
    }
  }
}
