package org.systole.controld.dc;

import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// Which members have been let in by a side with quorum during their present stay.
///
/// A side without quorum may, where the policy is to freeze, move what already runs in it. That is
/// safe as long as those with the quorum fence the nodes they have lost before they take over. But
/// a node that was fenced or stopped, came back and has met only a side without quorum is down and
/// clean for them: they have no reason to fence it. So nothing is brought onto such a node before
/// it was let in with quorum. The scheduler cannot tell it from the others; the DC holds back what
/// it plans there.
///
/// An admission holds for one stay in the membership. Each node keeps its own and reports it when
/// it joins, because there may be another DC by then.
public final class Admissions {
  /// What admissions need of the controller.
  public interface Host {
    boolean quorate();

    /// Whether a side without quorum may move what runs in it.
    boolean freezes();

    /// The nodes that have joined the present DC, as far as this node knows.
    List<NodeId> joined();

    @Nullable Element cib();
  }

  private final Host host;
  private final NodeId self;
  private final NodeBook book;
  private final TreeSet<NodeId> admitted = new TreeSet<>();

  public Admissions(Host host, NodeId self, NodeBook book) {
    this.host = host;
    this.self = self;
    this.book = book;
  }

  /// Notes, after a change of the CIB, which nodes it calls members now.
  public void observe(Element cib) {
    var status = cib.first("status");
    if (!host.quorate() || status == null) {
      return;
    }
    for (var node : host.joined()) {
      if (!admitted.contains(node) && isMember(status.first("node_state", String.valueOf(node)))) {
        admitted.add(node);
      }
    }
  }

  private static boolean isMember(@Nullable Element state) {
    return state != null
        && "member".equals(state.get("join"))
        && "member".equals(state.get("expected"))
        && !"0".equals(state.get("in_ccm", "0"))
        && !"0".equals(state.get("crmd", "0"));
  }

  /// A node has reported that it was let in.
  public void told(NodeId node) {
    admitted.add(node);
  }

  void left(NodeId node) {
    admitted.remove(node);
  }

  public boolean has(NodeId node) {
    return admitted.contains(node);
  }

  boolean hasSelf() {
    return has(self);
  }

  /// Why an action must not be begun now, null if it may.
  public @Nullable String objection(GraphAction action) {
    if (host.quorate() || !host.freezes()) {
      return null;
    }
    var target = target(action);
    var node = target == null ? null : book.id(target);
    if (node == null || has(node) || needsNoQuorum(action)) {
      return null;
    }
    return target + " has not been let in by a side with quorum since it came";
  }

  /// The node on which the action makes a resource active, or promotes it.
  private static @Nullable NodeName target(GraphAction action) {
    if (action.kind() != GraphAction.Kind.RESOURCE) {
      return null;
    }
    return switch (action.task()) {
      case START, PROMOTE, MIGRATE_FROM -> action.executor();
      case MIGRATE_TO -> NodeName.of(action.meta("migrate_target"));
      case null, default -> null;
    };
  }

  /// A fence device holds nothing that another node could hold too; of other resources the
  /// administrator says so.
  private boolean needsNoQuorum(GraphAction action) {
    var primitive = action.primitive();
    if (primitive != null && AgentName.of(primitive).isFenceAgent()) {
      return true;
    }
    var cib = host.cib();
    var resources = cib == null ? null : cib.path("configuration", "resources");
    var resource = action.resource();
    return resources != null && resource != null && isExempt(resources, resource);
  }

  /// Whether the resource, or what it is part of, has the meta attribute `requires=nothing`.
  private static boolean isExempt(Element within, ResourceId resource) {
    for (var child : within.children()) {
      if (resource.text().equals(child.id())
          || child.find(it -> it.is("primitive") && resource.text().equals(it.id())) != null) {
        return requiresNothing(child) || isExempt(child, resource);
      }
    }
    return false;
  }

  private static boolean requiresNothing(Element resource) {
    return resource.children("meta_attributes").stream()
        .flatMap(it -> it.children("nvpair").stream())
        .anyMatch(it -> "requires".equals(it.get("name")) && "nothing".equals(it.get("value")));
  }
}
