package org.systole.pacemakerd.link;

import org.systole.pacemakerd.client.PacemakerdMessage;
import java.util.ArrayList;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.qdevice.DeviceText;
import org.systole.pacemakerd.qdevice.DeviceTiming;
import org.systole.pacemakerd.qdevice.QnetClient;

/// A node's link: its part in membership, quorum and the one order of all group messages.
///
/// The transport's views only say who might be there. What counts is a membership that its leader
/// has prepared with every member and installed; all that is ordered belongs to one membership and
/// is delivered by its members in one sequence. Before a membership changes, its members stop
/// delivering and report how far they are, and the new one brings them to the same point: all that
/// continue have delivered the same messages.
///
/// This class puts the parts together and gives each what comes from the channel: [LinkMember],
/// [LinkOrder], [LinkLeader].
public final class LinkCore {
  /// Ends this process.
  public interface Ending {
    void end(int status, String why);
  }

  private static final Duration FOLLOWING = Duration.ofSeconds(1); // what is left of 3 s is for the channel

  private final World world;
  private final LinkConfig config;
  private final LinkWire wire = new LinkWire();
  private final EndedPeers ended = new EndedPeers();
  private final Misfits misfits;
  private final MembershipCounter counter;
  private final LocalDaemons daemons;
  private final LinkMember member;
  private final LinkOrder order;
  private final LinkLeader leader;
  private final FileReload reload;
  private final LeaderWatch watch;
  private @Nullable UpgradableStreams streams;
  private @Nullable ClusterConfig deviceConfig; // by which the device was last connected to
  private boolean closing;
  private Runnable whenDropped = () -> {};
  private Ending whenOver;
  private boolean isOver; // it cannot go on
  private @Nullable Runnable whenClosed; // it is to leave

  /// @param local which of the nodes of `config` this one is
  public LinkCore(World world, ClusterConfig config, ClusterConfig.Node local) {
    this(world, config, local, Levels.own());
  }

  /// @param streams to the quorum device, if the configuration has one
  public LinkCore(
      World world, ClusterConfig config, ClusterConfig.Node local, UpgradableStreams streams) {
    this(world, config, local, Levels.own());
    this.streams = streams;
  }

  /// @param levels the levels it speaks
  LinkCore(World world, ClusterConfig config, ClusterConfig.Node local, Levels levels) {
    this.world = world;
    this.whenOver = world::exit;
    this.config = new LinkConfig(config, local);
    this.misfits = new Misfits(world, this::over, wire, local.name(), levels);
    this.counter = new MembershipCounter(world, local.id());
    this.daemons = new LocalDaemons(world, new FromDaemons(), this::welcome, this::status);
    daemons.device(this::device);
    this.member = new LinkMember(world, this.config, counter, wire, daemons, ended, misfits);
    this.order = member.order();
    this.leader = new LinkLeader(world, counter, wire, member, misfits);
    this.reload = new FileReload(world, wire, member);
    this.watch = new LeaderWatch(world, this.config, wire);
  }

  /// Serves the daemons and opens the channel.
  public void start(Channels channels) {
    member.start();
    counter.start();
    daemons.serve();
    wire.onUse(this::startDevice);
    startDevice();
    reload.start(channels);
    wire.opening(channels.open(new FromChannel()));
  }

  /// Has all members read their cluster configuration files anew.
  ///
  /// @param done told whether they have taken what they read, and lines for people
  public void readAnew(BiConsumer<Boolean, List<String>> done) {
    reload.begin(it -> done.accept(it.done(), it.lines()));
  }

  /// The text of the cluster configuration file that is in force; empty while it is not known.
  public String configurationText() {
    return reload.text();
  }

  /// The links to the other nodes, where there are several.
  public List<PacemakerdMessage.LinkState> links() {
    var states = new ArrayList<PacemakerdMessage.LinkState>();
    for (var it : wire.links()) {
      config.present().nodes().stream()
          .filter(node -> node.address().equals(it.address()))
          .map(node -> new PacemakerdMessage.LinkState(node.id(), it.link(), it.up()))
          .forEach(states::add);
    }
    return states;
  }

  /// Whether `wait_for_all` still keeps this node from having quorum, or that last_man_standing has left
  /// it, or those it is with, out of the count.
  public boolean waits() {
    return member.waits();
  }

  /// Has this node and those it is with wait for no others any more, as if `wait_for_all` had seen
  /// all nodes, and has all count again. A person answers for it that the others are off.
  public void endWait() {
    if (waits()) {
      member.endWait();
    }
  }

  /// What is in force.
  ClusterConfig configuration() {
    return config.present();
  }

  /// @param it called once when this link cannot go on, and takes no part any more
  public void onOver(Ending it) {
    whenOver = it;
  }

  private void over(int status, String why) {
    if (!isOver) {
      isOver = true;
      whenOver.end(status, why);
    }
  }

  /// @param leave called when the other nodes have agreed to a node list without this one
  public void onDropped(Runnable leave) {
    whenDropped = leave;
  }

  /// Connects to the quorum device of the configuration that is in force, instead of the one before.
  private void startDevice() {
    var to = streams;
    if (to == null) {
      return;
    }
    var present = config.present();
    var used = deviceConfig;
    if (used != null
        && used.nodes().equals(present.nodes())
        && used.tokenMillis() == present.tokenMillis()
        && Objects.equals(used.device(), present.device())) {
      return;
    }
    deviceConfig = present;
    var it = present.device();
    var before = member.device();
    if (it == null) {
      if (before != null) {
        before.close();
      }
      member.device(null);
      return;
    }
    var times = DeviceTiming.of(config.timing().claim(), present.tokenMillis(), it);
    var vote = before == null ? new DeviceVote(world, config.local().id(), wire, ended) : before;
    member.device(vote);
    vote.use(new QnetClient(world, to, present, config.local().id(), times), it);
  }

  /// Leaves the cluster, as soon as all have the view that this link has made last: else who gets it only after they were
  /// told of the next one stays with a view whose first member is gone, until nothing was heard of that for the token's time.
  /// One that does not answer is waited for a second.
  ///
  /// @param done called when it has left
  public void close(Runnable done) {
    whenClosed = done;
    leader.whenFollowed(FOLLOWING, this::leave);
  }

  private void leave() {
    closing = true;
    wire.broadcast(new LinkPeerMessage.Leaving(config.local().id()));
    leader.stop();
    watch.stop();
    var device = member.device();
    if (device != null) {
      device.close();
    }
    wire.close();
  }

  /// How long this node's share in the quorum lasts if it is not renewed; zero without one. No other
  /// side acts on the loss of this node before.
  public Duration quorumLeft() {
    return member.quorumLeft();
  }

  /// How long a share lasts that was just renewed, by the token time that is in force.
  public Duration lease() {
    return config.timing().lease();
  }

  private final class FromChannel implements Channels.Listener {
    @Override
    public void opened(Address address) {
      wire.opened(address);
      world.log().info("The channel is open, this process is " + address);
    }

    @Override
    public void view(View installed) {
      world
          .log()
          .info(
              "View %d by %s: %s"
                  .formatted(
                      installed.id().number(), installed.id().creator(), installed.members()));
      wire.installed(installed);
      ended.present(installed.members());
      misfits.present(installed.members());
      var device = member.device();
      if (device != null) {
        device.present(installed.members());
      }
      order.present(installed.members());
      if (!closing && !isOver) {
        leader.view(installed);
      }
      if (!closing) { // it may have waited for this view to leave
        watch.view(installed.members());
        member.view(installed.members().getFirst());
      }
    }

    @Override
    public void message(Address from, byte[] bytes) {
      LinkPeerMessage message;
      try {
        message = LinkPeerMessage.PROTOCOL.decode(bytes).body();
      } catch (ProtocolException e) {
        world.log().error("Ignoring a message of %s: %s".formatted(from, e.getMessage()));
        return;
      }
      if (!isOver) {
        handle(from, message);
      }
    }

    @Override
    public void ended(Address peer) {
      world.log().info("The process %s has ended".formatted(peer));
      rememberEnd(peer);
    }

    @Override
    public void silent(Address peer, boolean silent) {
      if (order.silent(peer, silent)) {
        world.log().info((silent ? "Nothing is heard of %s" : "%s is heard again").formatted(peer));
      }
      if (silent) {
        member.lost(peer);
      }
      order.detour();
    }

    @Override
    public void closed(String why) {
      if (closing) {
        Objects.requireNonNull(whenClosed).run();
      } else {
        over(1, "the cluster's channel is lost: " + why);
      }
    }
  }

  private void rememberEnd(Address peer) {
    member.lost(peer);
    ended.ended(peer, world.elapsedNanos());
    leader.ended(peer);
  }

  private void handle(Address from, LinkPeerMessage message) {
    ended.heard(from, world.elapsedNanos(), config.timing().round());
    member.noticeLapse();
    switch (message) {
      case LinkPeerMessage.Ping it when !closing -> ping(from, it);
      case LinkPeerMessage.Pong it -> leader.pong(from, it);
      case LinkPeerMessage.Confirm it -> member.confirm(from, it);
      case LinkPeerMessage.Prepare it when !closing -> member.prepare(from, it);
      case LinkPeerMessage.Ping _, LinkPeerMessage.Prepare _ -> {} // it takes no part any more
      case LinkPeerMessage.Prepared it -> leader.prepared(from, it);
      case LinkPeerMessage.Tell it -> member.tell(from, it);
      case LinkPeerMessage.Told it -> leader.told(from, it);
      case LinkPeerMessage.Install it -> {
        if (member.install(from, it)) {
          if (wire.isSelf(from)) {
            leader.installed();
          }
          reload.installed();
        }
      }
      case LinkPeerMessage.Misfit(var side) -> {
        misfits.meet(from, side, misfits.side(member.epoch()));
        leader.misfit(from);
      }
      case LinkPeerMessage.DeviceSide it -> {
        if (member.device() instanceof DeviceVote device && !closing) {
          device.side(from, it);
        }
      }
      case LinkPeerMessage.DeviceAnswer it -> {
        if (member.device() instanceof DeviceVote device) {
          device.answered(from, it);
        }
      }
      case LinkPeerMessage.Submit it -> order.order(from, it);
      case LinkPeerMessage.Ordered it -> order.ordered(from, it);
      case LinkPeerMessage.Direct it -> order.direct(from, it);
      case LinkPeerMessage.NotListed(var listed) ->
          world
              .log()
              .error(
                  ("The cluster of nodes %s does not know this node: it is not in their node list; "
                          + "add it to corosync.conf there and have it read anew with corosync-cfgtool -R")
                      .formatted(
                          listed.stream().map(NodeName::text).collect(Collectors.joining(" "))));
      case LinkPeerMessage.ReadAnew it -> reload.readAnew(from, it);
      case LinkPeerMessage.HasRead it -> reload.hasRead(from, it);
      case LinkPeerMessage.Take it -> reload.take(from, it);
      case LinkPeerMessage.HasTaken it -> reload.hasTaken(it);
      case LinkPeerMessage.UseKey it -> reload.useKey(from, it);
      case LinkPeerMessage.Propose it -> member.propose(from, it);
      case LinkPeerMessage.Kept it -> leader.kept(from, it);
      case LinkPeerMessage.Settled it -> member.settled(from, it);
      case LinkPeerMessage.Dropped() -> dropped(from);
      case LinkPeerMessage.Leaving it -> {
        world.log().info("Node %s is leaving".formatted(it.nodeId()));
        rememberEnd(from);
      }
    }
  }

  private void ping(Address from, LinkPeerMessage.Ping it) {
    if (wire.leads(from, it.view())) {
      watch.pinged();
    }
    member.ping(from, it);
  }

  private void dropped(Address from) {
    var epoch = member.epoch();
    if (epoch != null && epoch.leader().equals(from) && whenClosed == null) {
      world
          .log()
          .critical(
              "The other nodes no longer list this node in corosync.conf: it leaves the cluster and stops");
      whenDropped.run();
    }
  }

  private final class FromDaemons implements LocalDaemons.Requests {
    @Override
    public long join(String group) {
      return order.submit(Kind.JOIN, group, new byte[0]);
    }

    @Override
    public void leave(String group) {
      order.submit(Kind.LEAVE, group, new byte[0]);
    }

    @Override
    public void broadcast(String group, byte[] payload) {
      member.noticeLapse();
      order.submit(Kind.MESSAGE, group, payload);
    }

    @Override
    public void send(String group, NodeId toId, byte[] payload) {
      member.noticeLapse();
      order.send(group, toId, payload);
    }

    @Override
    public void inStep(long membership) {
      member.inStep().reached(membership);
    }
  }

  // ---- what daemons and commands ask

  private List<LinkMessage.ConfiguredNode> configured() {
    return config.configured();
  }

  private LinkMessage.Joined welcome() {
    return new LinkMessage.Joined(
        config.local().id(),
        config.local().name(),
        config.present().name(),
        configured(),
        config.present().tokenMillis());
  }

  private LinkMessage.DeviceInfo device(boolean verbose) {
    var device = member.device();
    var client = device == null ? null : device.client();
    if (device == null || client == null) {
      return new LinkMessage.DeviceInfo(null, null);
    }
    var epoch = member.epoch();
    return new LinkMessage.DeviceInfo(
        epoch == null ? null : device.status(epoch), DeviceText.of(client, world.zone(), verbose));
  }

  private LinkMessage.Status status() {
    member.noticeLapse(); // who asks may count on it
    var quorum = member.quorum();
    var membership = member.membership();
    return new LinkMessage.Status(
        config.local().id(),
        config.local().name(),
        config.present().name(),
        configured(),
        membership,
        quorum.expectedVotes(),
        quorum.totalVotes(),
        quorum.quorumVotes(),
        config.rules().flags(quorum, membership.quorate(), leader.votesWait(), !config.taken().isEmpty()));
  }
}
