package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

/// A membership that is being prepared: which links were asked, which have answered, and what
/// follows from their answers.
final class Attempt {
  private final long number;
  private final Map<NodeId, Address> targets;
  private long since;
  private final Map<Address, Standing> standings = new LinkedHashMap<>();
  private final Map<Address, Levels> levels = new LinkedHashMap<>();
  private final Set<Address> endedSince = new TreeSet<>();
  private final List<Ordered> told = new ArrayList<>();
  private @Nullable Lack asked;
  private long askedAt;
  private boolean hasTold;

  /// What some member of the continued membership has delivered, another one may lack, and no answer has with it.
  ///
  /// @param holder who is to be asked for it
  /// @param after the sequence number that all have delivered
  /// @param last that of the last item
  record Lack(Address holder, long after, long last) {}

  /// @param targets one process a node
  Attempt(long number, Map<NodeId, Address> targets, long begun) {
    this.number = number;
    this.targets = targets;
    this.since = begun;
  }

  long number() {
    return number;
  }

  /// Whether it has taken too long: the future members deliver nothing meanwhile. What one of them is asked for may take
  /// longer than an answer, as long as it keeps coming.
  boolean isOver(long now, LinkTiming timing) {
    var limit = telling() == null ? timing.attempt() : timing.token();
    return now - since >= limit.toNanos()
        || telling() != null && now - askedAt >= timing.undelivered().toNanos();
  }

  /// Who has been asked and has not told all yet, null for nobody.
  private @Nullable Address telling() {
    return asked == null || hasTold ? null : asked.holder();
  }

  /// The nodes that are to be members.
  Map<NodeId, Address> targets() {
    return targets;
  }

  /// @return whether the answer was waited for
  boolean prepared(Address from, LinkPeerMessage.Prepared it) {
    var isNews =
        it.number() == number
            && from.equals(targets.get(it.nodeId()))
            && standings.putIfAbsent(from, it.standing()) == null;
    if (isNews) {
      levels.put(from, Levels.of(it.levels()));
    }
    return isNews;
  }

  boolean isComplete() {
    return standings.size() == targets.size();
  }

  /// What is to be asked for before the members can be told what they lack, null for nothing.
  ///
  /// @param leader this link; what it has itself is nowhere nearer
  @Nullable Lack lack(Address leader) {
    var delivered = new LinkedHashMap<Address, Long>();
    var continued = continued();
    standings.forEach(
        (address, standing) -> {
          if (continued != null && standing.number() == continued.number()) {
            delivered.put(address, standing.delivered());
          }
        });
    if (delivered.isEmpty()) {
      return null;
    }
    var after = Collections.min(delivered.values());
    var last = Collections.max(delivered.values());
    if (tail(after).size() == last - after) {
      return null;
    }
    var most = delivered.keySet().stream().filter(it -> last.equals(delivered.get(it))).toList();
    return new Lack(most.contains(leader) ? leader : most.getFirst(), after, last);
  }

  /// @return whether it has to be asked for now, and was not before
  boolean ask(Lack lack, long now) {
    if (asked != null) {
      return false;
    }
    asked = lack;
    askedAt = now;
    since = now;
    return true;
  }

  /// @return whether all has come that was asked for
  boolean told(Address from, LinkPeerMessage.Told it, long now) {
    if (asked == null || hasTold || !from.equals(asked.holder()) || it.number() != number) {
      return false;
    }
    told.add(it.item());
    since = now;
    hasTold = it.item().sequence() == asked.last();
    return hasTold;
  }

  /// Who has not said yet what it was asked for.
  List<Address> silent() {
    return targets.values().stream()
        .filter(it -> !standings.containsKey(it) || it.equals(telling()))
        .toList();
  }

  /// The membership the new one follows: a quorate one before others, then the newest.
  @Nullable Standing continued() {
    Comparator<Standing> order =
        Comparator.<Standing, Boolean>comparing(it -> it.quorum().quorate())
            .thenComparing(Standing::number);
    @Nullable Standing best = null;
    for (var standing : standings.values()) {
      if (standing.number() != 0 && (best == null || order.compare(standing, best) > 0)) {
        best = standing;
      }
    }
    return best;
  }

  /// The levels common to all that can be members together: the leader, the members of the
  /// continued membership, then the others by their ids, each if it has a level in common with all
  /// before.
  ///
  /// @param leader this link
  Levels spoken(Address leader) {
    return Levels.common(fitting(leader).values());
  }

  /// The links that have no level in common with the others, and their sides.
  ///
  /// @param leader this link
  Map<Address, LinkPeerMessage.Side> misfits(Address leader) {
    var fitting = fitting(leader);
    var misfits = new LinkedHashMap<Address, LinkPeerMessage.Side>();
    standings.forEach(
        (address, standing) -> {
          if (!fitting.containsKey(address)) {
            misfits.put(
                address,
                new LinkPeerMessage.Side(
                    standing.config().name(),
                    Levels.of(levels.get(address)),
                    standing.number() != 0 && standing.quorum().quorate()));
          }
        });
    return misfits;
  }

  /// Whether those who can be members together go on from a membership with quorum, be the leader in
  /// it or not.
  ///
  /// @param leader this link
  boolean continuesQuorate(Address leader) {
    var continued = continued();
    if (continued == null || !continued.quorum().quorate()) {
      return false;
    }
    var fitting = fitting(leader);
    return standings.entrySet().stream()
        .filter(it -> it.getValue().number() == continued.number())
        .allMatch(it -> fitting.containsKey(it.getKey()));
  }

  private Map<Address, Levels> fitting(Address leader) {
    var candidates = new ArrayList<Address>();
    candidates.add(leader);
    var continued = continued();
    if (continued != null) {
      continued.members().forEach(it -> candidates.add(it.address()));
    }
    candidates.addAll(targets.values());
    var fitting = new LinkedHashMap<Address, Levels>();
    for (var address : candidates) {
      var theirs = levels.get(address);
      if (theirs != null && !Levels.common(fitting.values()).with(theirs).isNone()) {
        fitting.put(address, theirs);
      }
    }
    return fitting;
  }

  /// The new members. A node whose former process was a member, or that was cut off meanwhile, has
  /// to leave before it joins again, so that all members see both: it is left out this time.
  List<Place> places() {
    var continued = continued();
    var former = continued == null ? List.<Place>of() : continued.members();
    var places = new ArrayList<Place>();
    targets.forEach(
        (nodeId, address) -> {
          var before = former.stream().filter(it -> it.nodeId().equals(nodeId)).findFirst();
          if (before.isEmpty()) {
            places.add(new Place(nodeId, address, number));
          } else if (before.get().address().equals(address) && stayed(address, continued)) {
            places.add(before.get());
          }
        });
    return places;
  }

  private boolean stayed(Address address, @Nullable Standing continued) {
    var standing = standings.get(address);
    return standing != null && continued != null && standing.number() == continued.number();
  }

  /// The node of the list in `auto_tie_breaker_node` that decides between halves.
  ///
  /// @param list the option's
  /// @return null for none
  @Nullable NodeId tieBreaker(List<NodeId> list) {
    var first = list.isEmpty() ? null : list.getFirst();
    if (Levels.common(levels.values()).newest() < Levels.TIE_BREAKER_LIST) {
      return first;
    }
    LinkPeerMessage.@Nullable TieBreak latest = null;
    for (var standing : standings.values()) {
      var it = standing.tieBreak();
      if (it != null && (latest == null || it.membership() > latest.membership())) {
        latest = it;
      }
    }
    return latest == null ? first : latest.nodeId();
  }

  /// What the members bring along of the quorum.
  List<QuorumState> quorumStates() {
    var states = new ArrayList<QuorumState>();
    var continued = continued();
    if (continued != null) {
      states.add(continued.quorum());
    }
    standings.values().forEach(it -> states.add(it.quorum()));
    return states;
  }

  /// Whose votes count, as far as any of them knows.
  Electorate electorate() {
    var known = new ArrayList<Electorate>();
    for (var standing : standings.values()) {
      known.add(Objects.requireNonNullElse(standing.electorate(), Electorate.ALL));
    }
    return Electorate.merged(known);
  }

  /// What a future member lacks of the continued membership.
  List<Ordered> tail(Address member) {
    var standing = standings.get(member);
    var continued = continued();
    return standing == null || continued == null || standing.number() != continued.number()
        ? List.of()
        : tail(standing.delivered());
  }

  private List<Ordered> tail(long after) {
    return tail().stream().filter(it -> it.sequence() > after).toList();
  }

  /// Messages that some member of the continued membership has delivered and another one may lack.
  List<Ordered> tail() {
    var continued = continued();
    var tail = new TreeMap<Long, Ordered>();
    for (var standing : standings.values()) {
      if (continued != null && standing.number() == continued.number()) {
        standing.tail().forEach(it -> tail.put(it.sequence(), it));
      }
    }
    told.forEach(it -> tail.put(it.sequence(), it));
    return List.copyOf(tail.values());
  }

  /// How long a node that is left out may still hold a lease.
  Duration hold() {
    return Duration.ofMillis(holders().values().stream().mapToLong(it -> it).max().orElse(0));
  }

  /// A process has ended meanwhile; those who answered before could not say so.
  void ended(Address peer) {
    endedSince.add(peer);
  }

  /// Who is left out and may still hold a lease, and for how many milliseconds. A process that is
  /// known to have ended holds none, nor does one whose node runs a new process by now.
  Map<Address, Long> holders() {
    var staying = new TreeSet<Address>();
    places().forEach(it -> staying.add(it.address()));
    var ended = new TreeSet<>(endedSince);
    standings.values().forEach(it -> ended.addAll(it.ended()));
    var holders = new LinkedHashMap<Address, Long>();
    for (var standing : standings.values()) {
      for (var one : standing.inclusions()) {
        var present = targets.get(one.nodeId());
        var restarted = present != null && !present.equals(one.address());
        if (!restarted && !staying.contains(one.address()) && !ended.contains(one.address())) {
          holders.merge(one.address(), one.leftMillis(), Math::max);
        }
      }
    }
    holders.values().removeIf(left -> left <= 0);
    return holders;
  }

  /// What future members have read anew.
  ///
  /// @param leaders what the leader counts by
  NewFiles newFiles(List<Place> places, NodeConfig leaders) {
    var members = new TreeMap<NodeId, Standing>();
    for (var place : places) {
      var standing = standings.get(place.address());
      if (standing != null) {
        members.put(place.nodeId(), standing);
      }
    }
    return NewFiles.of(members, places, number, leaders);
  }

  /// What every member has to know.
  ///
  /// @param adopted the file that comes in force, null if none does
  /// @param files what else waits to come in force, and for whom
  LinkPeerMessage.Install install(
      ViewId view,
      List<Place> places,
      QuorumState quorum,
      Electorate electorate,
      @Nullable NodeConfig adopted,
      NewFiles files) {
    var continued = continued();
    var groups = new TreeMap<NodeId, List<String>>();
    var configs = new TreeMap<NodeId, NodeConfig>();
    var token = Long.MAX_VALUE;
    for (var place : places) {
      var standing = standings.get(place.address());
      if (standing != null) {
        groups.put(place.nodeId(), standing.groups());
        var config = adopted == null ? standing.config() : adopted.of(standing.config().name());
        configs.put(place.nodeId(), config);
        token = Math.min(token, config.tokenMillis());
      }
    }
    return new LinkPeerMessage.Install(
        view,
        number,
        continued == null ? 0 : continued.number(),
        places,
        tail(),
        groups,
        configs,
        token,
        quorum,
        Levels.common(places.stream().map(it -> Levels.of(levels.get(it.address()))).toList())
            .newest(),
        adopted,
        electorate,
        adopted == null ? files.behind() : null,
        files.unread().isEmpty() ? null : files.unread());
  }
}
