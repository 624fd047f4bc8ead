package org.systole.cibd;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Who is in the cluster, and what a quorum is.
final class Peers {
  private final Map<NodeId, LinkMessage.ConfiguredNode> configured = new LinkedHashMap<>();
  private int configuredVotes; // of all of them together
  private @Nullable NodeId localId; // null until the link was there for the first time
  private @Nullable Membership membership;
  private boolean quorumDue;
  private List<NodeId> group = List.of();
  private List<List<NodeId>> counted = List.of();
  private List<List<LinkMessage.ConfiguredNode>> coming = List.of();

  void joined(LinkMessage.Joined welcome) {
    localId = welcome.localId();
    configured(welcome.configured());
  }

  /// The node list, whose votes make a majority.
  void configured(List<LinkMessage.ConfiguredNode> nodes) {
    configured.clear();
    nodes.forEach(it -> configured.put(it.id(), it));
    configuredVotes = votes(configured.keySet());
  }

  void lost() {
    membership = null;
    group = List.of();
  }

  /// Told before each membership: whether its members are about to have quorum.
  void quorumDue(boolean now) {
    quorumDue = now;
  }

  /// Whether the members have no quorum, and are about to have it.
  boolean isQuorumDue() {
    return quorumDue && !isQuorate();
  }

  /// Told before each membership: with `last_man_standing`, those of each of which it takes most to have quorum.
  void counted(List<List<NodeId>> lists) {
    counted = lists;
  }

  /// Told before each membership: node lists that are to come in force, and by which others may count already.
  void coming(List<List<LinkMessage.ConfiguredNode>> lists) {
    coming = lists;
  }

  /// Whether a membership is another one than the present, of the same members.
  boolean isAnotherOfTheSame(Membership next) {
    return membership != null && membership.number() != next.number() && membership.members().equals(next.members());
  }

  void membership(Membership now) {
    membership = now;
  }

  void group(List<NodeId> now) {
    group = List.copyOf(now);
  }

  /// The number of the membership this node's present stay began with, 0 if there is none.
  long stay() {
    var members = membership;
    var self = members == null || localId == null ? null : members.byId(localId);
    return self == null ? 0 : self.sinceNumber();
  }

  /// 0 if there is none.
  long membershipNumber() {
    return membership == null ? 0 : membership.number();
  }

  /// Whether this node is the only member, and may not have been since its present stay began.
  boolean hasLost() {
    return isAlone() && membershipNumber() != stay();
  }

  /// Null until the link was there for the first time.
  @Nullable NodeId localId() {
    return localId;
  }

  boolean isLocal(@Nullable NodeId id) {
    return id != null && id.equals(localId);
  }

  /// For logs and error messages.
  String localName() {
    return localId == null ? "this node" : name(localId).text();
  }

  NodeName name(NodeId id) {
    var node = configured.get(id);
    return node == null ? new NodeName("node " + id) : node.name();
  }

  /// The members of the cluster, by their ids.
  List<NodeName> memberNames() {
    var members = membership;
    return members == null ? List.of() : members.members().stream().map(Member::name).toList();
  }

  /// The nodes with a CIB manager in the group.
  List<NodeId> group() {
    return group;
  }

  boolean isHere(@Nullable NodeId id) {
    return id != null && group.contains(id);
  }

  boolean isQuorate() {
    return membership != null && membership.quorate();
  }

  int votes(NodeId id) {
    var node = configured.get(id);
    return node == null ? 0 : node.votes();
  }

  int votes(Collection<NodeId> ids) {
    var sum = 0;
    for (var id : ids) {
      sum += votes(id);
    }
    return sum;
  }

  /// Whether two sides may have a quorum at the same time, as in a cluster of two nodes, where
  /// fencing settles which one goes on. Not where this one has more than half of the votes.
  boolean mayPart() {
    return configured.size() == 2
        && !(isAlone() && localId != null && votes(localId) >= majority());
  }

  /// Whether there are two nodes, and nothing of this one's CIB manager reaches the other one's.
  boolean isApart() {
    return otherOfTwo() != null && !isHere(otherOfTwo());
  }

  /// Whether this node is the only member.
  boolean isAlone() {
    return membership != null && membership.members().size() == 1;
  }

  /// The other one of two nodes; null if there are not two, or this one is not known.
  @Nullable NodeId otherOfTwo() {
    return configured.size() != 2
        ? null
        : configured.keySet().stream().filter(it -> !isLocal(it)).findFirst().orElse(null);
  }

  /// What the other one of two nodes is called in logs.
  String otherName() {
    var other = otherOfTwo();
    return other == null ? "the other node" : name(other).text();
  }

  /// More than half of all votes that are configured.
  int majority() {
    return configuredVotes / 2 + 1;
  }

  /// Whether a change that these hold is committed: they have the votes needed. With `last_man_standing` they also have most of those who
  /// count, or all of them that are there: these may go on without the others, who may be more, and are back but do not count yet.
  /// So with those of a node list that is to come: once it is in force, nodes that it adds may go on with others than these.
  boolean areEnough(Collection<NodeId> ids) {
    return votes(ids) >= votesNeeded()
        && (!isQuorate()
            || counted.stream().allMatch(it -> haveMost(ids, it)) && coming.stream().allMatch(it -> haveMostToCome(ids, it)));
  }

  private boolean haveMostToCome(Collection<NodeId> ids, List<LinkMessage.ConfiguredNode> of) {
    var votes = new TreeMap<NodeId, Integer>();
    of.forEach(it -> votes.put(it.id(), it.votes()));
    return haveMost(ids, votes);
  }

  private boolean haveMost(Collection<NodeId> ids, List<NodeId> of) {
    var votes = new TreeMap<NodeId, Integer>();
    of.forEach(it -> votes.put(it, configured.containsKey(it) ? votes(it) : 1)); // one that the list has no more may count all the same
    return haveMost(ids, votes);
  }

  /// Whether these have most of the votes, or all that are there.
  private boolean haveMost(Collection<NodeId> ids, Map<NodeId, Integer> votes) {
    var total = 0;
    var present = 0;
    var held = 0;
    for (var of : votes.entrySet()) {
      total += of.getValue();
      present += membership != null && membership.byId(of.getKey()) != null ? of.getValue() : 0;
      held += ids.contains(of.getKey()) ? of.getValue() : 0;
    }
    return held >= Math.min(total / 2 + 1, present);
  }

  /// The votes that must hold a change before it is committed. A majority of all that are
  /// configured; where the quorum options let fewer nodes act, all that are there. Without quorum,
  /// all that are there too.
  private int votesNeeded() {
    var majority = majority();
    var members = membership;
    if (members == null) {
      return majority;
    }
    var present = 0;
    for (var member : members.members()) {
      present += votes(member.id());
    }
    return members.quorate() ? Math.min(majority, present) : votes(group);
  }
}
