package org.systole.fenced;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.cluster.Stays;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// The nodes by name, and since when each is or was a member.
///
/// A target that is not a cluster node, such as one that only a device knows, has no stays; what is
/// done to it always counts.
final class Targets {
  private final Map<NodeId, NodeName> names = new TreeMap<>();
  private final Stays stays = new Stays();

  void joined(LinkMessage.Joined welcome) {
    stays.lost();
    stays.localNode(welcome.localId());
    configured(welcome.configured());
  }

  /// A node that is not listed any more is forgotten once it is no member.
  void configured(List<LinkMessage.ConfiguredNode> nodes) {
    names.keySet().removeIf(it -> !stays.isPresent(it));
    nodes.forEach(node -> names.put(node.id(), node.name()));
  }

  void membership(Membership membership) {
    membership.members().forEach(member -> names.put(member.id(), member.name()));
    stays.membership(membership);
  }

  void lost() {
    stays.lost();
  }

  /// Its id in digits if its name is not known.
  NodeName nameOf(NodeId nodeId) {
    var name = names.get(nodeId);
    return name == null ? new NodeName(nodeId.toString()) : name;
  }

  /// A node's name from its name or its id in digits.
  NodeName resolve(NodeName target) {
    for (var node : names.entrySet()) {
      if (node.getKey().toString().equals(target.text())
          || node.getValue().equalsIgnoreCase(target)) {
        return node.getValue();
      }
    }
    return target;
  }

  /// The number of the present membership.
  long number() {
    return stays.number();
  }

  /// See [Stays#first].
  long first() {
    return stays.first();
  }

  /// See [Stays#of].
  long stay(NodeName target) {
    var id = id(target);
    return id == null ? 0 : stays.of(id);
  }

  boolean isMember(NodeName target) {
    var id = id(target);
    return id != null && stays.isPresent(id);
  }

  /// Whether the target is a member and has become one after that membership.
  boolean isBackSince(NodeName target, long membership) {
    var id = id(target);
    return id != null && stays.isBackSince(id, membership);
  }

  /// Null if no node that is known has that name.
  @Nullable NodeId id(NodeName target) {
    for (var node : names.entrySet()) {
      if (node.getValue().equalsIgnoreCase(target)) {
        return node.getKey();
      }
    }
    return null;
  }
}
