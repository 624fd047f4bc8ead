package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Server;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Item;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// A node's link: its part in membership, quorum and the one order of all group messages.
///
/// The transport's views only say who might be there. What counts is a membership that its leader
/// has prepared with every member and installed; all that is ordered belongs to one membership and
/// is delivered by its members in one sequence. Before a membership changes, its members stop
/// delivering and tell how far they are, and the new one brings them to the same point: those who
/// continue have delivered the same.
///
/// Numbers of memberships are unique in the cluster, see [MembershipNumber]. The reservation of the
/// counter in them is kept on disk so that it rises over restarts.
public final class LinkCore {
  private static final int RESERVED = 100;
  private static final int HELD_MAX = 10_000;
  private static final int ENDED_MAX = 256;
  private static final int LOSS_TOKENS = 3;
  private static final int STRANGER_TOKENS = 3;
  private static final int TAIL_MAX = 100_000;
  private static final long WAITING_MAX = 160L << 20;
  private static final String NUMBER_FILE = "membership";
  private static final long LOST_NUMBER_SINCE = 1_577_836_800; // 2020, so that 31 bits last

  /// What this node is a member of.
  private record Epoch(
      long number,
      Address leader,
      List<Place> members,
      QuorumState quorum,
      Membership asMembership) {
    @Nullable Place place(int nodeId) {
      return members.stream().filter(it -> it.nodeId() == nodeId).findFirst().orElse(null);
    }
  }

  private final World world;
  private final ClusterConfig config;
  private final ClusterConfig.Node local;
  private final QuorumRules rules;
  private final Lease lease;
  private final LocalDaemons daemons;
  private final LinkLeader leader;
  private final DirectMessages directs;
  private final Deque<Item> submitted = new ArrayDeque<>(); // own items that are not delivered yet
  private final Deque<Ordered> tail = new ArrayDeque<>();
  private final Deque<LinkPeerMessage.Direct> held = new ArrayDeque<>();
  private final LinkedHashMap<Address, Long> ended = new LinkedHashMap<>();
  private Channels.@Nullable Channel channel;
  private @Nullable Address self;
  private @Nullable View view;
  private LinkPeerMessage.@Nullable Ping early; // of a view not yet seen here
  private @Nullable Epoch epoch;
  private long delivered;
  private long sequence; // as the leader: the last one given
  private long prepared; // the number this link waits to be installed, 0 for none
  private @Nullable Address preparedBy;
  private boolean astray;
  private boolean told; // what daemons know about the quorum
  private long startedAt;
  private World.@Nullable Timer lapse;
  private long counter;
  private long reserved;
  private Map<Integer, NodeConfig> files = Map.of(); // of the members
  private int seenVotes; // the most this process has been a member together with
  private final Map<Integer, List<String>> differing = new TreeMap<>(); // and told
  private long lastItem;
  private long waitingBytes;
  private long awaited; // the first own item not delivered yet, and since when
  private long awaitedSince;
  private boolean closing;
  private Runnable whenClosed = () -> {};

  /// @param local which of the nodes of `config` this one is
  public LinkCore(World world, ClusterConfig config, ClusterConfig.Node local) {
    this.world = world;
    this.config = config;
    this.local = local;
    this.rules = new QuorumRules(config);
    this.lease = new Lease(config.tokenMillis());
    this.daemons = new LocalDaemons(world, new FromDaemons(), this::welcome, this::status);
    this.directs = new DirectMessages(world, config.tokenMillis());
    this.leader = new LinkLeader(world, config, rules, new ForLeader());
  }

  /// Serves the daemons and opens the channel.
  public void start(Channels channels) {
    startedAt = world.nanoTime();
    counter = readNumber();
    reserved = counter;
    reserve();
    Server unused = daemons.serve();
    world.log().debug("Serving " + unused);
    channel = channels.open(new FromChannel());
  }

  /// Leaves the cluster.
  ///
  /// @param done told when it has left
  public void close(Runnable done) {
    closing = true;
    whenClosed = done;
    broadcast(new LinkPeerMessage.Leaving(local.id()));
    leader.stop();
    if (channel != null) {
      channel.close();
    }
  }

  private long readNumber() {
    try {
      var bytes = world.store().read(NUMBER_FILE);
      return bytes == null
          ? 0
          : Long.parseLong(new String(bytes, java.nio.charset.StandardCharsets.UTF_8).strip());
    } catch (Store.StoreException | NumberFormatException e) {
      world.log().warning("The number of the last membership is lost: " + e.getMessage());
      // surely above what was in use
      return Math.max(0, world.now().getEpochSecond() - LOST_NUMBER_SINCE);
    }
  }

  private void reserve() {
    if (counter + RESERVED / 2 < reserved) {
      return;
    }
    reserved = counter + RESERVED;
    var content = (reserved + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    world
        .store()
        .change(
            List.of(new Store.Change.Write(NUMBER_FILE, content)),
            problem -> {
              if (problem != null) {
                world.log().error(problem);
              }
            });
  }

  private long number() {
    return epoch == null ? 0 : epoch.number;
  }

  private void heardOf(long number) {
    if (MembershipNumber.counter(number) > counter) {
      counter = MembershipNumber.counter(number);
      reserve();
    }
  }

  // ---- from the channel

  private final class FromChannel implements Channels.Listener {
    @Override
    public void opened(Address address) {
      self = address;
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
      view = installed;
      installed.members().forEach(ended::remove);
      directs.view(installed.members());
      leader.view(installed, installed.members().getFirst().equals(self));
      var ping = early;
      early = null;
      if (ping != null) {
        ping(installed.members().getFirst(), ping);
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
      handle(from, message);
    }

    @Override
    public void ended(Address peer) {
      world.log().info("The process %s has ended".formatted(peer));
      rememberEnd(peer);
    }

    @Override
    public void silent(Address peer, boolean silent) {
      if (directs.silent(peer, silent)) {
        world.log().info((silent ? "Nothing is heard of %s" : "%s is heard again").formatted(peer));
      }
      if (silent) {
        perhapsLeaderless(peer);
      }
      detour();
    }

    @Override
    public void closed(String why) {
      if (closing) {
        whenClosed.run();
      } else {
        world.exit(1, "the cluster's channel is lost: " + why);
      }
    }
  }

  private void rememberEnd(Address peer) {
    perhapsLeaderless(peer);
    ended.put(peer, world.nanoTime());
    if (ended.size() > ENDED_MAX) {
      ended.pollFirstEntry();
    }
  }

  private void handle(Address from, LinkPeerMessage message) {
    switch (message) {
      case LinkPeerMessage.Ping it -> ping(from, it);
      case LinkPeerMessage.Pong it -> {
        ended.remove(from);
        leader.pong(from, it);
      }
      case LinkPeerMessage.Confirm it -> confirm(from, it);
      case LinkPeerMessage.Prepare it -> prepare(from, it);
      case LinkPeerMessage.Prepared it -> leader.prepared(from, it);
      case LinkPeerMessage.Install it -> install(from, it);
      case LinkPeerMessage.Submit it -> order(from, it);
      case Ordered it -> ordered(from, it);
      case LinkPeerMessage.Direct it -> direct(from, it);
      case LinkPeerMessage.NotListed(var listed) ->
          world
              .log()
              .error(
                  "The cluster of nodes %s does not know this node: it is not in their node list; add it to corosync.conf there and restart them"
                      .formatted(String.join(" ", listed)));
      case LinkPeerMessage.Leaving it -> {
        world.log().info("Node %d is leaving".formatted(it.nodeId()));
        rememberEnd(from);
      }
    }
  }

  private boolean leads(Address from, Channels.ViewId id) {
    return view != null && view.id().equals(id) && view.members().getFirst().equals(from);
  }

  private void ping(Address from, LinkPeerMessage.Ping ping) {
    if (closing) {
      return;
    }
    if (!leads(from, ping.view())) {
      early = ping;
      return;
    }
    heardOf(ping.number());
    noticeLoss();
    var number = number();
    if (epoch != null && number == ping.number() && epoch.leader.equals(from)) {
      lease.answered(ping.round(), world.nanoTime());
      followLeader(epoch);
      while (!tail.isEmpty() && tail.getFirst().sequence() <= ping.stable()) {
        tail.removeFirst();
      }
    }
    send(
        from,
        new LinkPeerMessage.Pong(
            ping.view(),
            ping.round(),
            local.id(),
            number,
            MembershipNumber.least(counter),
            delivered,
            astray || prepared != 0,
            epoch == null ? List.of() : directs.unheard(epoch.members),
            isYoung(),
            expectedVotes()));
  }

  /// While its leader speaks to it, and they are enough for the quorum, this node goes with nobody
  /// else: not even with one that hears this node and not the leader.
  private void followLeader(Epoch present) {
    var enough = present.quorum.totalVotes() >= present.quorum.quorumVotes();
    if (!enough || present.leader.equals(self)) {
      follow(null);
      return;
    }
    var token = Duration.ofMillis(config.tokenMillis());
    var fellows = new HashSet<Address>();
    present.members.forEach(it -> fellows.add(it.address()));
    fellows.remove(present.leader);
    follow(
        new Channels.Allegiance(
            present.leader,
            fellows,
            Lease.length(token),
            Duration.ofNanos(token.toNanos() * STRANGER_TOKENS)));
  }

  private void follow(Channels.@Nullable Allegiance allegiance) {
    if (channel != null) {
      channel.follow(allegiance);
    }
  }

  /// The leader is gone, or nothing is heard of it.
  private void perhapsLeaderless(Address gone) {
    if (epoch != null && epoch.leader.equals(gone)) {
      follow(null);
    }
  }

  /// Whether this node's vote, given by its process before this one, may still be counted
  /// somewhere.
  private boolean isYoung() {
    return world.nanoTime() - startedAt < LinkLeader.claim(config).toNanos();
  }

  /// An own item that is not delivered for long was lost around a change of view; a new membership
  /// says it again.
  private void noticeLoss() {
    var now = world.nanoTime();
    var first = submitted.isEmpty() ? 0 : submitted.getFirst().id();
    if (first != awaited || first == 0) {
      awaited = first;
      awaitedSince = now;
    } else if (now - awaitedSince > LOSS_TOKENS * config.tokenMillis() * 1_000_000) {
      world.log().info("What this node sends is not delivered; asking for a new membership");
      awaitedSince = now;
      astray = true;
    }
  }

  private void confirm(Address from, LinkPeerMessage.Confirm it) {
    var present = epoch;
    if (present == null || present.number != it.number() || !present.leader.equals(from)) {
      return;
    }
    var included = it.answered().contains(local.id());
    var places =
        present.members.stream().filter(place -> it.answered().contains(place.nodeId())).toList();
    lease.confirmed(it.round(), places, included, it.carried(), world.nanoTime());
    if (!it.quorum().equals(present.quorum)) {
      rememberVotes(it.quorum());
      epoch =
          new Epoch(
              present.number, present.leader, present.members, it.quorum(), present.asMembership);
    }
    directs.told(it.apart(), local.id());
    detour();
    tellQuorum();
  }

  private void prepare(Address from, LinkPeerMessage.Prepare it) {
    if (closing || !leads(from, it.view()) || it.number() <= prepared || it.number() <= number()) {
      return;
    }
    heardOf(it.number());
    prepared = it.number();
    preparedBy = from;
    send(from, new LinkPeerMessage.Prepared(it.view(), it.number(), local.id(), standing(from)));
  }

  private LinkPeerMessage.Standing standing(Address leaderToBe) {
    var present = epoch;
    var endings = List.copyOf(ended.keySet());
    if (present == null) {
      return new LinkPeerMessage.Standing(
          0, List.of(), 0, List.of(), List.of(), rules.initial(), List.of(), endings, ownConfig());
    }
    return new LinkPeerMessage.Standing(
        present.number,
        present.members,
        delivered,
        List.copyOf(tail),
        daemons.active(),
        present.quorum,
        lease.inclusions(present.members, leaderToBe.equals(present.leader), world.nanoTime()),
        endings,
        ownConfig());
  }

  private NodeConfig ownConfig() {
    return NodeConfig.of(config, local);
  }

  private void install(Address from, LinkPeerMessage.Install it) {
    // The transport's view may have changed since the preparation; the membership stands all the
    // same, and whoever does not install it has to leave it again.
    if (it.number() != prepared || !from.equals(preparedBy)) {
      return;
    }
    prepared = 0;
    astray = false;
    var before = epoch;
    if (before != null) {
      lease.membershipEnds(before.members, from.equals(before.leader), world.nanoTime());
    }
    if (before != null && before.number == it.continues()) {
      it.tail().stream()
          .filter(one -> one.number() == before.number && one.sequence() == delivered + 1)
          .forEach(
              one -> {
                deliver(one);
                releaseHeld();
              });
    } else if (before != null && before.members.size() > 1) {
      cutOff(before);
    }
    tail.clear();
    delivered = 0;
    sequence = 0;
    files = it.configs();
    rememberVotes(it.quorum());
    warnOfDifferences(it.configs());
    var members =
        it.members().stream()
            .map(place -> new Member(place.nodeId(), name(place.nodeId(), it), place.since()))
            .toList();
    epoch =
        new Epoch(
            it.number(),
            from,
            it.members(),
            it.quorum(),
            new Membership(it.number(), members, false));
    if (!it.quorum().quorate() || before == null || before.number != it.continues()) {
      lease.drop();
    }
    announce();
    resubmit();
    daemons.groups(local.id(), it.groups());
    releaseHeld();
    if (from.equals(self)) {
      leader.installed();
    }
  }

  private int expectedVotes() {
    return Math.max(config.quorum().expectedVotes(), seenVotes);
  }

  private void rememberVotes(QuorumState quorum) {
    var forget = quorum.quorate() && NodeConfig.settled(files.values());
    seenVotes = forget ? quorum.totalVotes() : Math.max(seenVotes, quorum.totalVotes());
  }

  /// While a node list is changed node by node, files differ. What differs for longer is a mistake
  /// that may cost the quorum, or give it to two sides.
  private void warnOfDifferences(Map<Integer, NodeConfig> configs) {
    var own = ownConfig();
    configs.forEach(
        (id, theirs) -> {
          var differences = id == local.id() ? List.<String>of() : own.differences(theirs);
          if (differences.isEmpty()) {
            differing.remove(id);
          } else if (!differences.equals(differing.put(id, differences))) {
            world
                .log()
                .warning(
                    "corosync.conf of node %s differs from this node's: %s; make them the same"
                        .formatted(theirs.name(), String.join("; ", differences)));
          }
        });
  }

  /// The others have gone on without this node and may have seen it leave: its daemons hear of the
  /// loss before they hear of the reunion.
  private void cutOff(Epoch before) {
    world.log().warning("This node was cut off from the cluster");
    lease.drop();
    var number = MembershipNumber.cutOff(before.number, local.id());
    var alone = new Place(local.id(), self(), number);
    epoch =
        new Epoch(
            number,
            self(),
            List.of(alone),
            rules.initial(),
            new Membership(number, List.of(new Member(local.id(), local.name(), number)), false));
    announce();
    daemons.groups(local.id(), new TreeMap<>(Map.of(local.id(), daemons.active())));
  }

  private void announce() {
    var present = epoch;
    if (present == null) {
      return;
    }
    told = quorate();
    world
        .log()
        .notice(
            "Membership %s: %s, %s (%d of %d votes)"
                .formatted(
                    MembershipNumber.text(present.number),
                    String.join(
                        " ", present.asMembership.members().stream().map(Member::name).toList()),
                    told ? "with quorum" : "no quorum yet",
                    present.quorum.totalVotes(),
                    present.quorum.expectedVotes()));
    daemons.membership(membership());
    watchLease();
  }

  private boolean quorate() {
    return epoch != null && epoch.quorum.quorate() && lease.holds(world.nanoTime());
  }

  private Membership membership() {
    var present = epoch;
    return present == null
        ? new Membership(0, List.of(), false)
        : new Membership(present.number, present.asMembership.members(), told);
  }

  private void tellQuorum() {
    var now = quorate();
    if (now != told) {
      told = now;
      world.log().notice(now ? "Quorum acquired" : "Quorum lost");
      daemons.membership(membership());
    }
    watchLease();
  }

  private void watchLease() {
    if (lapse != null) {
      lapse.cancel();
      lapse = null;
    }
    if (told) {
      lapse = world.after(lease.left(world.nanoTime()).plusNanos(1), this::tellQuorum);
    }
  }

  // ---- the order

  private void submit(Kind kind, String group, byte[] payload) {
    submit(Item.of(++lastItem, kind, group, payload));
  }

  private void submit(Item item) {
    submitted.add(item);
    waitingBytes += item.payload().length;
    if (waitingBytes > WAITING_MAX) {
      world.exit(1, "%d bytes wait to be ordered".formatted(waitingBytes));
      return;
    }
    toLeader(item);
  }

  private void toLeader(Item item) {
    if (epoch != null && prepared == 0) {
      send(epoch.leader, new LinkPeerMessage.Submit(epoch.number, item));
    }
  }

  private void resubmit() {
    submitted.forEach(this::toLeader);
  }

  private void order(Address from, LinkPeerMessage.Submit it) {
    var present = epoch;
    if (present == null
        || present.number != it.number()
        || !present.leader.equals(self)
        || prepared != 0) {
      return; // the sender says it again in the next membership
    }
    for (var place : present.members) {
      if (place.address().equals(from)) {
        broadcast(new Ordered(it.number(), ++sequence, place.nodeId(), it.item()));
      }
    }
  }

  private void ordered(Address from, Ordered it) {
    var present = epoch;
    if (present == null
        || prepared != 0
        || present.number != it.number()
        || !present.leader.equals(from)
        || it.sequence() <= delivered) {
      return;
    }
    if (it.sequence() > delivered + 1 || tail.size() >= TAIL_MAX) {
      astray = true;
    }
    if (!astray) {
      tail.add(it);
      deliver(it);
      releaseHeld();
    }
  }

  private void deliver(Ordered it) {
    delivered = it.sequence();
    var item = it.item();
    var own = it.origin() == local.id();
    if (own && !submitted.isEmpty() && submitted.getFirst().id() == item.id()) {
      waitingBytes -= submitted.removeFirst().payload().length;
    }
    switch (item.kind()) {
      case MESSAGE -> daemons.deliver(it.origin(), item.group(), true, item.payload());
      case JOIN -> daemons.joined(it.origin(), item.group(), item.id(), own);
      case LEAVE -> daemons.left(it.origin(), item.group());
      case RELAYED -> {
        var place = epoch == null ? null : epoch.place(it.origin());
        if (item.to().equals(self)
            && place != null
            && directs.isNew(place.address(), item.direct())) {
          daemons.deliver(it.origin(), item.group(), false, item.payload());
        }
      }
    }
  }

  // ---- from daemon to daemon

  /// A message that presumes more than was delivered here waits for that.
  private void direct(Address from, LinkPeerMessage.Direct it) {
    var number = number();
    if (it.number() > number || (it.number() == number && it.sequence() > delivered)) {
      if (held.size() < HELD_MAX) {
        held.add(it);
      } else {
        astray = true;
      }
      return;
    }
    var place = epoch == null ? null : epoch.place(it.origin());
    if (place != null && place.address().equals(from) && directs.isNew(from, it.id())) {
      daemons.deliver(it.origin(), it.group(), false, it.payload());
    }
  }

  private void releaseHeld() {
    var waiting = new ArrayList<>(held);
    held.clear();
    for (var it : waiting) {
      var place = epoch == null ? null : epoch.place(it.origin());
      if (place != null) {
        direct(place.address(), it);
      }
    }
  }

  private final class FromDaemons implements LocalDaemons.Requests {
    @Override
    public long join(String group) {
      submit(Kind.JOIN, group, new byte[0]);
      return lastItem;
    }

    @Override
    public void leave(String group) {
      submit(Kind.LEAVE, group, new byte[0]);
    }

    @Override
    public void broadcast(String group, byte[] payload) {
      submit(Kind.MESSAGE, group, payload);
    }

    @Override
    public void send(String group, int toId, byte[] payload) {
      var place = epoch == null ? null : epoch.place(toId);
      if (epoch != null && place != null) {
        var id = directs.next();
        if (directs.isApart(toId)) {
          submit(new Item(++lastItem, Kind.RELAYED, group, payload, place.address(), id));
          return;
        }
        var message =
            new LinkPeerMessage.Direct(epoch.number, delivered, local.id(), id, group, payload);
        directs.sent(place.address(), message);
        LinkCore.this.send(place.address(), message);
      }
    }
  }

  /// What does not get straight to a member that others hear goes through the leader.
  private void detour() {
    if (epoch == null) {
      return;
    }
    var relaying = new HashSet<Address>();
    submitted.forEach(it -> relaying.add(it.to()));
    for (var lost : directs.update(epoch.members, relaying)) {
      var message = lost.message();
      submit(
          new Item(
              ++lastItem,
              Kind.RELAYED,
              message.group(),
              message.payload(),
              lost.to(),
              message.id()));
    }
  }

  private void send(Address to, LinkPeerMessage message) {
    if (channel != null) {
      channel.send(to, LinkPeerMessage.PROTOCOL.encode(0, message));
    }
  }

  private void broadcast(LinkPeerMessage message) {
    if (channel != null) {
      channel.broadcast(LinkPeerMessage.PROTOCOL.encode(0, message));
    }
  }

  private Address self() {
    if (self == null) {
      throw new IllegalStateException("the channel is not open");
    }
    return self;
  }

  /// A member that this node's file does not list is called what its own file calls it.
  private String name(int id, LinkPeerMessage.Install it) {
    var node = config.node(id);
    if (node != null) {
      return node.name();
    }
    var theirs = it.configs().get(id);
    return theirs == null ? Integer.toString(id) : theirs.name();
  }

  private List<LinkMessage.ConfiguredNode> configured() {
    return config.nodes().stream()
        .map(it -> new LinkMessage.ConfiguredNode(it.id(), it.name(), it.votes()))
        .toList();
  }

  private LinkMessage.Joined welcome() {
    return new LinkMessage.Joined(
        local.id(), local.name(), config.name(), configured(), config.tokenMillis());
  }

  private LinkMessage.Status status() {
    var quorum = epoch == null ? rules.initial() : epoch.quorum;
    return new LinkMessage.Status(
        local.id(),
        local.name(),
        config.name(),
        configured(),
        membership(),
        quorum.expectedVotes(),
        quorum.totalVotes(),
        quorum.quorumVotes(),
        rules.flags(quorum, told));
  }

  /// What the leader's part needs of this link.
  private final class ForLeader implements LinkLeader.Own {
    @Override
    public long number() {
      return LinkCore.this.number();
    }

    @Override
    public boolean leadsMembership() {
      return epoch != null && epoch.leader.equals(self);
    }

    @Override
    public List<Place> members() {
      return epoch == null ? List.of() : epoch.members;
    }

    @Override
    public QuorumState quorum() {
      return epoch == null ? rules.initial() : epoch.quorum;
    }

    @Override
    public int expectedVotes() {
      return LinkCore.this.expectedVotes();
    }

    @Override
    public long newNumber() {
      counter++;
      reserve();
      return MembershipNumber.of(counter, local.id());
    }

    @Override
    public void heardOf(long number) {
      LinkCore.this.heardOf(number);
    }

    @Override
    public void send(Address to, LinkPeerMessage message) {
      LinkCore.this.send(to, message);
    }

    @Override
    public void broadcast(LinkPeerMessage message) {
      LinkCore.this.broadcast(message);
    }
  }
}
