package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.Allegiance;
import org.systole.common.world.World;

/// A link's part as a member: it answers pings, holds a lease, prepares memberships and installs
/// them, and tells the node's daemons the members and whether they have quorum.
final class LinkMember implements LinkOrder.Stay, LinkLeader.Own {
  private final World world;
  private final LinkConfig config;
  private final MembershipCounter counter;
  private final LinkWire wire;
  private final LocalDaemons daemons;
  private final LinkOrder order;
  private final MemberFiles files;
  private final EndedPeers ended;
  private final Misfits misfits;
  private final Youth youth;
  private final TieBreaker tieBreaker;
  private final ElectorateFile electorate;
  private final InStep inStep = new InStep();
  private final ToldNames names;
  private final Lease lease = new Lease();
  private final EndedWait wait = new EndedWait();
  private @Nullable DeviceVote device;
  private Phase phase = new Phase.Outside();
  private LinkPeerMessage.@Nullable Ping early; // of a view not yet seen here
  private boolean told; // what daemons know about the quorum
  private World.@Nullable Timer lapse;
  private final QuorumDue due;
  private boolean wantsAgreement; // to what was taken
  private int asked; // how much of it the last preparation told

  LinkMember(
      World world,
      LinkConfig config,
      MembershipCounter counter,
      LinkWire wire,
      LocalDaemons daemons,
      EndedPeers ended,
      Misfits misfits) {
    this.world = world;
    this.config = config;
    this.counter = counter;
    this.wire = wire;
    this.daemons = daemons;
    this.ended = ended;
    this.misfits = misfits;
    this.youth = new Youth(world, config.timing());
    this.tieBreaker = new TieBreaker(world, config.present().quorum().tieBreakerIds());
    this.electorate = new ElectorateFile(world);
    this.files = new MemberFiles(world, config);
    this.names = new ToldNames(world, config);
    this.due = new QuorumDue(world, config::timing);
    this.order = new LinkOrder(world, config.local().id(), config.timing(), wire, daemons, this);
  }

  void start() {
    tieBreaker.start();
    electorate.start();
    youth.start();
    names.start();
  }

  LinkOrder order() {
    return order;
  }

  @Override
  public Phase phase() {
    return phase;
  }

  @Override
  public @Nullable Epoch epoch() {
    return phase.epoch();
  }

  @Override
  public int expectedVotes() {
    return files.expectedVotes();
  }

  MemberFiles files() {
    return files;
  }

  @Override
  public LinkConfig config() {
    return config;
  }

  /// Takes a file that was read anew, and asks for a membership that agrees to it. A longer token
  /// time is on disk before: this node's votes may be good for so long from then on.
  ///
  /// @param done called when it was taken
  void take(ClusterConfig read, Runnable done) {
    youth.mayCountFor(
        read.tokenMillis(),
        () -> {
          if (config.take(read)) {
            wantsAgreement = true;
            inStep.taken();
          } else {
            wire.use(config.present());
          }
          done.run();
        });
  }

  /// Whether nodes that are away keep this node from having quorum, though by the file alone it
  /// might have it.
  boolean waits() {
    return quorum().waiting()
        || electorate.isLost()
        || !quorum().quorate() && !electorate.present().isAll();
  }

  /// A person answers for it that those which are away are off.
  void endWait() {
    wait.end();
    electorate.reset();
  }

  @Override
  public Electorate electorate() {
    return electorate.present();
  }

  void propose(Address from, LinkPeerMessage.Propose it) {
    // what comes once this node has said what it knows for the next membership is not kept: others go by that
    if (phase instanceof Phase.Inside && isLed(from, it.number())) {
      var kept = new LinkPeerMessage.Kept(it.number(), it.proposal().since());
      electorate.propose(it.proposal(), () -> inStep.when(phase.epoch(), () -> wire.send(from, kept)));
    }
  }

  @Override
  public InStep inStep() {
    return inStep;
  }

  void settled(Address from, LinkPeerMessage.Settled it) {
    if (isLed(from, it.number())) {
      electorate.settle(it.since());
      tellDaemons();
    }
  }

  private boolean isLed(Address by, long number) {
    var epoch = phase.epoch();
    return epoch != null && epoch.number() == number && epoch.leader().equals(by);
  }

  @Override
  public @Nullable DeviceVote device() {
    return device;
  }

  void device(@Nullable DeviceVote it) {
    device = it;
  }

  @Override
  public void goAstray() {
    if (phase instanceof Phase.Inside(var epoch, var _)) {
      phase = new Phase.Inside(epoch, true);
    }
  }

  // ---- rounds

  /// A view was installed. A ping of its leader may have come before.
  void view(Address first) {
    var ping = early;
    early = null;
    if (ping != null) {
      ping(first, ping);
    }
  }

  void ping(Address from, LinkPeerMessage.Ping ping) {
    if (!wire.leads(from, ping.view())) {
      early = ping;
      return;
    }
    counter.heardOf(ping.number());
    order.noticeLoss();
    var epoch = phase.epoch();
    var number = epoch == null ? 0 : epoch.number();
    if (epoch != null && number == ping.number() && epoch.leader().equals(from)) {
      lease.answered(ping.round(), world.elapsedNanos());
      follow(epoch);
      order.stable(ping.stable());
    }
    if (device != null) {
      device.answer(from, ping.view(), ping.round());
    }
    wire.send(
        from,
        new LinkPeerMessage.Pong(
            ping.view(),
            ping.round(),
            config.local().id(),
            phase.isOpenTo(from) ? number : 0,
            counter.least(),
            order.delivered(),
            needsMembership(),
            order.unheard(),
            !youth.isOver() || electorate.isLost(),
            files.expectedVotes()));
  }

  private boolean needsMembership() {
    return switch (phase) {
      case Phase.Outside() -> false;
      case Phase.Inside(var _, var astray) -> astray || wantsAgreement || inStep.asks() || wait.isAskedFor();
      case Phase.Prepared _ -> true;
    };
  }

  /// While this node hears its leader and they have quorum, it follows no other: not even one that
  /// hears this node but not the leader.
  private void follow(Epoch epoch) {
    var enough = epoch.quorum().totalVotes() >= epoch.quorum().quorumVotes();
    if (!enough || wire.isSelf(epoch.leader())) {
      wire.follow(null);
      return;
    }
    var fellows = new HashSet<Address>();
    epoch.members().forEach(it -> fellows.add(it.address()));
    fellows.remove(epoch.leader());
    wire.follow(
        new Allegiance(epoch.leader(), fellows, epoch.timing().lease(), epoch.timing().loyalty()));
  }

  /// A process is gone, or nothing is heard of it.
  void lost(Address gone) {
    var epoch = phase.epoch();
    if (epoch != null && epoch.leader().equals(gone)) {
      wire.follow(null);
    }
  }

  void confirm(Address from, LinkPeerMessage.Confirm it) {
    var epoch = phase.epoch();
    if (epoch == null || epoch.number() != it.number() || !epoch.leader().equals(from)) {
      return;
    }
    var included = it.answered().contains(config.local().id());
    var places =
        epoch.members().stream().filter(place -> it.answered().contains(place.nodeId())).toList();
    var at = included ? lease.answeredAt(it.round()) : null;
    ended.answered(places, at, epoch.timing().round());
    lease.confirmed(
        it.round(), places, included, it.carried(), epoch.timing(), world.elapsedNanos());
    if (it.carried()) {
      electorate.carried();
    }
    if (it.quorum().quorate()) {
      tieBreaker.quorate(epoch.number(), epoch.nodeIds());
    }
    if (!it.quorum().equals(epoch.quorum())) {
      files.counted(it.quorum());
      wantsAgreement |= it.quorum().quorate() && !config.taken().isEmpty();
      phase = phase.with(epoch.with(it.quorum()));
    }
    order.apart(it.apart());
    order.detour();
    tellQuorum();
  }

  // ---- change of membership

  void prepare(Address from, LinkPeerMessage.Prepare it) {
    if (!wire.leads(from, it.view())
        || !phase.isBelow(it.number())
        || !misfits.fits(from, it.side(), misfits.side(phase.epoch()))) {
      return;
    }
    counter.heardOf(it.number());
    phase = new Phase.Prepared(phase.epoch(), it.number(), from);
    var standing = standing(from, it);
    wire.send(from, new LinkPeerMessage.Prepared(it.view(), it.number(), config.local().id(), standing, misfits.levels()));
  }

  void tell(Address from, LinkPeerMessage.Tell it) {
    if (phase instanceof Phase.Prepared(var _, var number, var by) && it.number() == number && from.equals(by)) {
      order.tail(it.after()).forEach(one -> wire.send(from, new LinkPeerMessage.Told(number, one)));
    }
  }

  private LinkPeerMessage.Standing standing(Address leaderToBe, LinkPeerMessage.Prepare it) {
    var now = world.elapsedNanos();
    var seen = ended.recent(now, config.timing().claim());
    var taken = config.taken();
    asked = taken.size();
    var told = taken.isEmpty() ? null : taken;
    var epoch = phase.epoch();
    if (epoch == null) {
      var initial = wait.of(config.rules().initial());
      return LinkPeerMessage.Standing.outside(initial, seen, config.file(), tieBreaker.last(), told, electorate.present());
    }
    var everywhere = epoch.reachedByOthers(wire.self(), it.reached());
    return new LinkPeerMessage.Standing(
        epoch.number(),
        epoch.members(),
        order.delivered(),
        Boolean.TRUE.equals(it.brief()) ? order.shortTail(everywhere) : order.tail(everywhere),
        daemons.active(),
        wait.of(epoch.quorum()),
        lease.inclusions(epoch, leaderToBe.equals(epoch.leader()), now),
        seen,
        config.file(),
        tieBreaker.last(),
        told,
        electorate.present(),
        inStep.tell());
  }

  /// The transport's view may have changed since the preparation; the membership stands all the
  /// same, and a node that does not install it has to leave it again.
  ///
  /// @return whether it was the one this link had prepared
  boolean install(Address from, LinkPeerMessage.Install it) {
    if (!(phase instanceof Phase.Prepared(var before, var number, var by))
        || it.number() != number
        || !from.equals(by)) {
      return false;
    }
    var continues = before != null && before.number() == it.continues();
    if (before != null) {
      lease.membershipEnds(before, from.equals(before.leader()), world.elapsedNanos());
      phase = new Phase.Inside(before, false);
      if (continues) {
        order.catchUp(before.number(), it.tail());
      } else if (before.members().size() > 1) {
        cutOff(before);
      }
    }
    misfits.tellLevel(before, it);
    order.begin(before != null && continues ? before.staying(it.members()) : Set.of());
    inStep.installed(it, it.behind() != null && asked == config.taken().size(), continues);
    adopt(it);
    electorate.learn(it.electorate());
    files.installed(it);
    wait.made(it.quorum());
    if (device != null) {
      device.files(it.members(), it.configs(), config.file());
    }
    if (names.told(it.configs())) {
      daemons.configured(config.configured());
    }
    if (it.quorum().quorate()) {
      var ids = it.members().stream().map(LinkPeerMessage.Place::nodeId).toList();
      tieBreaker.quorate(number, Set.copyOf(ids));
    }
    phase = new Phase.Inside(Epoch.of(it, from, this::name), false);
    if (!it.quorum().quorate() || !continues) {
      lease.drop();
    }
    announce();
    order.submitAgain();
    daemons.groups(config.local().id(), it.groups());
    order.releaseHeld();
    return true;
  }

  /// What all have taken comes in force. Where it cannot yet, another membership is asked for only
  /// when something has changed: this node has taken more, or the members gain the quorum.
  private void adopt(LinkPeerMessage.Install it) {
    var agreed = it.adopted();
    var changed = agreed == null ? null : config.adopt(agreed);
    wantsAgreement = asked != config.taken().size() && !config.taken().isEmpty();
    if (changed == null) {
      return;
    }
    world.log()
        .notice(
            "corosync.conf as it was read anew is in force: nodes %s, %d votes expected, token %d ms"
                .formatted(
                    String.join(" ", changed.nodes().stream().map(node -> node.name().text()).toList()),
                    changed.quorum().expectedVotes(),
                    changed.tokenMillis()));
    tieBreaker.use(changed.quorum().tieBreakerIds());
    youth.countsFor(config.timing());
    order.timing(config.timing());
    wire.use(changed);
    daemons.configured(config.configured());
  }

  /// A member that this node's file does not list is called what its own file calls it.
  private NodeName name(NodeId nodeId) {
    var node = config.present().node(nodeId);
    return node == null ? files.name(nodeId) : node.name();
  }

  /// The others have gone on without this node and may have seen it leave: its daemons hear of the
  /// loss before they hear of the reunion.
  private void cutOff(Epoch before) {
    world.log().warning("This node was cut off from the cluster");
    lease.drop();
    var number = MembershipNumber.cutOff(before.number(), config.local().id());
    var alone = new Member(config.local().id(), config.local().name(), number);
    var rules = config.rules();
    phase = new Phase.Inside(before.alone(wire.self(), alone, rules.initial(), misfits.levels().newest()), false);
    announce();
    daemons.groups(config.local().id(), new TreeMap<>(Map.of(config.local().id(), daemons.active())));
  }

  // ---- quorum

  private void announce() {
    var epoch = phase.epoch();
    if (epoch == null) {
      return;
    }
    told = quorate();
    due.changed(epoch.quorum(), told, this::tellDaemons);
    world.log().notice(epoch.text(told));
    tellDaemons();
    watchLease();
  }

  private void tellDaemons() {
    var epoch = phase.epoch();
    if (device != null && epoch != null) {
      device.quorum(told, epoch.nodeIds());
    }
    var level = epoch == null ? Levels.UNTOLD.newest() : epoch.level();
    daemons.membership(membership(), level, due.is(), electorate.present().lists(), files.coming(epoch, electorate.present()));
  }

  private boolean quorate() {
    var epoch = phase.epoch();
    return epoch != null && epoch.quorum().quorate() && lease.holds(world.elapsedNanos());
  }

  /// How long this node's share in the quorum lasts if it is not renewed; zero without one.
  Duration quorumLeft() {
    return quorate() ? lease.left(world.elapsedNanos()) : Duration.ZERO;
  }

  /// What the daemons know.
  Membership membership() {
    var epoch = phase.epoch();
    return epoch == null
        ? new Membership(0, List.of(), false)
        : new Membership(epoch.number(), epoch.named(), told);
  }

  QuorumState quorum() {
    var epoch = phase.epoch();
    return epoch == null ? config.rules().initial() : epoch.quorum();
  }

  /// Tells the daemons if the quorum was gained or lost. A lease may have lapsed while the machine
  /// slept, and its timer with it.
  void tellQuorum() {
    var now = quorate();
    if (now != told) {
      told = now;
      due.changed(quorum(), now, this::tellDaemons);
      world.log().notice(now ? "Quorum acquired" : "Quorum lost");
      tellDaemons();
    }
    watchLease();
  }

  /// As [#tellQuorum], where nothing can have been gained.
  void noticeLapse() {
    if (told && !quorate()) {
      tellQuorum();
    }
  }

  private void watchLease() {
    if (lapse != null) {
      lapse.cancel();
      lapse = null;
    }
    if (told) {
      lapse = world.after(lease.left(world.elapsedNanos()).plusNanos(1), this::tellQuorum);
    }
  }
}
