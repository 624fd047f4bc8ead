package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// What a link does while it is first in the transport's view: it runs rounds of pings that renew
/// leases, and makes a new membership whenever the nodes that answer are not the members.
final class LinkLeader {
  /// The link whose part this is.
  interface Own {
    /// The membership it has installed.
    @Nullable Epoch epoch();

    /// The votes of the whole cluster, as far as this node knows.
    int expectedVotes();

    /// The configuration it goes by.
    LinkConfig config();

    /// Whose votes count, as far as this node knows.
    Electorate electorate();

    /// Whether this node has what the cluster has acknowledged.
    InStep inStep();

    /// The quorum device's part, null where there is none.
    @Nullable DeviceVote device();
  }

  private final World world;
  private final MembershipCounter counter;
  private final LinkWire wire;
  private final Own own;
  private final Misfits misfits;
  private final Recount recount;
  private final Set<Address> refused = new TreeSet<>();
  private @Nullable Reign reign;
  private World.@Nullable Timer tick;
  private @Nullable Runnable whenFollowed;
  private long round;
  private Made made = Made.NONE;
  private NewFiles newFiles = NewFiles.NONE; // of the membership this link has installed
  private NewFiles newFilesNext = NewFiles.NONE; // of the one it has made last
  private @Nullable NodeId tieBreaker; // by what comes in force with that
  private long succeeded; // the membership before that, whose rounds end with it
  private long adoptedAfter; // answers up to this round tell what was expected before

  LinkLeader(World world, MembershipCounter counter, LinkWire wire, Own own, Misfits misfits) {
    this.world = world;
    this.counter = counter;
    this.wire = wire;
    this.own = own;
    this.misfits = misfits;
    this.recount = new Recount(world, wire);
  }

  /// The members of the present membership count by its times.
  private LinkTiming timing() {
    var epoch = own.epoch();
    return epoch == null ? own.config().timing() : epoch.timing();
  }

  void view(View installed) {
    stop();
    if (wire.isSelf(installed.members().getFirst())) {
      var begun = new Reign(installed, world.elapsedNanos());
      reign = begun;
      beginRound(begun);
    }
    tellIfFollowed();
  }

  /// Does something once all members have the view that this link leads, at once if it leads none, or when the time is over.
  void whenFollowed(Duration limit, Runnable then) {
    whenFollowed = then;
    world.after(limit, this::tellFollowed);
    tellIfFollowed();
  }

  private void tellIfFollowed() {
    if (reign == null || reign.isFollowed()) {
      tellFollowed();
    }
  }

  private void tellFollowed() {
    var then = whenFollowed;
    whenFollowed = null;
    if (then != null) {
      then.run();
    }
  }

  void stop() {
    reign = null;
    if (tick != null) {
      tick.cancel();
      tick = null;
    }
  }

  /// The membership this link prepared is its own now.
  void installed() {
    made = made.installed(round, world.elapsedNanos());
    newFiles = newFilesNext;
    own.config().rules().tieBreaker(tieBreaker);
    var present = reign;
    if (present != null) {
      present.attempt = null;
      beginRound(present);
    }
  }

  // ---- rounds

  private void beginRound(Reign present) {
    round++;
    present.open = new Reign.Round(world.elapsedNanos(), new TreeSet<>());
    var epoch = own.epoch();
    var number = epoch == null ? 0 : epoch.number();
    var device = own.device();
    if (device != null) {
      device.tell(present.view.id());
    }
    wire.broadcast(new LinkPeerMessage.Ping(present.view.id(), number, round, present.stable(epoch, made.round())));
    if (tick != null) {
      tick.cancel();
    }
    tick = world.after(timing().round(), () -> tick(present));
  }

  private void tick(Reign present) {
    if (present == reign) {
      closeRound(present);
      evaluate(present);
      beginRound(present);
    }
  }

  void pong(Address from, LinkPeerMessage.Pong pong) {
    var present = reign;
    if (present == null || !present.view.id().equals(pong.view())) {
      return;
    }
    if (!own.config().lists(pong.nodeId())) {
      refuse(from, pong.nodeId());
      return;
    }
    counter.heardOf(pong.highest());
    var now = world.elapsedNanos();
    present.heard.put(from, new Reign.Heard(pong, now));
    tellIfFollowed();
    if (present != reign) {
      return; // this link has left
    }
    var open = present.open;
    if (open == null || pong.round() != round) {
      return;
    }
    var epoch = own.epoch();
    // Two sides could have a quorum if one vote counted for both. Where all nodes are members there
    // is only one side.
    var counts = epoch != null && (!pong.young() || allAreMembers(present, epoch));
    if (counts
        && pong.number() == epoch.number()
        && now - open.at() <= timing().round().toNanos()
        && epoch.has(from)) {
      open.answered().add(pong.nodeId());
    }
    if (present.view.members().stream().allMatch(it -> present.hasAnswered(it, round))) {
      closeRound(present);
      evaluate(present);
    }
  }

  private void refuse(Address from, NodeId nodeId) {
    if (refused.add(from)) {
      world
          .log()
          .error(
              ("Process %s says it is node %s, which is not in the node list here; "
                      + "correct corosync.conf there, or here and have it read anew with corosync-cfgtool -R")
                  .formatted(from, nodeId));
      var listed = own.config().present().nodes().stream().map(ClusterConfig.Node::name).toList();
      wire.send(from, new LinkPeerMessage.NotListed(listed));
    }
  }

  private boolean allAreMembers(Reign present, Epoch epoch) {
    var total = own.config().rules().withDevice(epoch.nodeIds());
    return epoch.members().size() == own.config().present().nodes().size()
        && epoch.members().stream()
            .map(it -> present.heard.get(it.address()))
            .allMatch(it -> it == null || it.pong().expected() <= total);
  }

  /// Ends a round and tells the members its result.
  private void closeRound(Reign present) {
    var closing = present.open;
    present.open = null;
    var epoch = own.epoch();
    if (closing == null || epoch == null || !wire.isSelf(epoch.leader())) {
      return;
    }
    if (epoch.number() == succeeded) {
      return; // others may be in the next one already, and do not wait for leases of this one
    }
    var answered = closing.answered();
    if (present.attempt != null) {
      // a node that is about to be left out gets no new lease
      answered.retainAll(present.attempt.targets().keySet());
    }
    var quorum = quorum(present, epoch);
    var carried = !made.isHeld() && carries(answered, quorum);
    if (carried) {
      recount(epoch, quorum);
    }
    wire.broadcast(
        new LinkPeerMessage.Confirm(
            epoch.number(),
            round,
            List.copyOf(answered),
            carried,
            quorum,
            present.apart(epoch)));
  }

  private boolean carries(Set<NodeId> answered, QuorumState quorum) {
    var device = own.device();
    var voted = device != null && device.carries(round, answered);
    return newFiles.carried(own.config().rules(), answered, quorum, own.electorate(), voted);
  }

  private void recount(Epoch epoch, QuorumState quorum) {
    var config = own.config();
    var window = config.present().quorum().lastManStandingWindowMillis();
    var passed = world.elapsedNanos() - made.at() >= window * 1_000_000;
    recount.carried(epoch, config.rules(), own.electorate(), quorum, passed, own.inStep().isAt(epoch));
  }

  /// Whether it has been said that whose votes count cannot change in the present membership.
  boolean votesWait() {
    return own.epoch() instanceof Epoch epoch && reign != null && recount.waits(epoch.number());
  }

  void kept(Address from, LinkPeerMessage.Kept it) {
    recount.kept(from, it, own.epoch());
  }

  /// Counts the votes again, once no other side may act any more.
  private QuorumState quorum(Reign present, Epoch epoch) {
    made = made.now(world.elapsedNanos());
    if (made.isHeld()) {
      return epoch.quorum();
    }
    var before = epoch.quorum();
    var configured = Math.max(before.configuredVotes(), configuredVotes(present, epoch.members(), newFiles));
    var device = own.device();
    var voted = device != null && device.counts(epoch);
    return newFiles.count(own.config().rules(), epoch.nodeIds(), own.electorate(), List.of(before), configured, voted);
  }

  /// The largest number of votes that a member expects. The vote of a young member does not count,
  /// so what it expects does not count either: the others would wait for it.
  private int configuredVotes(Reign present, List<Place> members, NewFiles files) {
    var most = own.expectedVotes();
    for (var member : members) {
      var it = present.heard.get(member.address());
      if (it != null
          && !it.pong().young()
          && it.round() > adoptedAfter
          && !files.ahead().contains(member.nodeId())) {
        most = Math.max(most, it.pong().expected());
      }
    }
    return most;
  }

  // ---- memberships

  /// Compares those who answer with those who are members.
  private void evaluate(Reign present) {
    var now = world.elapsedNanos();
    if (!present.isLive(wire.self(), now, timing())) {
      return; // it stood still; its own answer is on the way, as those of the others are
    }
    var pending = present.attempt;
    if (pending != null) {
      if (!pending.isOver(now, timing())) {
        return;
      }
      // who did not answer is not heard of until it answers a ping again
      present.attempt = null;
      pending.silent().forEach(present.heard::remove);
    }
    var all = present.view.members();
    var live = new ArrayList<>(all);
    live.removeIf(it -> !present.isLive(it, now, timing()));
    if (live.size() < all.size() && now - present.since < timing().settling().toNanos()) {
      return; // the others may not have installed the view yet
    }
    var targets = targets(present, live);
    var device = own.device();
    if (device != null) {
      device.plan(targets);
    }
    if (!targets.isEmpty() && !isPresent(present, targets) && !waitsForDevice(targets)) {
      prepare(present, targets, now);
    }
  }

  /// Whether the quorum device has to decide first whether these have quorum. What is now goes on
  /// meanwhile.
  private boolean waitsForDevice(Map<NodeId, Address> targets) {
    var device = own.device();
    var epoch = own.epoch();
    if (device == null || epoch == null || !device.isAwaited(timing())) {
      return false;
    }
    // who is only added waits for nobody's decision
    var lost = epoch.members().stream().anyMatch(it -> !targets.containsValue(it.address()));
    return lost && own.config().rules().hangOnDevice(targets.keySet(), epoch.quorum());
  }

  /// One process a node. A second one is a restarted node while its former process is still
  /// believed alive, or two nodes with one id: the process that is a member already stays.
  private Map<NodeId, Address> targets(Reign present, List<Address> live) {
    var epoch = own.epoch();
    var targets = new TreeMap<NodeId, Address>();
    for (var address : live) {
      var it = present.heard.get(address);
      if (it == null || misfits.has(address)) {
        continue;
      }
      var id = it.pong().nodeId();
      if (targets.putIfAbsent(id, address) != null) {
        if (refused.add(address)) {
          world
              .log()
              .error("Two processes say they are node %s; leaving out the newer one".formatted(id));
        }
        if (epoch != null && epoch.has(address)) {
          targets.put(id, address);
        }
      }
    }
    return targets;
  }

  /// Whether those are the members, and none of them needs a new membership.
  private boolean isPresent(Reign present, Map<NodeId, Address> targets) {
    var epoch = own.epoch();
    if (epoch == null || !wire.isSelf(epoch.leader()) || targets.size() != epoch.members().size()) {
      return false;
    }
    return present.agree(epoch, targets, made.round());
  }

  private void prepare(Reign present, Map<NodeId, Address> targets, long now) {
    var begun = new Attempt(counter.next(), targets, now);
    present.attempt = begun;
    world
        .log()
        .info(
            "Preparing membership %s of nodes %s".formatted(MembershipNumber.text(begun.number()), targets.keySet()));
    var side = misfits.side(own.epoch());
    var reached = present.reached(targets.values());
    var message = new LinkPeerMessage.Prepare(present.view.id(), begun.number(), side, reached, true);
    targets.values().forEach(it -> wire.send(it, message));
  }

  void prepared(Address from, LinkPeerMessage.Prepared it) {
    var present = reign;
    var pending = present == null ? null : present.attempt;
    if (pending != null
        && it.view().equals(present.view.id())
        && pending.prepared(from, it)) {
      proceed(present, pending);
    }
  }

  void told(Address from, LinkPeerMessage.Told it) {
    var present = reign;
    var pending = present == null ? null : present.attempt;
    if (pending != null && pending.told(from, it, world.elapsedNanos())) {
      proceed(present, pending);
    }
  }

  /// Who lacks what another one has gets it with the membership.
  private void proceed(Reign present, Attempt pending) {
    if (!pending.isComplete()) {
      return;
    }
    var lack = pending.lack(wire.self());
    if (lack == null) {
      complete(present, pending);
    } else if (pending.ask(lack, world.elapsedNanos())) {
      wire.send(lack.holder(), new LinkPeerMessage.Tell(present.view.id(), pending.number(), lack.after()));
    }
  }

  /// All future members have answered. A node that is left out may still hold a lease. If that ends
  /// within a short time, the leader waits for it before it installs the membership: until then the
  /// others keep their leases under the membership before. If it takes longer, the membership is
  /// installed at once, without quorum.
  private void complete(Reign present, Attempt it) {
    var unfit = it.misfits(wire.self());
    if (!unfit.isEmpty()) {
      var mine = misfits.side(own.epoch());
      var quorate = mine.quorate() || it.continuesQuorate(wire.self());
      var side = new LinkPeerMessage.Side(mine.name(), it.spoken(wire.self()), quorate);
      unfit.forEach((address, theirs) -> misfits.refuse(address, theirs, side));
      present.attempt = null;
      return; // the next round prepares those who are left
    }
    var hold = it.hold();
    if (hold.isPositive() && hold.compareTo(timing().shortWait()) <= 0) {
      world.after(
          hold,
          () -> {
            if (reign == present && present.attempt == it) {
              install(present, it, Duration.ZERO);
            }
          });
    } else {
      install(present, it, hold);
    }
  }

  /// A process has ended, or leaves. Where only its lease was waited for that is over.
  void ended(Address peer) {
    var held = made.isHeld();
    made = made.ended(peer);
    var present = reign;
    if (present != null && present.attempt != null) {
      present.attempt.ended(peer);
    } else if (present != null && held && !made.isHeld()) {
      beginRound(present);
    }
  }

  /// A process that was asked to be a member cannot be one.
  void misfit(Address from) {
    var present = reign;
    var pending = present == null ? null : present.attempt;
    if (pending != null && pending.targets().containsValue(from)) {
      present.attempt = null;
    }
  }

  private void install(Reign present, Attempt it, Duration hold) {
    var places = it.places();
    var ids = new TreeSet<NodeId>();
    places.forEach(place -> ids.add(place.nodeId()));
    var config = own.config();
    var rules = config.rules();
    rules.tieBreaker(it.tieBreaker(config.present().quorum().tieBreakerIds()));
    var files = it.newFiles(places, config.file());
    var seen = configuredVotes(present, places, files);
    var device = own.device();
    var voted = device != null && device.isGranted();
    var electorate = it.electorate();
    var quorum = files.count(rules, ids, electorate, it.quorumStates(), seen, voted);
    if (hold.isPositive()) {
      world.log().info("Others may still act for %d ms; waiting".formatted(hold.toMillis()));
      quorum = quorum.withoutQuorum();
    }
    made = made.heldFor(hold.isPositive() ? it.holders() : Map.of(), world.elapsedNanos());
    var byFiles = electorate.isAll() ? electorate : electorate.with(Counted.by(it.number(), electorate, null));
    var adopted = files.adopted(quorum, ids, byFiles, it, seen, rules);
    if (adopted != null) {
      quorum = adopted;
      electorate = byFiles;
      adoptedAfter = round;
    }
    newFilesNext = adopted == null ? files : NewFiles.NONE;
    tieBreaker = it.tieBreaker((adopted == null ? config.present().quorum() : files.agreed().quorum()).tieBreakerIds());
    var message = it.install(present.view.id(), places, quorum, electorate, adopted == null ? null : files.agreed(), files);
    var before = own.epoch();
    succeeded = before == null ? succeeded : before.number();
    places.forEach(place -> wire.send(place.address(), message.with(it.tail(place.address()))));
    files.leaving(rules, ids, quorum, electorate, voted).forEach(place -> wire.send(place.address(), new LinkPeerMessage.Dropped()));
    if (places.stream().noneMatch(place -> wire.isSelf(place.address()))) {
      present.attempt = null; // this link itself was left out: the next one takes it in
    }
  }
}
