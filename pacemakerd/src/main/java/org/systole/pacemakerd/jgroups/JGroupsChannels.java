package org.systole.pacemakerd.jgroups;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jgroups.Event;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;
import org.jgroups.util.DefaultSocketFactory;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Channels;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkTiming;

/// Channels over JGroups on TCP, with the stack the cluster configuration file asks for.
public final class JGroupsChannels implements Channels {
  private static final int FRAGMENT = 50_000;
  private static final int FRAME_MAX = 1 << 20; // fragments are far shorter
  private static final int VERIFY_MILLIS = 100;
  private static final int JOIN_MILLIS = 1000;
  private static final int CLOCK_MILLIS = 10_000; // only to time idle connections
  private static final int FAILURE_PORT_OFFSET = 100;

  /// A sender who may not send more asks for it only after this time. A view of one side alone
  /// leaves the two without agreement on what was sent, and a healthy peer then waits that long.
  private static final int CREDIT_MILLIS = 100;

  /// Longer than a peer that is still in the membership can have missed that the key changed.
  private static final long FORMER_KEY_MILLIS = 10_000;

  private final World world;
  private final Path file;
  private final ClusterConfig config;
  private final ClusterConfig.Node local;
  private final @Nullable KeyRing keys;
  private final Path keyFile;
  private @Nullable Secured secured; // only on the loop

  /// What of a stack hangs on the key.
  private record Secured(KeyRing keys, PeerTcp tcp, SealProtocol seal, GuardedSockets sockets) {}

  /// @param file the cluster configuration file
  /// @param key null for a cluster without encryption
  /// @param keyFile where it is from
  public JGroupsChannels(
      World world,
      Path file,
      ClusterConfig config,
      ClusterConfig.Node local,
      @Nullable ClusterKey key,
      Path keyFile) {
    this.world = world;
    this.file = file;
    this.config = config;
    this.local = local;
    this.keys = key == null ? null : new KeyRing(key);
    this.keyFile = keyFile;
  }

  @Override
  public Channel open(Listener listener) {
    var name = keys == null ? config.name() : keys.present().alias();
    var channel = new JGroupsChannel(world, name, local.name().text(), listener);
    if (keys != null) {
      keys.onSpoken(it -> world.post(() -> useKey(it)));
    }
    channel.open(stack(channel, name));
    return channel;
  }

  @Override
  public void configuration(Consumer<Configuration> done) {
    Thread.ofVirtual()
        .name("configuration")
        .start(
            () -> {
              var found = read();
              world.post(() -> done.accept(found));
            });
  }

  private Configuration read() {
    try {
      var text = Files.readString(file);
      if (keys == null) {
        return new Configuration(file.toString(), text, null, null);
      }
      var key = ClusterKey.read(keyFile, config.name());
      var why = keys.offer(key);
      return why == null
          ? new Configuration(file.toString(), text, null, key.alias())
          : refused("%s: %s".formatted(keyFile, why));
    } catch (IOException e) {
      return refused(CannotStart.reason(e));
    } catch (CannotStart e) {
      return refused(Objects.requireNonNullElse(e.getMessage(), "the key cannot be used"));
    }
  }

  private Configuration refused(String why) {
    return new Configuration(file.toString(), null, why, null);
  }

  @Override
  public @Nullable String key() {
    return keys == null ? null : keys.present().alias();
  }

  @Override
  public boolean acceptKey(String key) {
    return keys != null && keys.accept(key);
  }

  /// What was opened by the former key is closed a while later, too: whoever has that key could have
  /// opened it.
  @Override
  public void useKey(String key) {
    var here = secured;
    var former = here == null ? null : here.keys.use(key);
    if (here == null || former == null) {
      return;
    }
    here.tcp.cluster(key);
    var kept = Duration.ofMillis(Math.max(FORMER_KEY_MILLIS, 3 * config.tokenMillis()));
    world
        .log()
        .notice(
            "The cluster's key is the new one in %s; the former one is accepted for %d s more"
                .formatted(keyFile, kept.toSeconds()));
    world.after(
        kept,
        () -> {
          here.keys.forget(former);
          here.seal.forget(former);
          world.log().notice("The cluster's former key is no longer accepted");
          Thread.ofVirtual().name("former-key").start(() -> here.sockets.closeAll(former));
        });
  }

  private List<Protocol> stack(JGroupsChannel channel, String name) {
    var address = resolve(local);
    var stack = new ArrayList<Protocol>();
    var timing = LinkTiming.ofToken(config.tokenMillis());
    var routes = routes(address);
    channel.routes(routes);
    var tcp = new PeerTcp(timing, routes, keys != null);
    tcp.setBindAddress(address);
    tcp.setBindPort(config.port());
    tcp.setPortRange(0);
    tcp.useVirtualThreads(false); // each message would wake three more threads on its way
    tcp.setValue("tcp_nodelay", true);
    tcp.setMaxLength(FRAME_MAX);
    tcp.setTimeServiceInterval(CLOCK_MILLIS);
    var nodes = ConcurrentHashMap.<InetAddress>newKeySet();
    hosts().forEach(it -> nodes.add(it.getAddress()));
    nodes.addAll(routes.others());
    var sockets = sockets(nodes);
    tcp.setSocketFactory(sockets);
    stack.add(tcp);
    if (keys != null && sockets instanceof GuardedSockets guarded) {
      var seal = new SealProtocol(keys, name);
      secured = new Secured(keys, tcp, seal, guarded);
      stack.add(seal);
    }
    var ping = new TCPPING().<TCPPING>setInitialHosts(hosts()).<TCPPING>setPortRange(0);
    stack.add(ping);
    var merge = new ReunionMerge3(config.nodes().size());
    stack.add(merge.setMinInterval(500).setMaxInterval(1000));
    var lifelines =
        new LifelinesProtocol(
            routes, config.port(), FAILURE_PORT_OFFSET, sockets, channel::ended);
    stack.add(lifelines);
    var silences = new SilencesFdAll3(channel::silent);
    stack.add(
        silences
            .setTimeout(timing.token().toMillis())
            .setInterval(timing.heartbeat().toMillis()));
    stack.add(new LazyVerifySuspect2().setTimeout(VERIFY_MILLIS));
    stack.add(new NAKACK2());
    stack.add(new SparingUnicast3());
    stack.add(new STABLE());
    stack.add(channel.loyalty());
    var views = new SuccessorGms();
    stack.add(
        views
            .setMembershipChangePolicy(new LargestFirstPolicy())
            .setJoinTimeout(JOIN_MILLIS)
            .setLeaveTimeout(JOIN_MILLIS)
            .setViewAckCollectionTimeout(JOIN_MILLIS)
            .setMergeTimeout(timing.merging().toMillis())
            .printLocalAddress(false));
    stack.add(new UFC().<UFC>setMaxBlockTime(CREDIT_MILLIS));
    stack.add(new MFC().<MFC>setMaxBlockTime(CREDIT_MILLIS));
    stack.add(new FRAG4().<FRAG4>setFragSize(FRAGMENT));
    var parts = new Parts(tcp, lifelines, ping, merge, silences, views, nodes, routes);
    channel.onChange(network -> change(parts, network));
    channel.onDoubt(it -> views.up(new Event(Event.SUSPECT, List.of(it)))); // nobody asks it whether it is dead
    return stack;
  }

  private DefaultSocketFactory sockets(Set<InetAddress> nodes) {
    return keys == null
        ? new DefaultSocketFactory()
        : new GuardedSockets(new Handshake(keys), nodes, world.log());
  }

  private PeerRoutes routes(InetAddress address) {
    var routes = new PeerRoutes(world, address, config.port());
    routes.use(
        new Network(
            config.nodes().stream().map(ClusterConfig.Node::addresses).toList(),
            config.priorities(),
            config.tokenMillis()));
    return routes;
  }

  /// What of a stack hangs on the node list and the token time.
  private record Parts(
      PeerTcp tcp,
      LifelinesProtocol lifelines,
      TCPPING ping,
      ReunionMerge3 merge,
      SilencesFdAll3 silences,
      GMS views,
      Set<InetAddress> nodes,
      PeerRoutes routes) {}

  private void change(Parts parts, Network network) {
    var timing = LinkTiming.ofToken(network.tokenMillis());
    var names = network.hosts().stream().map(it -> it.get(0)).filter(Objects::nonNull).toList();
    var found = reachable(names, parts.routes.names());
    var otherLinks = parts.routes.use(network);
    parts.ping.setInitialHosts(
        found.stream().map(it -> new InetSocketAddress(it, config.port())).toList());
    var all = new ArrayList<>(found);
    all.addAll(parts.routes.others());
    parts.nodes.addAll(all);
    parts.nodes.retainAll(all);
    if (otherLinks) {
      parts.tcp.links();
      parts.lifelines.links();
    }
    parts.merge.nodes(names.size());
    parts.tcp.retime(timing);
    parts.views.setMergeTimeout(timing.merging().toMillis());
    parts.silences.retime(timing.token().toMillis(), timing.heartbeat().toMillis());
  }

  /// The addresses of nodes. One that could never be resolved is left out: the others must not suffer.
  private List<InetAddress> reachable(List<String> names, KnownAddresses known) {
    var found = new ArrayList<InetAddress>();
    for (var name : names) {
      try {
        found.add(known.find(name));
      } catch (UnknownHostException e) {
        world.post(
            () ->
                world
                    .log()
                    .error(
                        "The address %s cannot be resolved; correct ring0_addr in corosync.conf"
                            .formatted(name)));
      }
    }
    return found;
  }

  private Collection<InetSocketAddress> hosts() {
    return config.nodes().stream()
        .map(it -> new InetSocketAddress(resolve(it), config.port()))
        .toList();
  }

  static InetAddress resolve(ClusterConfig.Node node) {
    try {
      return InetAddress.getByName(node.address());
    } catch (UnknownHostException e) {
      throw new CannotStart(
          "The address %s of node %s cannot be resolved; correct ring0_addr"
              .formatted(node.address(), node.name()));
    }
  }
}
