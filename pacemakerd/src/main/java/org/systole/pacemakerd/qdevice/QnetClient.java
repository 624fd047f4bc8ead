package org.systole.pacemakerd.qdevice;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.QuorumDevice;
import org.systole.common.values.NodeId;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;

/// This node's end of the quorum device: it keeps a connection to the server, tells it which side
/// the node is on, and knows what the server's word is good for.
public final class QnetClient {
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final World world;
  private final UpgradableStreams streams;
  private final ClusterConfig config;
  private final QuorumDevice device;
  private final NodeId local;
  private final DeviceTiming timing;
  private final Grant grant;
  private final Heuristics heuristics;
  private Heuristics.Result result = Heuristics.Result.UNDEFINED;
  private @Nullable QnetSession session;
  private @Nullable String trouble; // why the last connection failed, as logged
  private @Nullable Instant connectedSince;
  private @Nullable Instant heardAt;
  private boolean quorate;
  private List<NodeId> members = List.of();
  private boolean ended;
  private World.@Nullable Timer next;
  private World.@Nullable Timer regular;

  /// @param config one that has a device
  public QnetClient(
      World world,
      UpgradableStreams streams,
      ClusterConfig config,
      NodeId local,
      DeviceTiming timing) {
    var it = config.device();
    if (it == null) {
      throw new IllegalArgumentException("there is no quorum device");
    }
    this.world = world;
    this.streams = streams;
    this.config = config;
    this.device = it;
    this.local = local;
    this.timing = timing;
    this.grant = new Grant(timing);
    this.heuristics = new Heuristics(world, it.heuristics());
  }

  public DeviceTiming timing() {
    return timing;
  }

  public void start() {
    connect();
  }

  /// Leaves the server.
  public void close() {
    ended = true;
    heuristics.cancel();
    cancel(next);
    cancel(regular);
    var it = session;
    if (it != null) {
      it.close("this node leaves");
    }
  }

  private static void cancel(World.@Nullable Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  // ---- for the link

  /// The side this node is on. Said again, it does nothing.
  ///
  /// @param inherits see [Grant#moved]
  public void side(Side side, boolean inherits) {
    if (side.equals(grant.side())) {
      return;
    }
    grant.moved(side, inherits);
    examine();
  }

  /// The side this node is on, null before the first.
  public @Nullable Side side() {
    return grant.side();
  }

  /// What the server's word is good for now.
  public Word word() {
    return grant.word(world.elapsedNanos());
  }

  /// For those who ask the server.
  public void quorum(boolean now, List<NodeId> nodes) {
    if (now != quorate || !nodes.equals(members)) {
      quorate = now;
      members = List.copyOf(nodes);
      var it = session;
      if (it != null) {
        it.quorum(quorate, members);
      }
    }
  }

  // ---- the connection

  private void connect() {
    var net = device.net();
    var begun = new QnetSession(world, config, device, local, timing, new FromSession());
    session = begun;
    begun.connect(
        streams, new UpgradableStreams.Target(net.server(), net.port(), net.ipVersion()));
  }

  private final class FromSession implements QnetSession.Listener {
    @Override
    public void accepted(boolean encrypted) {
      trouble = null;
      connectedSince = world.now();
      world
          .log()
          .notice(
              "Connected to the quorum device at %s port %d, %s"
                  .formatted(
                      device.net().server(),
                      device.net().port(),
                      encrypted ? "encrypted" : "not encrypted"));
      grant.connected();
      examine();
    }

    @Override
    public void heard() {
      heardAt = world.now();
    }

    @Override
    public void gave(QnetMessage.Ring ring, long asked) {
      if (isPresent(ring)) {
        grant.given(asked, world.elapsedNanos());
      } else {
        grant.confirmed(asked, world.elapsedNanos());
      }
    }

    @Override
    public void confirmed(long asked) {
      grant.confirmed(asked, world.elapsedNanos());
    }

    @Override
    public Duration refused(QnetMessage.Ring ring) {
      return grant.refused(isPresent(ring), world.elapsedNanos());
    }

    @Override
    public void undecided(QnetMessage.Ring ring) {
      if (isPresent(ring)) {
        grant.undecided();
      }
    }

    private boolean isPresent(QnetMessage.Ring ring) {
      var side = grant.side();
      return side != null && side.ring().equals(ring);
    }

    @Override
    public void closed(String why) {
      session = null;
      connectedSince = null;
      heuristics.cancel();
      cancel(regular);
      grant.disconnected();
      if (ended) {
        return;
      }
      if (!why.equals(trouble)) {
        trouble = why;
        world.log().warning("The quorum device does not answer: %s; trying again".formatted(why));
      }
      next = world.after(AGAIN, QnetClient.this::connect);
    }
  }

  // ---- heuristics

  /// Finds out whether this node is of use, and then tells the server which side it is on.
  private void examine() {
    var it = session;
    if (it == null || !it.isAccepted() || grant.side() == null) {
      return;
    }
    if (heuristics.isOff()) {
      tell();
      return;
    }
    cancel(regular);
    heuristics.run(
        device.heuristics().syncTimeoutMillis(),
        found -> {
          result = found;
          tell();
          again();
        });
  }

  private void tell() {
    var it = session;
    var side = grant.side();
    if (it != null && side != null) {
      it.side(side, result);
      it.quorum(quorate, members);
    }
  }

  private void again() {
    if (device.heuristics().mode() != QuorumDevice.Mode.ON || ended) {
      return;
    }
    regular =
        world.after(
            Duration.ofMillis(device.heuristics().intervalMillis()),
            () ->
                heuristics.run(
                    device.heuristics().timeoutMillis(),
                    found -> {
                      if (found != result) {
                        result = found;
                        var it = session;
                        if (it != null) {
                          it.heuristics(found);
                        }
                      }
                      again();
                    }));
  }

  // ---- for people

  ClusterConfig config() {
    return config;
  }

  QuorumDevice device() {
    return device;
  }

  NodeId local() {
    return local;
  }

  boolean isQuorate() {
    return quorate;
  }

  /// What a tool shows.
  public DeviceState state() {
    var it = session;
    var side = grant.side();
    return new DeviceState(
        it != null && it.isAccepted()
            ? "Connected"
            : it != null && it.isOpen() ? "Connecting" : "Connect failed",
        trouble,
        word().hold() != Word.Hold.NONE,
        it != null && it.isEncrypted(),
        it != null && it.isClientProved(),
        connectedSince,
        heardAt,
        heuristics.isOff() ? null : result.shown(),
        side == null ? List.of() : side.nodes());
  }
}
