package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.HashOrder;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.PlacementStrategy;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoreLine;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// What nodes can give and resources take, as far as the placement strategy lets it count.
public final class Utilization {
  private Utilization() {}

  // What is no number counts as the least there is: nobody knows what it was meant to be.
  private static int value(@Nullable String text) {
    return text == null ? 0 : Numbers.parseInt(text, Integer.MIN_VALUE);
  }

  /// Negative if the first has more of more things than the second.
  static int compareCapacities(Node a, Node b) {
    var result = 0;
    for (var entry : a.utilization().entrySet()) {
      result +=
          Integer.compare(value(b.utilization().get(entry.getKey())), value(entry.getValue()));
    }
    for (var entry : b.utilization().entrySet()) {
      if (!a.utilization().containsKey(entry.getKey())) {
        result += Integer.compare(value(entry.getValue()), 0);
      }
    }
    return result;
  }

  static void consume(Node node, Resource rsc) {
    add(node.utilization(), rsc, -1);
  }

  static void release(Node node, Resource rsc) {
    add(node.utilization(), rsc, 1);
  }

  private static void add(Map<String, String> sums, Resource rsc, int sign) {
    rsc.utilization()
        .forEach(
            (name, amount) -> {
              var sum = value(sums.get(name)) + sign * (long) value(amount);
              sums.put(name, Long.toString(Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE)));
            });
  }

  private static boolean fits(Node node, Map<String, String> needed) {
    for (var need : needed.entrySet()) {
      if (value(need.getValue()) > value(node.utilization().get(need.getKey()))) {
        return false;
      }
    }
    return true;
  }

  /// Bans the resource from nodes that cannot hold it with all that must go with it, or at least
  /// itself if none can.
  ///
  /// @return the node with most to give if none can hold all, else null
  static @Nullable Node banInsufficient(Resource rsc) {
    if (rsc.cluster().placementStrategy() == PlacementStrategy.DEFAULT) {
      return null;
    }
    var together = Colocations.together(rsc, rsc, new ArrayList<>());
    if (!together.contains(rsc)) {
      together.add(rsc);
    }
    var needed = new LinkedHashMap<String, String>();
    for (var member : List.copyOf(together)) {
      sum(member, together, needed);
    }
    var anyFits = false;
    for (var entry : rsc.allowed()) {
      anyFits |= Places.availableFor(entry) && fits(entry.node(), needed);
    }
    var most = anyFits ? null : mostCapable(rsc);
    ban(rsc, anyFits ? needed : rsc.utilization());
    return most;
  }

  // Of several that can give as much the first in the order of the reference's table, so that both
  // choose the same one.
  private static @Nullable Node mostCapable(Resource rsc) {
    var available = new LinkedHashMap<String, Node>();
    for (var entry : rsc.allowed()) {
      available.put(entry.node().id(), entry.node());
    }
    Node most = null;
    for (var id : HashOrder.of(available.keySet())) {
      var node = available.get(id);
      if (Places.availableFor(rsc.allowed().get(node))
          && (most == null || compareCapacities(node, most) < 0)) {
        most = node;
      }
    }
    return most;
  }

  private static void ban(Resource rsc, Map<String, String> needed) {
    var banned = new ArrayList<ScoredNode>();
    for (var entry : rsc.allowed()) {
      if (Places.availableFor(entry) && !fits(entry.node(), needed)) {
        banned.add(entry);
      }
    }
    for (var entry : banned) {
      Explanations.prefer(rsc, entry.node(), -Score.INFINITY, Kind.UTILIZATION, "");
    }
  }

  private static void sum(Resource rsc, List<Resource> all, Map<String, String> sums) {
    if (!rsc.is(ResourceFlag.UNASSIGNED)) {
      return;
    }
    switch (rsc) {
      case Primitive _ -> add(sums, rsc, 1);
      case Group group -> sumGroup(group, all, sums);
      case Clone clone -> sumClone(clone, all, sums);
      case Bundle bundle -> {
        if (!bundle.replicas().isEmpty()) {
          sum(bundle.replicas().getFirst().container(), all, sums);
        }
      }
    }
  }

  private static void sumGroup(Group group, List<Resource> all, Map<String, String> sums) {
    var whole = group.colocated() || group.parent() instanceof Clone;
    for (var member : group.children()) {
      if (member.is(ResourceFlag.UNASSIGNED) && !all.contains(member)) {
        sum(member, all, sums);
      }
      if (!whole) {
        return;
      }
    }
  }

  private static void sumClone(Clone clone, List<Resource> all, Map<String, String> sums) {
    var existing = false;
    for (var child : clone.children()) {
      if (all.contains(child)) {
        existing = true;
      } else if (child.children().stream().anyMatch(all::contains)) {
        sum(child, all, sums);
        existing = true;
      }
    }
    if (!existing && !clone.children().isEmpty()) {
      sum(clone.children().getFirst(), all, sums);
    }
  }

  /// Orders what leaves a node before what comes to it.
  public static void orderLoad(Resource rsc, List<Node> allowed) {
    for (var node : rsc.active()) {
      Orderings.before(
          rsc, TaskName.STOP, loadStopped(rsc.cluster(), node), Relation.IF_ON_SAME_NODE_OR_TARGET);
    }
    for (var node : allowed) {
      var stopped = loadStopped(rsc.cluster(), node);
      Orderings.after(stopped, rsc, TaskName.START, Relation.IF_ON_SAME_NODE_OR_TARGET);
      Orderings.after(stopped, rsc, TaskName.MIGRATE_TO, Relation.IF_ON_SAME_NODE_OR_TARGET);
    }
  }

  private static Action loadStopped(WorkingSet cluster, Node node) {
    var action = Actions.pseudo(cluster, TaskName.LOAD_STOPPED + "_" + node.name());
    if (action.node() == null) {
      action.setNode(node);
      action.clear(ActionFlag.OPTIONAL);
    }
    return action;
  }

  static void noteCapacities(WorkingSet cluster, String when) {
    if (cluster.is(ClusterFlag.SHOW_UTILIZATION)) {
      for (var node : cluster.nodes()) {
        if (!node.isBundleNode()) {
          cluster.scoreLines().add(new ScoreLine.Capacity(when, node.name(), node.utilization()));
        }
      }
    }
  }
}
