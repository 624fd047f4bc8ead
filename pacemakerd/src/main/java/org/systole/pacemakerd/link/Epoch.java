package org.systole.pacemakerd.link;

import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.Member;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// A membership this link has installed.
///
/// @param named the members as daemons know them
/// @param level the level that all members speak
/// @param timing by the shortest token of any member: all of them count their leases by it
record Epoch(
    long number,
    Address leader,
    List<Place> members,
    QuorumState quorum,
    List<Member> named,
    int level,
    LinkTiming timing) {
  Epoch {
    members = List.copyOf(members);
    named = List.copyOf(named);
  }

  /// @param name a node's
  static Epoch of(LinkPeerMessage.Install it, Address leader, Function<NodeId, NodeName> name) {
    var named = new ArrayList<Member>();
    for (var place : it.members()) {
      named.add(new Member(place.nodeId(), name.apply(place.nodeId()), place.since()));
    }
    return new Epoch(
        it.number(),
        leader,
        it.members(),
        it.quorum(),
        named,
        it.level() == null ? Levels.UNTOLD.newest() : it.level(),
        LinkTiming.ofToken(it.tokenMillis()));
  }

  /// What is left to a node that was cut off from this one.
  Epoch alone(Address self, Member member, QuorumState initial, int level) {
    var place = new Place(member.id(), self, member.sinceNumber());
    return new Epoch(
        member.sinceNumber(), self, List.of(place), initial, List.of(member), level, timing);
  }

  Epoch with(QuorumState changed) {
    return new Epoch(number, leader, members, changed, named, level, timing);
  }

  @Nullable Place place(NodeId nodeId) {
    for (var member : members) { // asked for with each message
      if (member.nodeId().equals(nodeId)) {
        return member;
      }
    }
    return null;
  }

  boolean has(Address address) {
    for (var member : members) { // so is this
      if (member.address().equals(address)) {
        return true;
      }
    }
    return false;
  }

  /// What all others that are asked to be members next are known to have delivered of this one. Who
  /// is in it, but is not known to be, may have delivered nothing yet.
  ///
  /// @param told null if nothing is known
  long reachedByOthers(Address self, @Nullable List<LinkPeerMessage.Reached> told) {
    if (told == null) {
      return 0;
    }
    return told.stream()
        .filter(it -> has(it.address()) && !it.address().equals(self))
        .mapToLong(it -> it.number() == number ? it.delivered() : 0)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /// The processes whose stay goes on in the next membership.
  Set<Address> staying(List<Place> next) {
    return members.stream().filter(next::contains).map(Place::address).collect(toSet());
  }

  TreeSet<NodeId> nodeIds() {
    var ids = new TreeSet<NodeId>();
    members.forEach(it -> ids.add(it.nodeId()));
    return ids;
  }

  /// As the log tells of it.
  ///
  /// @param quorate whether this node has a share in the quorum already
  String text(boolean quorate) {
    return "Membership %s: %s, %s (%d of %d votes)"
        .formatted(
            MembershipNumber.text(number),
            String.join(" ", named.stream().map(it -> it.name().text()).toList()),
            quorate ? "with quorum" : "no quorum yet",
            quorum.totalVotes(),
            quorum.expectedVotes());
  }
}
