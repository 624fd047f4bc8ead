package org.systole.attrd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// The other attribute managers: which are present, which have sent what they know, and which one
/// is the writer.
final class AttrPeers {
  private final AttributeTable table;
  private final Map<NodeId, NodeName> names = new LinkedHashMap<>();
  private final Map<NodeId, Member> members = new LinkedHashMap<>();
  private final Map<NodeId, Long> known = new LinkedHashMap<>();
  private final Set<NodeId> group = new TreeSet<>();
  private final Set<NodeId> awaited = new TreeSet<>();
  private final Set<NodeId> newcomers = new TreeSet<>();
  private @Nullable NodeId localId; // null until the link was there for the first time
  private @Nullable NodeName localName;
  private boolean fresh = true;
  private boolean informed;

  AttrPeers(AttributeTable table) {
    this.table = table;
  }

  void joined(LinkMessage.Joined welcome) {
    localId = welcome.localId();
    localName = welcome.localName();
    configured(welcome.configured());
  }

  void configured(List<LinkMessage.ConfiguredNode> nodes) {
    names.clear();
    nodes.forEach(it -> names.put(it.id(), it.name()));
  }

  boolean isLocal(NodeId id) {
    return id.equals(localId);
  }

  /// Whether the sender knew of this node when it spoke.
  boolean isForThis(AttrPeerMessage.Tell told) {
    return localId != null && told.isFor(localId);
  }

  /// Null until the link was there for the first time.
  @Nullable NodeName localName() {
    return localName;
  }

  NodeName nameOf(NodeId id) {
    var name = names.get(id);
    return name == null ? new NodeName("node " + id) : name;
  }

  /// A cluster node's id in the CIB, null if no such node is configured.
  @Nullable CibNodeId cibIdOf(NodeName name) {
    for (var it : names.entrySet()) {
      if (it.getValue().equalsIgnoreCase(name)) {
        return CibNodeId.of(it.getKey());
      }
    }
    return null;
  }

  Set<NodeId> present() {
    return group;
  }

  /// The link is lost, so every peer counts as gone.
  void lost() {
    group.clear();
    known.clear();
    awaited.clear();
    newcomers.clear();
  }

  /// Takes over a membership; returns the names of nodes whose stay ended with it.
  List<NodeName> membership(Membership membership) {
    var gone = new ArrayList<NodeName>();
    for (var was : members.values()) {
      var now = membership.byId(was.id());
      if (now == null || now.sinceNumber() != was.sinceNumber()) {
        gone.add(was.name());
      }
    }
    members.clear();
    membership.members().forEach(it -> members.put(it.id(), it));
    membership.members().forEach(it -> names.put(it.id(), it.name()));
    return gone;
  }

  /// Takes over the members of the group; returns whether one of them is new.
  boolean group(Collection<NodeId> nodeIds) {
    var now = new TreeSet<>(nodeIds);
    now.retainAll(members.keySet());
    newcomers.clear();
    for (var id : now) {
      var since = since(id);
      var before = known.put(id, since);
      if (before == null || before != since || !group.contains(id)) {
        newcomers.add(id);
      }
    }
    group.clear();
    group.addAll(now);
    known.keySet().retainAll(group);
    awaited.retainAll(group);
    awaited.addAll(newcomers);
    awaited.removeIf(this::isLocal);
    if (newcomers.stream().anyMatch(this::isLocal)) {
      awaited.addAll(group);
      awaited.removeIf(this::isLocal);
    }
    if (awaited.isEmpty() && isInGroup()) {
      fresh = false;
    }
    return !newcomers.isEmpty();
  }

  /// A peer has sent what it knows.
  ///
  /// @param ownFresh it has just started and does not know its node's values
  void told(NodeId id, boolean ownFresh) {
    awaited.remove(id);
    informed |= !isLocal(id) && !ownFresh;
    if (awaited.isEmpty()) {
      fresh = false;
    }
  }

  /// Whether no present peer knows what earlier managers knew, so that only the CIB can tell.
  boolean mustRecall() {
    return !informed && awaited.isEmpty() && isInGroup();
  }

  /// Whether this manager was just started, and others, or the CIB, know what it does not know yet.
  boolean isCatchingUp() {
    return fresh || mustRecall();
  }

  private boolean isInGroup() {
    return group.stream().anyMatch(this::isLocal);
  }

  /// The members of the cluster: names by ids.
  Map<NodeId, NodeName> memberNames() {
    var found = new LinkedHashMap<NodeId, NodeName>();
    members.keySet().forEach(it -> found.put(it, nameOf(it)));
    return found;
  }

  void recalled() {
    informed = true;
  }

  /// What this node has to send to the peers that came.
  AttrPeerMessage.Tell introduction() {
    return introduction(group);
  }

  private AttrPeerMessage.Tell introduction(Collection<NodeId> listeners) {
    return new AttrPeerMessage.Tell(
        fresh, table.valuesOf(this::isOwnName), forOthers(), List.copyOf(listeners));
  }

  /// What this node has to say once more, to those to whom it has said it before; null if nobody of
  /// them is left. Others do not expect it: they could not tell which of their changes it knows.
  AttrPeerMessage.@Nullable Tell again(AttrPeerMessage.Tell told) {
    var listeners = group.stream().filter(told::isFor).toList();
    return listeners.stream().allMatch(this::isLocal) ? null : introduction(listeners);
  }

  private boolean isNamed(NodeId id, NodeName name) {
    return nameOf(id).equalsIgnoreCase(name);
  }

  private boolean isOwnName(NodeName name) {
    return localName != null && localName.equalsIgnoreCase(name);
  }

  private List<AttrPeerMessage.Value> forOthers() {
    if (fresh || !isFirst(group.stream().filter(it -> !newcomers.contains(it)).toList())) {
      return List.of();
    }
    // Each value once: the limit of the table is that of this message.
    var found = new ArrayList<AttrPeerMessage.Value>();
    for (var it : table.remoteValues()) {
      if (!isOwnName(it.node()) && newcomers.stream().noneMatch(id -> isNamed(id, it.node()))) {
        found.add(it);
      }
    }
    for (var id : newcomers) {
      found.addAll(table.valuesOf(nameOf(id)::equalsIgnoreCase));
    }
    return found;
  }

  /// Whether this node writes to the CIB.
  boolean isWriter() {
    return !fresh && !mustRecall() && isFirst(group);
  }

  /// The node whose manager writes to the CIB; null while this one does not know what the others know.
  @Nullable NodeName writer() {
    var first = fresh || mustRecall() ? null : first(group);
    return first == null ? null : nameOf(first);
  }

  private boolean isFirst(Iterable<NodeId> ids) {
    var first = first(ids);
    return first != null && isLocal(first);
  }

  private @Nullable NodeId first(Iterable<NodeId> ids) {
    @Nullable NodeId first = null;
    for (var id : ids) {
      if (first == null || since(id) < since(first)) {
        first = id;
      }
    }
    return first;
  }

  private long since(NodeId id) {
    var member = members.get(id);
    return member == null ? Long.MAX_VALUE : member.sinceNumber();
  }

  /// The nodes whose attributes a new writer replaces in the CIB: all that are configured.
  List<NodeName> writerMustClean() {
    return List.copyOf(names.values());
  }
}
