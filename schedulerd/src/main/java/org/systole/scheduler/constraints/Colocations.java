package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;

/// Creates colocations, and finds those that matter for a resource.
public final class Colocations {
  public static final String BY_NODE = "#uname";

  private Colocations() {}

  /// What a colocation has a say in.
  public enum Affects {
    NOTHING,
    LOCATION,
    ROLE
  }

  /// "Dependent with primary"; no effect with score 0.
  static void add(Colocation colocation) {
    if (colocation.score() == 0) {
      return;
    }
    var dependent = colocation.dependent();
    var primary = colocation.primary();
    insert(dependent.thisWith(), colocation, BY_PRIMARY);
    insert(primary.withThis(), colocation, BY_DEPENDENT);
    dependent.cluster().colocations().add(colocation);
    if (colocation.score() <= -Score.INFINITY) {
      separate(dependent, colocation.dependentRole(), primary, colocation.primaryRole());
      separate(primary, colocation.primaryRole(), dependent, colocation.dependentRole());
    }
  }

  /// An implied colocation on the same node, whatever the roles.
  public static void addInternal(
      String id, int score, Resource dependent, Resource primary, boolean influence) {
    add(
        new Colocation(
            id, BY_NODE, dependent, primary, Role.UNKNOWN, Role.UNKNOWN, score, false, influence));
  }

  // Of two that must not be together, one leaves a node before the other comes.
  private static void separate(Resource first, Role firstRole, Resource then, Role thenRole) {
    var firstTasks = new ArrayList<String>();
    if (firstRole == Role.PROMOTED) {
      firstTasks.add(TaskName.DEMOTE);
    } else {
      firstTasks.add(TaskName.STOP);
      if (firstRole == Role.UNPROMOTED) {
        firstTasks.add(TaskName.PROMOTE);
      }
    }
    var thenTasks = new ArrayList<String>();
    if (thenRole == Role.PROMOTED) {
      thenTasks.add(TaskName.PROMOTE);
    } else {
      thenTasks.add(TaskName.START);
      if (thenRole == Role.UNPROMOTED) {
        thenTasks.add(TaskName.DEMOTE);
      }
    }
    for (var firstTask : firstTasks) {
      for (var thenTask : thenTasks) {
        Orderings.between(first, firstTask, then, thenTask, Relation.IF_REQUIRED_ON_SAME_NODE);
      }
    }
  }

  private static final Comparator<Resource> BY_WEIGHT =
      Comparator.comparingInt((Resource rsc) -> rsc.priority())
          .thenComparingInt(Colocations::variant)
          .thenComparing(rsc -> rsc instanceof Clone && rsc.is(ResourceFlag.PROMOTABLE))
          .reversed()
          .thenComparing(rsc -> rsc.id());

  private static final Comparator<Colocation> BY_PRIMARY =
      Comparator.comparing(Colocation::primary, BY_WEIGHT);
  private static final Comparator<Colocation> BY_DEPENDENT =
      Comparator.comparing(Colocation::dependent, BY_WEIGHT);

  static int variant(Resource rsc) {
    return switch (rsc) {
      case Primitive _ -> 0;
      case Group _ -> 1;
      case Clone _ -> 2;
      case Bundle _ -> 3;
    };
  }

  // A newer one comes before those it compares equal to.
  private static void insert(
      List<Colocation> list, Colocation colocation, Comparator<Colocation> order) {
    var at = 0;
    while (at < list.size() && order.compare(colocation, list.get(at)) > 0) {
      at++;
    }
    list.add(at, colocation);
  }

  // Into a list that is not empty, the first of those to add goes as many times as there are: known
  // placements depend on the weight this gives to it.
  private static void insertAll(
      List<Colocation> list, List<Colocation> more, Comparator<Colocation> order) {
    if (list.isEmpty()) {
      list.addAll(more);
      return;
    }
    for (var times = more.size(); times > 0; times--) {
      insert(list, more.getFirst(), order);
    }
  }

  /// Which of the two ends of a colocation is looked at.
  private enum Side {
    THIS_WITH(BY_PRIMARY) {
      @Override
      List<Colocation> of(Resource rsc) {
        return rsc.thisWith();
      }
    },
    WITH_THIS(BY_DEPENDENT) {
      @Override
      List<Colocation> of(Resource rsc) {
        return rsc.withThis();
      }
    };

    private final Comparator<Colocation> order;

    Side(Comparator<Colocation> order) {
      this.order = order;
    }

    abstract List<Colocation> of(Resource rsc);
  }

  /// Colocations with the resource as dependent, its ancestors' where they matter to it.
  public static List<Colocation> thisWith(Resource rsc) {
    var found = new ArrayList<Colocation>();
    collect(Side.THIS_WITH, rsc, rsc, found);
    return found;
  }

  /// Colocations with the resource as primary, its ancestors' where they matter to it.
  public static List<Colocation> withThis(Resource rsc) {
    var found = new ArrayList<Colocation>();
    collect(Side.WITH_THIS, rsc, rsc, found);
    return found;
  }

  private static void collect(Side side, Resource rsc, Resource origin, List<Colocation> found) {
    switch (rsc) {
      case Primitive primitive -> collectPrimitive(side, primitive, origin, found);
      case Group group -> collectGroup(side, group, origin, found);
      case Clone clone -> {
        insertAll(found, side.of(clone), side.order);
        collectParent(side, clone, origin, found);
      }
      case Bundle bundle -> collectBundle(side, bundle, origin, found);
    }
  }

  private static void collectParent(
      Side side, Resource rsc, Resource origin, List<Colocation> found) {
    if (rsc.parent() != null) {
      collect(side, rsc.parent(), origin, found);
    }
  }

  private static void collectPrimitive(
      Side side, Primitive rsc, Resource origin, List<Colocation> found) {
    if (rsc == origin) {
      insertAll(found, side.of(rsc), side.order);
      collectParent(side, rsc, origin, found);
      return;
    }
    for (var colocation : side.of(rsc)) {
      if (colocation.explicit()) {
        insert(found, colocation, side.order);
      }
    }
  }

  private static void collectGroup(
      Side side, Group group, Resource origin, List<Colocation> found) {
    if (group.children().isEmpty()) {
      return;
    }
    // The chain inside the group carries them on from the member at its end.
    var end = side == Side.THIS_WITH ? group.children().getFirst() : group.children().getLast();
    if (origin != group && origin != end) {
      if (side == Side.THIS_WITH) {
        collectPastUnmanaged(group, origin, found);
      }
      return;
    }
    insertAll(found, side.of(group), side.order);
    collectParent(side, group, origin, found);
    if (group.colocated()) {
      for (var member : group.children()) {
        if (member != origin) {
          collect(side, member, origin, found);
        }
      }
    }
  }

  // An unmanaged earlier member breaks the chain, so the group's mandatory colocations are added.
  private static void collectPastUnmanaged(Group group, Resource origin, List<Colocation> found) {
    for (var member : group.children()) {
      if (member == origin) {
        return;
      }
      if (!member.is(ResourceFlag.MANAGED)) {
        for (var colocation : group.thisWith()) {
          if (colocation.score() == Score.INFINITY) {
            insert(found, colocation, BY_PRIMARY);
          }
        }
        return;
      }
    }
  }

  private static void collectBundle(
      Side side, Bundle bundle, Resource origin, List<Colocation> found) {
    if (origin == bundle || origin.is(ResourceFlag.REPLICA_CONTAINER)) {
      insertAll(found, side.of(bundle), side.order);
      return;
    }
    var child = bundle.child();
    if (child == null || !child.is(ResourceFlag.PROMOTABLE) || origin.top(false) != child) {
      return;
    }
    // What is bundled gets them only once roles are chosen.
    var choosing =
        origin == child ? child.promotionConstrained() : !origin.is(ResourceFlag.UNASSIGNED);
    if (choosing) {
      insertAll(found, side.of(bundle), side.order);
    }
  }

  /// Whether the dependent's preferences move the primary (or this one of its instances).
  public static boolean hasInfluence(Colocation colocation, @Nullable Resource instance) {
    var rsc = instance == null ? colocation.primary() : instance;
    // An active, healthy container is not moved for the sake of its connection.
    if (colocation.dependent().is(ResourceFlag.REMOTE_NESTING_ALLOWED)
        && !rsc.is(ResourceFlag.FAILED)
        && rsc.active().size() == 1) {
      return false;
    }
    if (JoinGate.waitsWhere(colocation.dependent(), rsc)) {
      return false;
    }
    return colocation.influence() || rsc.active().isEmpty();
  }

  /// The value that must be the same on both nodes, as the resource sees it.
  public static @Nullable String nodeValue(@Nullable Node node, String attribute, Resource rsc) {
    var target = rsc.meta().get("container-attribute-target");
    if (node != null
        && node.isBundleNode()
        && rsc.isBundled()
        && rsc.top(false) == Places.bundledClone(rsc)) {
      target = "host";
    }
    return Places.attribute(node, attribute, target, false);
  }

  public static boolean sameValue(
      @Nullable Node a, Resource ofA, @Nullable Node b, Resource ofB, String attribute) {
    return Places.sameText(nodeValue(a, attribute, ofA), nodeValue(b, attribute, ofB));
  }

  // For a replica's container the role is that of what runs inside.
  public static Resource forRole(Resource rsc) {
    if (rsc.is(ResourceFlag.REPLICA_CONTAINER)) {
      var inside = Places.insideContainer(rsc);
      if (inside != null) {
        return inside;
      }
    }
    return rsc;
  }

  /// What the colocation has a say in at this point of the run.
  ///
  /// @param preview ask as if neither had been assigned
  public static Affects affects(
      Resource dependent, Resource primary, Colocation colocation, boolean preview) {
    if (!preview && primary.is(ResourceFlag.UNASSIGNED)) {
      return Affects.NOTHING;
    }
    var dependentInside = forRole(dependent);
    var primaryInside = forRole(primary);
    if (colocation.dependentRole().compareTo(Role.UNPROMOTED) >= 0
        && dependentInside.parent() != null
        && dependentInside.parent().is(ResourceFlag.PROMOTABLE)
        && !dependentInside.is(ResourceFlag.UNASSIGNED)) {
      return Affects.ROLE;
    }
    if (!preview && !dependent.is(ResourceFlag.UNASSIGNED)) {
      return Affects.NOTHING;
    }
    if (otherRole(colocation.dependentRole(), dependentInside)
        || otherRole(colocation.primaryRole(), primaryInside)) {
      return Affects.NOTHING;
    }
    return Affects.LOCATION;
  }

  private static boolean otherRole(Role wanted, Resource rsc) {
    return wanted != Role.UNKNOWN && wanted != rsc.nextRole();
  }

  /// All resources that must be on the resource's node, itself included, the latest found first.
  public static List<Resource> together(Resource rsc, Resource origin, List<Resource> found) {
    if (rsc instanceof Group group) {
      return togetherGroup(group, origin, found);
    }
    return togetherPlain(rsc, origin, found);
  }

  private static List<Resource> togetherGroup(Group group, Resource origin, List<Resource> found) {
    if (group.colocated() || group.parent() instanceof Clone) {
      found.addFirst(group);
      group.children().forEach(member -> together(member, origin, found));
    } else if (!group.children().isEmpty()) {
      togetherPlain(group, origin, found);
    }
    return found;
  }

  private static List<Resource> togetherPlain(Resource rsc, Resource origin, List<Resource> found) {
    if (found.contains(rsc)) {
      return found;
    }
    found.addFirst(rsc);
    for (var colocation : thisWith(rsc)) {
      var primary = colocation.primary();
      if (primary != origin
          && colocation.score() == Score.INFINITY
          && affects(rsc, primary, colocation, true) == Affects.LOCATION) {
        together(primary, origin, found);
      }
    }
    for (var colocation : withThis(rsc)) {
      var dependent = colocation.dependent();
      if (dependent != origin
          && !(rsc instanceof Clone && !(dependent instanceof Clone))
          && colocation.score() == Score.INFINITY
          && affects(dependent, rsc, colocation, true) == Affects.LOCATION) {
        together(dependent, origin, found);
      }
    }
    return found;
  }
}
