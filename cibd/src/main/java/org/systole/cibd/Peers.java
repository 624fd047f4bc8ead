package org.systole.cibd;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;

/// Who is in the cluster, and what a quorum is.
final class Peers {
  private final Map<Integer, LinkMessage.ConfiguredNode> configured = new LinkedHashMap<>();
  private int localId;
  private String localName = "";
  private @Nullable Membership membership;
  private List<Integer> group = List.of();

  void joined(LinkMessage.Joined welcome) {
    localId = welcome.localId();
    localName = welcome.localName();
    configured.clear();
    for (var node : welcome.configured()) {
      configured.put(node.id(), node);
    }
  }

  void lost() {
    membership = null;
    group = List.of();
  }

  void membership(Membership now) {
    membership = now;
  }

  void group(List<Integer> now) {
    group = List.copyOf(now);
  }

  /// The number of the membership this node's present stay began with, 0 if there is none.
  long stay() {
    var members = membership;
    var self = members == null ? null : members.byId(localId);
    return self == null ? 0 : self.sinceNumber();
  }

  int localId() {
    return localId;
  }

  String localName() {
    return localName;
  }

  String name(int id) {
    var node = configured.get(id);
    return node == null ? "node " + id : node.name();
  }

  /// The nodes with a CIB manager in the group.
  List<Integer> group() {
    return group;
  }

  boolean isHere(int id) {
    return group.contains(id);
  }

  boolean isQuorate() {
    return membership != null && membership.quorate();
  }

  int votes(int id) {
    var node = configured.get(id);
    return node == null ? 0 : node.votes();
  }

  int votes(Collection<Integer> ids) {
    var sum = 0;
    for (var id : ids) {
      sum += votes((int) id);
    }
    return sum;
  }

  /// Whether each of two sides may have a quorum at the same time: two nodes settle by fencing who
  /// goes on.
  boolean mayPart() {
    return configured.size() == 2;
  }

  /// More than half of all votes that are configured.
  int majority() {
    return votes(configured.keySet()) / 2 + 1;
  }

  /// The votes that must hold a change before it counts as safe. A majority of all that are
  /// configured; where the quorum options let fewer nodes act, all that are there. Without quorum,
  /// all that are there too.
  int votesNeeded() {
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
