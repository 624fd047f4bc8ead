package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Where resources are and may be: questions about nodes that all passes ask.
public final class Places {
  private Places() {}

  /// Whether the node can run resources at all.
  public static boolean available(@Nullable Node node) {
    return node != null
        && node.online()
        && !node.shutdown()
        && !node.unclean()
        && !node.is(NodeFlag.STANDBY)
        && !node.maintenance()
        && !node.is(NodeFlag.HOST_FROZEN);
  }

  /// Whether the node can run resources and the resource's score does not ban it.
  public static boolean availableFor(@Nullable ScoredNode entry) {
    return entry != null && available(entry.node()) && entry.score() >= 0;
  }

  public static boolean anyAvailable(NodeTable nodes) {
    for (var entry : nodes) {
      if (availableFor(entry)) {
        return true;
      }
    }
    return false;
  }

  /// The one node a resource (or all its members together) is assigned to, null if none or several.
  public static @Nullable ScoredNode assigned(Resource rsc) {
    if (rsc.children().isEmpty()) {
      return rsc.assigned();
    }
    var found = allAssigned(rsc);
    return found.size() == 1 ? found.getFirst() : null;
  }

  public static List<ScoredNode> allAssigned(Resource rsc) {
    var found = new ArrayList<ScoredNode>();
    collectAssigned(rsc, found);
    return found;
  }

  private static void collectAssigned(Resource rsc, List<ScoredNode> found) {
    if (rsc.children().isEmpty()) {
      var assigned = rsc.assigned();
      if (assigned != null && found.stream().noneMatch(entry -> entry.node() == assigned.node())) {
        found.add(assigned);
      }
      return;
    }
    rsc.children().forEach(child -> collectAssigned(child, found));
  }

  public static @Nullable Node assignedNode(Resource rsc) {
    var assigned = assigned(rsc);
    return assigned == null ? null : assigned.node();
  }

  /// The one node a resource is active on, null if none or several.
  static @Nullable Node current(Resource rsc) {
    var found = rsc.nodes(Resource.Where.CURRENT);
    return found.size() == 1 ? found.getFirst() : null;
  }

  public static @Nullable Node at(Resource rsc, boolean current) {
    return current ? current(rsc) : assignedNode(rsc);
  }

  /// The entry of the parent's table (or the resource's own, without a parent).
  public static @Nullable ScoredNode topAllowed(Resource rsc, @Nullable Node node) {
    if (node == null) {
      return null;
    }
    return rsc.parent() == null ? rsc.allowed().get(node) : rsc.parent().allowed().get(node);
  }

  public static boolean isAnonymousClone(@Nullable Resource rsc) {
    return rsc instanceof Clone && !rsc.is(ResourceFlag.UNIQUE);
  }

  public static boolean isUniqueClone(@Nullable Resource rsc) {
    return rsc instanceof Clone && rsc.is(ResourceFlag.UNIQUE);
  }

  /// Whether the flag is set on the resource or any of its descendants.
  public static boolean anyHas(Resource rsc, ResourceFlag flag) {
    if (rsc.is(flag)) {
      return true;
    }
    for (var child : rsc.children()) {
      if (anyHas(child, flag)) {
        return true;
      }
    }
    return false;
  }

  /// The clone inside a resource's bundle, null outside of bundles.
  public static @Nullable Resource bundledClone(Resource rsc) {
    return rsc.top(true) instanceof Bundle bundle ? bundle.child() : null;
  }

  /// The instance inside a replica's container, null if the resource is no such container.
  public static @Nullable Resource insideContainer(Resource container) {
    if (container.top(true) instanceof Bundle bundle) {
      for (var replica : bundle.replicas()) {
        if (replica.container() == container) {
          return replica.child();
        }
      }
    }
    return null;
  }

  public static boolean sameText(@Nullable String a, @Nullable String b) {
    return a == null || b == null ? Objects.equals(a, b) : a.equalsIgnoreCase(b);
  }

  /// A node attribute, of the host of a guest if that is where the resource keeps its attributes.
  public static @Nullable String attribute(
      @Nullable Node node, String name, @Nullable String target, boolean current) {
    return node == null ? null : NodeAttributes.get(node, name, target, !current);
  }
}
