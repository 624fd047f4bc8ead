package org.systole.scheduler.assignment;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.ColocationScores.Select;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoredNode;

/// Which instance is assigned first.
public final class InstanceOrder {
  /// By the number in an instance's name.
  public static final Comparator<Resource> BY_NUMBER =
      Comparator.comparingLong(InstanceOrder::number);

  private InstanceOrder() {}

  static int compare(Resource a, Resource b) {
    var activeA = a.activeNode();
    var activeB = b.activeNode();
    if (activeA.all() > 0 && activeB.all() > 0 && activeA.all() != activeB.all()) {
      return Integer.compare(activeA.all(), activeB.all());
    }
    var nodeA = allowed(a, activeA.node());
    var nodeB = allowed(b, activeB.node());
    var disallowedA = activeA.node() != null && nodeA == null;
    var disallowedB = activeB.node() != null && nodeB == null;
    if (disallowedA != disallowedB) {
      return disallowedA ? 1 : -1;
    }
    if (a.priority() != b.priority()) {
      return Integer.compare(b.priority(), a.priority());
    }
    if (nodeA == null || nodeB == null) {
      return nodeA == nodeB ? 0 : nodeA == null ? 1 : -1;
    }
    if (Places.available(nodeA) != Places.available(nodeB)) {
      return Places.available(nodeA) ? -1 : 1;
    }
    return compareOnNodes(a, Places.topAllowed(a, nodeA), b, Places.topAllowed(b, nodeB));
  }

  private static @Nullable Node allowed(Resource rsc, @Nullable Node node) {
    var entry = node == null ? null : rsc.allowed().get(node);
    return entry == null || entry.score() < 0 ? null : node;
  }

  private static int compareOnNodes(
      Resource a, @Nullable ScoredNode entryA, Resource b, @Nullable ScoredNode entryB) {
    if (entryA == null || entryB == null) {
      return entryA == entryB ? 0 : entryA == null ? 1 : -1;
    }
    if (entryA.count() != entryB.count()) {
      return Integer.compare(entryA.count(), entryB.count());
    }
    var failedA = Places.anyHas(a, ResourceFlag.FAILED);
    if (failedA != Places.anyHas(b, ResourceFlag.FAILED)) {
      return failedA ? 1 : -1;
    }
    var byColocation = Integer.compare(colocatedScore(b), colocatedScore(a));
    return byColocation != 0 ? byColocation : BY_NUMBER.compare(a, b);
  }

  // How much what is colocated with the instance likes the instance's current node.
  private static int colocatedScore(Resource instance) {
    var current = instance.currentNode();
    if (current == null) {
      return 0;
    }
    var table = new NodeTable();
    table.put(ScoredNode.of(current));
    for (var colocation : Colocations.thisWith(instance)) {
      table =
          ScoreFlow.add(
              colocation.primary(),
              instance,
              table,
              colocation,
              colocation.score() / (float) Score.INFINITY,
              Select.DEFAULT);
    }
    for (var colocation : Colocations.withThis(instance)) {
      if (Colocations.hasInfluence(colocation, instance)) {
        table =
            ScoreFlow.add(
                colocation.dependent(),
                instance,
                table,
                colocation,
                colocation.score() / (float) Score.INFINITY,
                Select.NON_NEGATIVE);
      }
    }
    var entry = table.get(current);
    return entry == null ? 0 : entry.score();
  }

  // After a colon for clones, after a dash for bundles.
  private static long number(Resource instance) {
    var at = instance.id().lastIndexOf(':');
    if (at < 0) {
      at = instance.id().lastIndexOf('-');
    }
    long number = 0;
    for (var digit : instance.id().substring(at + 1).toCharArray()) {
      if (!Character.isDigit(digit)) {
        break;
      }
      number = number * 10 + digit - '0';
    }
    return number;
  }
}
