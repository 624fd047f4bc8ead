package org.systole.scheduler.assignment;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.MergeSort;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoredNode;

/// Assigns clone instances and the containers of bundles: as many as fit, where they are already if
/// possible.
final class InstanceAssignment {
  private final Resource collective;
  private final int maxTotal;
  private final int maxPerNode;
  private int assigned;

  private InstanceAssignment(Resource collective, int maxTotal, int maxPerNode) {
    this.collective = collective;
    this.maxTotal = maxTotal;
    this.maxPerNode = maxPerNode;
  }

  static void sort(List<Resource> instances) {
    if (instances.size() > 1) {
      MergeSort.sort(instances, InstanceOrder::compare);
    }
  }

  static void assign(Resource collective, List<Resource> instances, int maxTotal, int maxPerNode) {
    new InstanceAssignment(collective, maxTotal, maxPerNode).assign(List.copyOf(instances));
  }

  private void assign(List<Resource> instances) {
    var available = 0;
    for (var entry : collective.allowed()) {
      entry.setCount(0);
      available += Places.available(entry.node()) ? 1 : 0;
    }
    var perNode = Math.max(1, available > 0 ? maxTotal / available : 0);
    for (var instance : instances) {
      if (assigned >= maxTotal) {
        break;
      }
      var current = nodeToKeep(instance, perNode);
      if (current != null && assignEarly(instance, current)) {
        assigned++;
      }
    }
    for (var instance : instances) {
      if (instance.is(ResourceFlag.UNASSIGNED)) {
        assignLate(instance);
      }
    }
  }

  private void assignLate(Resource instance) {
    noteIfNotAllowed(instance);
    if (assigned >= maxTotal) {
      Explanations.preferEverywhere(
          instance, -Score.INFINITY, Kind.INSTANCE, "there are as many instances as are to be");
    } else if (assignInstance(instance, null) != null) {
      assigned++;
    }
  }

  private static void noteIfNotAllowed(Resource instance) {
    var current = instance.active().isEmpty() ? null : instance.currentNode();
    if (current != null && Places.topAllowed(instance, current) == null) {
      instance
          .cluster()
          .notice(
              "%s%s is running on %s which is no longer allowed"
                  .formatted(
                      instance.is(ResourceFlag.MANAGED) ? "" : "Unmanaged resource ",
                      instance.id(),
                      current.name()));
    }
  }

  // Where an instance is active and healthy, unless enough others are there.
  private static @Nullable Node nodeToKeep(Resource instance, int perNode) {
    if (instance.active().isEmpty()
        || !instance.is(ResourceFlag.UNASSIGNED)
        || instance.is(ResourceFlag.FAILED)) {
      return null;
    }
    var node = instance.currentNode();
    if (node == null || !Places.available(node) || node.score() < 0) {
      return null;
    }
    var entry = Places.topAllowed(instance, node);
    return entry != null && entry.count() >= perNode ? null : node;
  }

  // As long as the instance would rather go elsewhere, that place is reserved for another instance
  // and it is tried again: so nodes get instances by preference, but those that are there already.
  private boolean assignEarly(Resource instance, Node current) {
    if (!Places.availableFor(instance.allowed().get(current))) {
      return false;
    }
    var parent = Objects.requireNonNull(instance.parent());
    var available = maxTotal - assigned;
    var tables = new IdentityHashMap<Resource, NodeTable>();
    backUp(instance, tables);
    var parentTable = parent.allowed();
    parent.setAllowed(parentTable.copy());
    ScoredNode chosen = null;
    var reserved = 0;
    while (reserved < available) {
      var mark = Explanations.mark(instance);
      chosen = assignInstance(instance, current);
      if (chosen != null && chosen.node() == current) {
        break;
      }
      restore(instance, tables);
      Explanations.forget(instance, mark);
      if (chosen == null) {
        instance.set(ResourceFlag.UNASSIGNED);
        break;
      }
      reserved++;
      Assignment.unassign(instance);
      chosen = null;
    }
    parent.setAllowed(parentTable);
    if (chosen == null) {
      return false;
    }
    countIn(instance, chosen);
    return true;
  }

  private static void backUp(Resource rsc, Map<Resource, NodeTable> tables) {
    tables.put(rsc, rsc.allowed().copy());
    rsc.children().forEach(child -> backUp(child, tables));
  }

  private static void restore(Resource rsc, Map<Resource, NodeTable> tables) {
    var table = tables.get(rsc);
    if (table != null) {
      rsc.setAllowed(table.copy());
    }
    rsc.children().forEach(child -> restore(child, tables));
  }

  private @Nullable ScoredNode assignInstance(Resource instance, @Nullable Node prefer) {
    if (instance.is(ResourceFlag.ASSIGNING)) {
      return null;
    }
    banUnavailable(instance);
    // A failed early assignment can be taken back.
    var chosen = Assignment.assign(instance, prefer, prefer == null);
    countIn(instance, chosen);
    return chosen;
  }

  private static void countIn(Resource instance, @Nullable ScoredNode chosen) {
    var entry = chosen == null ? null : Places.topAllowed(instance, chosen.node());
    if (entry != null) {
      entry.setCount(entry.count() + 1);
    }
  }

  private void banUnavailable(Resource instance) {
    for (var entry : instance.allowed()) {
      if (!canRun(instance, entry.node())) {
        var before = entry.score();
        entry.setScore(-Score.INFINITY);
        var obstacle = obstacle(instance, entry.node());
        Explanations.moved(instance, entry, before, Kind.INSTANCE, obstacle);
        for (var child : instance.children()) {
          var childEntry = child.allowed().get(entry.node());
          if (childEntry != null) {
            var childBefore = childEntry.score();
            childEntry.setScore(-Score.INFINITY);
            Explanations.moved(child, childEntry, childBefore, Kind.INSTANCE, obstacle);
          }
        }
      }
    }
  }

  // Why #canRun says no.
  private static String obstacle(Resource instance, Node node) {
    if (instance.is(ResourceFlag.REMOVED)) {
      return "it is no more in the configuration";
    }
    if (!Places.available(node)) {
      return "the node is not available";
    }
    var entry = Places.topAllowed(instance, node);
    return entry == null || entry.score() < 0
        ? "the node is forbidden to the whole"
        : "as many instances as may be on one node are there";
  }

  private boolean canRun(Resource instance, Node node) {
    if (instance.is(ResourceFlag.REMOVED) || !Places.available(node)) {
      return false;
    }
    var entry = Places.topAllowed(instance, node);
    if (entry == null) {
      instance
          .cluster()
          .logWarning(
              "can_run_instance",
              "%s cannot run on %s: node not allowed".formatted(instance.id(), node.name()),
              "");
      return false;
    }
    return entry.score() >= 0 && entry.count() < maxPerNode;
  }
}
