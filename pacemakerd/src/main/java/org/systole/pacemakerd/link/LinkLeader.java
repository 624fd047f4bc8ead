package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;
import org.systole.common.world.Channels.ViewId;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

/// What a link does while it is first in the transport's view: rounds of pings that renew leases,
/// and new memberships whenever those who answer are not those who are members.
final class LinkLeader {
  private static final int ROUNDS_PER_TOKEN = 4;

  /// The link whose part this is.
  interface Own {
    /// The present membership's number, 0 before the first.
    long number();

    boolean leadsMembership();

    List<Place> members();

    QuorumState quorum();

    /// The votes of the whole cluster, as far as this node knows.
    int expectedVotes();

    long newNumber();

    /// A number in use elsewhere; new ones must be above it.
    void heardOf(long number);

    void send(Address to, LinkPeerMessage message);

    void broadcast(LinkPeerMessage message);
  }

  /// What an address last answered.
  private record Heard(
      int nodeId,
      long round,
      long number,
      long delivered,
      boolean astray,
      List<Integer> unheard,
      boolean young,
      int expected,
      long at) {}

  /// A membership in the making.
  private static final class Attempt {
    private final long number;
    private final Map<Integer, Address> targets;
    private final long begun;
    private final Map<Address, Standing> standings = new LinkedHashMap<>();

    Attempt(long number, Map<Integer, Address> targets, long begun) {
      this.number = number;
      this.targets = targets;
      this.begun = begun;
    }
  }

  private final World world;
  private final ClusterConfig config;
  private final QuorumRules rules;
  private final Own own;
  private final Duration token;
  private final Duration roundTime;
  private final Duration claim; // how long an answer may be worth something, see Lease
  private final Map<Address, Heard> heard = new LinkedHashMap<>();
  private final TreeSet<Integer> answered = new TreeSet<>();
  private final Set<Address> refused = new TreeSet<>();
  private @Nullable View view;
  private boolean leading;
  private World.@Nullable Timer tick;
  private long viewAt;
  private long round;
  private long roundAt;
  private boolean roundOpen;
  private @Nullable Attempt attempt;
  private long installRound;
  private long installedAt;
  private @Nullable Long holdUntil;

  LinkLeader(World world, ClusterConfig config, QuorumRules rules, Own own) {
    this.world = world;
    this.config = config;
    this.rules = rules;
    this.own = own;
    this.token = Duration.ofMillis(config.tokenMillis());
    this.roundTime = roundTime(token);
    this.claim = claim(config);
  }

  /// How long an answer may be worth something to those whose claims it carried.
  static Duration claim(ClusterConfig config) {
    var token = Duration.ofMillis(config.tokenMillis());
    return Lease.length(token).plus(roundTime(token));
  }

  private static Duration roundTime(Duration token) {
    return Duration.ofNanos(token.toNanos() / ROUNDS_PER_TOKEN);
  }

  void view(View installed, boolean first) {
    view = installed;
    leading = first;
    heard.clear();
    attempt = null;
    viewAt = world.nanoTime();
    if (leading) {
      beginRound();
    } else {
      stop();
    }
  }

  void stop() {
    leading = false;
    roundOpen = false;
    if (tick != null) {
      tick.cancel();
      tick = null;
    }
  }

  /// The membership this link prepared is its own now.
  void installed() {
    attempt = null;
    installRound = round;
    installedAt = world.nanoTime();
    if (leading) {
      beginRound();
    }
  }

  // ---- rounds

  private void beginRound() {
    var present = view;
    if (present == null) {
      return;
    }
    round++;
    roundAt = world.nanoTime();
    roundOpen = true;
    answered.clear();
    own.broadcast(new LinkPeerMessage.Ping(present.id(), own.number(), round, stable()));
    if (tick != null) {
      tick.cancel();
    }
    tick = world.after(roundTime, this::tick);
  }

  private void tick() {
    closeRound();
    evaluate();
    if (leading) {
      beginRound();
    }
  }

  void pong(Address from, LinkPeerMessage.Pong pong) {
    var present = view;
    if (!leading || present == null || !present.id().equals(pong.view())) {
      return;
    }
    if (config.node(pong.nodeId()) == null) {
      if (refused.add(from)) {
        world
            .log()
            .error(
                "Process %s says it is node %d, which is not in the node list here; correct corosync.conf there or here"
                    .formatted(from, pong.nodeId()));
        own.send(
            from,
            new LinkPeerMessage.NotListed(
                config.nodes().stream().map(ClusterConfig.Node::name).toList()));
      }
      return;
    }
    own.heardOf(pong.highest());
    var now = world.nanoTime();
    heard.put(
        from,
        new Heard(
            pong.nodeId(),
            pong.round(),
            pong.number(),
            pong.delivered(),
            pong.astray(),
            pong.unheard(),
            pong.young(),
            pong.expected(),
            now));
    if (!roundOpen || pong.round() != round) {
      return;
    }
    // A vote given twice would let two sides have quorum; where all are members there is one side.
    var counts = !pong.young() || allAreMembers();
    if (counts
        && pong.number() == own.number()
        && now - roundAt <= roundTime.toNanos()
        && isMember(from)) {
      answered.add(pong.nodeId());
    }
    if (present.members().stream().allMatch(it -> heardInRound(it))) {
      closeRound();
      evaluate();
    }
  }

  private boolean allAreMembers() {
    var total = own.quorum().totalVotes();
    return own.members().size() == config.nodes().size()
        && own.members().stream()
            .map(it -> heard.get(it.address()))
            .allMatch(it -> it == null || it.expected <= total);
  }

  /// The largest number that a member expects whose vote counts. A young one's does not, so it must
  /// not make the others wait for it either.
  private int configuredVotes(List<Place> members) {
    var most = own.expectedVotes();
    for (var member : members) {
      var it = heard.get(member.address());
      if (it != null && !it.young) {
        most = Math.max(most, it.expected);
      }
    }
    return most;
  }

  private boolean isMember(Address address) {
    return own.members().stream().anyMatch(it -> it.address().equals(address));
  }

  private boolean heardInRound(Address address) {
    var it = heard.get(address);
    return it != null && it.round == round;
  }

  /// Tells the members what this round was worth.
  private void closeRound() {
    if (!roundOpen) {
      return;
    }
    roundOpen = false;
    if (!own.leadsMembership()) {
      return;
    }
    if (attempt != null) {
      answered.retainAll(attempt.targets.keySet()); // who is to be left out gains nothing any more
    }
    var now = world.nanoTime();
    if (holdUntil != null && now - holdUntil >= 0) {
      holdUntil = null;
    }
    var members = memberIds();
    var quorum = own.quorum();
    if (holdUntil == null) {
      var configured = Math.max(quorum.configuredVotes(), configuredVotes(own.members()));
      quorum = rules.next(members, List.of(quorum), configured);
      if (now - installedAt >= windowNanos()) {
        quorum = rules.afterWindow(members, quorum);
      }
    }
    own.broadcast(
        new LinkPeerMessage.Confirm(
            own.number(),
            round,
            List.copyOf(answered),
            holdUntil == null && rules.carries(answered, quorum),
            quorum,
            apart()));
  }

  /// The members that cannot speak to each other, as they have said themselves.
  private List<LinkPeerMessage.Pair> apart() {
    var pairs = new ArrayList<LinkPeerMessage.Pair>();
    for (var member : own.members()) {
      var it = heard.get(member.address());
      if (it != null) {
        it.unheard.forEach(id -> pairs.add(new LinkPeerMessage.Pair(member.nodeId(), id)));
      }
    }
    return pairs;
  }

  private long windowNanos() {
    return Duration.ofMillis(config.quorum().lastManStandingWindowMillis()).toNanos();
  }

  private TreeSet<Integer> memberIds() {
    var ids = new TreeSet<Integer>();
    own.members().forEach(it -> ids.add(it.nodeId()));
    return ids;
  }

  private long stable() {
    var least = Long.MAX_VALUE;
    for (var member : own.members()) {
      var it = heard.get(member.address());
      if (it == null || it.number != own.number() || it.round <= installRound) {
        return 0;
      }
      least = Math.min(least, it.delivered);
    }
    return least == Long.MAX_VALUE ? 0 : least;
  }

  // ---- memberships

  /// Compares those who answer with those who are members.
  private void evaluate() {
    var present = view;
    if (!leading || present == null) {
      return;
    }
    var now = world.nanoTime();
    var pending = attempt;
    if (pending != null) {
      if (now - pending.begun < token.toNanos() / 2) {
        return;
      }
      giveUp(pending);
    }
    var live = present.members().stream().filter(it -> isLive(it, now)).toList();
    if (live.size() < present.members().size() && now - viewAt < token.toNanos() / 2) {
      return; // the others may be about to install the view
    }
    var targets = targets(live);
    if (!targets.isEmpty() && !isPresent(targets)) {
      prepare(present.id(), targets, now);
    }
  }

  private boolean isLive(Address address, long now) {
    var it = heard.get(address);
    return it != null && now - it.at <= token.toNanos();
  }

  /// Who of the targets did not answer is not heard of until it answers a ping again.
  private void giveUp(Attempt pending) {
    attempt = null;
    pending.targets.values().stream()
        .filter(it -> !pending.standings.containsKey(it))
        .forEach(heard::remove);
  }

  /// One process a node. A second one is a restarted node while its former process is still
  /// believed alive, or two nodes with one id: the process that is a member already stays.
  private Map<Integer, Address> targets(List<Address> live) {
    var targets = new TreeMap<Integer, Address>();
    for (var address : live) {
      var it = heard.get(address);
      if (it == null) {
        continue;
      }
      var other = targets.putIfAbsent(it.nodeId, address);
      if (other != null) {
        if (refused.add(address)) {
          world
              .log()
              .error(
                  "Two processes say they are node %d; leaving out the newer one"
                      .formatted(it.nodeId));
        }
        if (isMember(address)) {
          targets.put(it.nodeId, address);
        }
      }
    }
    return targets;
  }

  private boolean isPresent(Map<Integer, Address> targets) {
    if (!own.leadsMembership() || targets.size() != own.members().size()) {
      return false;
    }
    for (var member : own.members()) {
      var it = heard.get(member.address());
      if (!member.address().equals(targets.get(member.nodeId())) || it == null) {
        return false;
      }
      // an answer from before the installation tells nothing about the present membership
      if (it.round > installRound && (it.number != own.number() || it.astray)) {
        return false;
      }
    }
    return true;
  }

  private void prepare(ViewId id, Map<Integer, Address> targets, long now) {
    var begun = new Attempt(own.newNumber(), targets, now);
    attempt = begun;
    world
        .log()
        .info(
            "Preparing membership %s of nodes %s"
                .formatted(MembershipNumber.text(begun.number), targets.keySet()));
    targets.values().forEach(it -> own.send(it, new LinkPeerMessage.Prepare(id, begun.number)));
  }

  void prepared(Address from, LinkPeerMessage.Prepared it) {
    var present = view;
    var pending = attempt;
    if (pending == null
        || present == null
        || it.number() != pending.number
        || !it.view().equals(present.id())
        || !from.equals(pending.targets.get(it.nodeId()))
        || pending.standings.put(from, it.standing()) != null) {
      return;
    }
    if (pending.standings.size() == pending.targets.size()) {
      complete(present, pending);
    }
  }

  /// All have answered. Where some node that is left out may still think that it shares the quorum,
  /// and not for long, that is waited for: under the membership before, the others still hold
  /// theirs.
  private void complete(View present, Attempt it) {
    var hold = hold(it);
    if (hold.isPositive() && hold.toNanos() <= token.toNanos() / 4) {
      world.after(
          hold,
          () -> {
            if (attempt == it && present.equals(view)) {
              install(present.id(), present.members().getFirst(), it, Duration.ZERO);
            }
          });
    } else {
      install(present.id(), present.members().getFirst(), it, hold);
    }
  }

  private void install(ViewId id, Address self, Attempt it, Duration hold) {
    var continued = continued(it.standings.values());
    var places = places(it, continued);
    var ids = new TreeSet<Integer>();
    places.forEach(place -> ids.add(place.nodeId()));
    var groups = new TreeMap<Integer, List<String>>();
    var configs = new TreeMap<Integer, NodeConfig>();
    it.targets.forEach(
        (nodeId, address) -> {
          var standing = it.standings.get(address);
          if (ids.contains(nodeId) && standing != null) {
            groups.put(nodeId, standing.groups());
            configs.put(nodeId, standing.config());
          }
        });
    var quorum = rules.next(ids, quorumStates(it, continued), configuredVotes(places));
    if (hold.isPositive()) {
      world.log().info("Others may still act for %d ms; waiting".formatted(hold.toMillis()));
      quorum = quorum.withoutQuorum();
    }
    holdUntil = hold.isPositive() ? Long.valueOf(world.nanoTime() + hold.toNanos()) : null;
    var message =
        new LinkPeerMessage.Install(
            id,
            it.number,
            continued == null ? 0 : continued.number(),
            places,
            tail(it, continued),
            groups,
            configs,
            quorum);
    places.forEach(place -> own.send(place.address(), message));
    if (places.stream().noneMatch(place -> place.address().equals(self))) {
      attempt = null; // this link itself was left out: the next one takes it in
    }
  }

  /// The membership the new one follows: a quorate one before others, then the newest.
  private static @Nullable Standing continued(Iterable<Standing> standings) {
    Comparator<Standing> order =
        Comparator.<Standing, Boolean>comparing(it -> it.quorum().quorate())
            .thenComparing(Standing::number);
    @Nullable Standing best = null;
    for (var standing : standings) {
      if (standing.number() != 0 && (best == null || order.compare(standing, best) > 0)) {
        best = standing;
      }
    }
    return best;
  }

  /// The new members. A node whose former process was a member, or that was cut off meanwhile, has
  /// to leave before it joins anew, so that everybody sees both: it is left out this time.
  private static List<Place> places(Attempt it, @Nullable Standing continued) {
    var places = new ArrayList<Place>();
    var former = continued == null ? List.<Place>of() : continued.members();
    it.targets.forEach(
        (nodeId, address) -> {
          var before = former.stream().filter(place -> place.nodeId() == nodeId).findFirst();
          if (before.isEmpty()) {
            places.add(new Place(nodeId, address, it.number));
          } else if (before.get().address().equals(address)) {
            var standing = it.standings.get(address);
            var stayed =
                standing != null && continued != null && standing.number() == continued.number();
            if (stayed) {
              places.add(before.get());
            }
          }
        });
    return places;
  }

  private static List<QuorumState> quorumStates(Attempt it, @Nullable Standing continued) {
    var states = new ArrayList<QuorumState>();
    if (continued != null) {
      states.add(continued.quorum());
    }
    it.standings.values().forEach(standing -> states.add(standing.quorum()));
    return states;
  }

  private static List<Ordered> tail(Attempt it, @Nullable Standing continued) {
    var tail = new TreeMap<Long, Ordered>();
    for (var standing : it.standings.values()) {
      if (continued != null && standing.number() == continued.number()) {
        standing.tail().forEach(one -> tail.put(one.sequence(), one));
      }
    }
    return List.copyOf(tail.values());
  }

  /// How long a node that is no longer a member may still think it shares the quorum. One whose end
  /// was seen does not, nor does one whose node runs a new process.
  private Duration hold(Attempt it) {
    var staying = new TreeSet<Address>();
    places(it, continued(it.standings.values())).forEach(place -> staying.add(place.address()));
    var ended = new TreeSet<Address>();
    it.standings.values().forEach(standing -> ended.addAll(standing.ended()));
    var hold = Duration.ZERO;
    for (var standing : it.standings.values()) {
      for (var one : standing.inclusions()) {
        var present = it.targets.get(one.nodeId());
        var restarted = present != null && !present.equals(one.address());
        if (!restarted && !staying.contains(one.address()) && !ended.contains(one.address())) {
          var left = claim.minusMillis(one.ageMillis());
          hold = left.compareTo(hold) > 0 ? left : hold;
        }
      }
    }
    return hold;
  }
}
