package org.systole.controld;

import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.transition.GraphAction;
import org.systole.common.xml.Element;

/// Which members a side with quorum has let in, since they came.
///
/// A side without quorum may, where the policy is to freeze, move what already runs in it. That is
/// safe as long as those with the quorum fence the nodes they have lost before they take over. But
/// a node that was fenced or stopped, came back and has met only a side without quorum is down and
/// clean for them: they have no reason to fence it. So nothing is brought onto such a node before
/// it was let in with quorum. The scheduler cannot tell it from the others; the DC holds back what
/// it plans there.
///
/// The knowledge belongs to a stay in the membership. Each node has it of itself and tells it when
/// it joins, for its DC may be another one by then.
final class Admissions {
  private final Controller controller;
  private final TreeSet<Integer> admitted = new TreeSet<>();

  Admissions(Controller controller) {
    this.controller = controller;
  }

  /// Looks, after a change of the CIB, for whom it calls a member now.
  void observe(Element cib) {
    var status = cib.first("status");
    if (!controller.quorate() || status == null) {
      return;
    }
    for (var node : joined()) {
      if (!admitted.contains(node) && isMember(status.first("node_state", String.valueOf(node)))) {
        admitted.add(node);
      }
    }
  }

  /// Those of whom this node knows that they have joined the DC there is now.
  private List<Integer> joined() {
    if (controller.isDc()) {
      return controller.governor().joined();
    }
    return controller.state() == State.NOT_DC ? List.of(self()) : List.of();
  }

  private int self() {
    return Integer.parseInt(controller.nodeId());
  }

  private static boolean isMember(@Nullable Element state) {
    return state != null
        && "member".equals(state.get("join"))
        && "member".equals(state.get("expected"))
        && !"0".equals(state.get("in_ccm", "0"))
        && !"0".equals(state.get("crmd", "0"));
  }

  /// A node said so of itself.
  void told(int node) {
    admitted.add(node);
  }

  void left(int node) {
    admitted.remove(node);
  }

  boolean has(int node) {
    return admitted.contains(node);
  }

  boolean hasSelf() {
    return !controller.nodeId().isEmpty() && has(self());
  }

  /// Why an action must not be begun now, null if it may.
  @Nullable String objection(GraphAction action) {
    if (controller.quorate() || !controller.options().freezes()) {
      return null;
    }
    var target = target(action);
    var node = target == null ? null : controller.book().id(target);
    if (node == null || has(node) || needsNoQuorum(action)) {
      return null;
    }
    return target + " has not been let in by a side with quorum since it came";
  }

  /// The node on which the action makes a resource active, or more than it was.
  private static @Nullable String target(GraphAction action) {
    if (action.kind() != GraphAction.Kind.RESOURCE) {
      return null;
    }
    return switch (action.task()) {
      case START, PROMOTE, MIGRATE_FROM -> action.executor();
      case MIGRATE_TO -> action.meta("migrate_target");
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
    var cib = controller.cib().cib();
    var resources = cib == null ? null : cib.path("configuration", "resources");
    return resources != null && isExempt(resources, action.resource());
  }

  /// Whether the resource, or what it is part of, has the meta attribute `requires=nothing`.
  private static boolean isExempt(Element within, String resource) {
    for (var child : within.children()) {
      if (resource.equals(child.id())
          || child.find(it -> it.is("primitive") && resource.equals(it.id())) != null) {
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
