package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoredNode;

/// Colocations whose primary is a clone or a bundle.
public final class InstanceColocations {
  private InstanceColocations() {}

  static int toClone(Resource dependent, Clone primary, Colocation colocation) {
    if (primary.is(ResourceFlag.UNASSIGNED)) {
      return 0;
    }
    if (primary.is(ResourceFlag.PROMOTABLE) && colocation.primaryRole() != Role.UNKNOWN) {
      if (dependent.is(ResourceFlag.UNASSIGNED)) {
        Promotion.placeByRole(primary, dependent, colocation);
        return 0;
      }
      if (colocation.dependentRole() == Role.PROMOTED) {
        return Promotion.prioritizeByRole(primary, dependent, colocation);
      }
    }
    if (canInterleave(colocation)) {
      return interleaved(
          dependent,
          primary,
          compatible(dependent, primary, Role.UNKNOWN, false, null),
          colocation,
          "%s cannot run because it cannot interleave with any instance of %s");
    }
    if (colocation.score() >= Score.INFINITY) {
      var nodes = new ArrayList<ScoredNode>();
      for (var instance : primary.children()) {
        var chosen = Places.assigned(instance);
        if (chosen != null && !Places.anyHas(instance, ResourceFlag.BLOCKED)) {
          nodes.add(chosen);
        }
      }
      ColocationScores.restrict(dependent, nodes, colocation, false);
      return 0;
    }
    var delta = 0;
    for (var instance : primary.children()) {
      delta = Score.add(delta, ColocationScores.toInstance(dependent, instance, colocation));
    }
    return delta;
  }

  private static int interleaved(
      Resource dependent,
      Resource primary,
      @Nullable Resource match,
      Colocation colocation,
      String failure) {
    if (match != null) {
      return ColocationScores.apply(dependent, match, colocation);
    }
    if (colocation.score() >= Score.INFINITY) {
      dependent.cluster().notice(failure.formatted(dependent.id(), primary.id()));
      Assignment.place(dependent, null, true, true);
    }
    return 0;
  }

  private static boolean canInterleave(Colocation colocation) {
    var dependent = colocation.dependent();
    var primary = colocation.primary();
    if (!isCollective(dependent) || !Bool.isTrue(dependent.meta().get("interleave"))) {
      return false;
    }
    if (dependent.maxPerNode() != primary.maxPerNode()) {
      dependent
          .cluster()
          .configError(
              ("Cannot interleave %s and %s because they do not support the same number of"
                   + " instances per node")
                  .formatted(dependent.id(), primary.id()));
      return false;
    }
    return true;
  }

  public static boolean isCollective(Resource rsc) {
    return switch (rsc) {
      case Clone _, Bundle _ -> true;
      case Primitive _, Group _ -> false;
    };
  }

  static int toBundle(Resource dependent, Bundle primary, Colocation colocation) {
    if (primary.is(ResourceFlag.UNASSIGNED)) {
      return 0;
    }
    if (isCollective(colocation.dependent())) {
      return interleaved(
          dependent,
          primary,
          compatibleContainer(dependent, primary),
          colocation,
          "%s cannot run because there is no compatible instance of %s to colocate with");
    }
    var delta = 0;
    var hosts = new ArrayList<ScoredNode>();
    for (var replica : primary.replicas()) {
      var container = replica.container();
      if (colocation.score() < Score.INFINITY) {
        delta = Score.add(delta, ColocationScores.toInstance(dependent, container, colocation));
        continue;
      }
      var chosen = Places.assigned(container);
      if (chosen == null || Places.anyHas(container, ResourceFlag.BLOCKED)) {
        continue;
      }
      var promotedInside =
          replica.child() != null && replica.child().nextRole().compareTo(Role.PROMOTED) >= 0;
      if (colocation.primaryRole().compareTo(Role.PROMOTED) < 0 || promotedInside) {
        hosts.add(chosen);
      }
    }
    if (colocation.score() >= Score.INFINITY) {
      ColocationScores.restrict(dependent, hosts, colocation, false);
    }
    return delta;
  }

  // For what is inside a bundle the container's host counts, not the node the container makes.
  private static @Nullable Node host(@Nullable Node node) {
    if (node != null
        && node.isBundleNode()
        && node.remote() != null
        && node.remote().launcher() != null) {
      return Places.assignedNode(node.remote().launcher());
    }
    return node;
  }

  private static @Nullable Resource compatibleContainer(Resource dependent, Bundle bundle) {
    var node = host(Places.assignedNode(dependent));
    if (node != null) {
      return containerOn(bundle, node);
    }
    for (var entry : NodeRanking.sorted(dependent.cluster(), dependent.allowed(), null)) {
      var allowed = host(entry.node());
      var found = allowed == null ? null : containerOn(bundle, allowed);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable Resource containerOn(Bundle bundle, Node node) {
    for (var replica : bundle.replicas()) {
      if (matches(replica.container(), node, Role.UNKNOWN, false, null)) {
        return replica.container();
      }
    }
    return null;
  }

  /// The instance of a collective that belongs to a resource: on its node, or one it may go to.
  ///
  /// @param current go by where they are instead of where they will be
  /// @param attribute the attribute that must be the same, null for the same node
  public static @Nullable Resource compatible(
      Resource match, Resource collective, Role role, boolean current, @Nullable String attribute) {
    var node = Places.at(match, current);
    if (node != null) {
      return instanceOn(collective, node, role, current, attribute);
    }
    for (var entry : NodeRanking.sorted(match.cluster(), match.allowed(), null)) {
      var found = instanceOn(collective, entry.node(), role, current, attribute);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable Resource instanceOn(
      Resource collective, Node node, Role role, boolean current, @Nullable String attribute) {
    for (var instance : instances(collective)) {
      if (matches(instance, node, role, current, attribute)) {
        return instance;
      }
    }
    return null;
  }

  /// Instances of a clone, or the containers of a bundle.
  public static List<Resource> instances(Resource collective) {
    return collective instanceof Bundle bundle
        ? Assignment.containers(bundle)
        : collective.children();
  }

  private static boolean matches(
      Resource instance, Node node, Role role, boolean current, @Nullable String attribute) {
    if (role != Role.UNKNOWN && role != instance.role(current)
        || Places.anyHas(instance, ResourceFlag.BLOCKED)) {
      return false;
    }
    var place = Places.at(instance, current);
    if (place == null) {
      return false;
    }
    return attribute == null
        ? place == node
        : Colocations.sameValue(place, instance, node, instance, attribute);
  }
}
