package org.systole.scheduler.explain;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.explain.Explanation.Condition;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// The fencing that planned actions wait for, directly or as what they wait for does.
final class DueFencing {
  private DueFencing() {}

  /// Each node that has to be fenced before the resource is as it is to be.
  static List<Condition> conditions(Resource rsc, @Nullable Node asked) {
    var nodes = new LinkedHashMap<Node, String>();
    for (var node : rsc.active()) {
      if (node.unclean() && rsc.is(ResourceFlag.NEEDS_FENCING)) {
        nodes.put(node, node.name() + ", where it may be active, must be fenced first");
      }
    }
    for (var each : of(rsc, asked).entrySet()) {
      var node = each.getKey().node();
      if (node != null) {
        nodes.putIfAbsent(node, "%s must be fenced before %s".formatted(node.name(), each.getValue().key()));
      }
    }
    return nodes.values().stream().map(it -> new Condition("fencing", List.of(), it)).toList();
  }

  /// @param asked only actions on this node; null for all
  /// @return each fencing with the action of the resource that waits for it, in the order of the actions
  static Map<Action, Action> of(Resource rsc, @Nullable Node asked) {
    var found = new LinkedHashMap<Action, Action>();
    for (var action : rsc.actions()) {
      if (changesState(action) && (asked == null || action.node() == asked)) {
        follow(action, found);
      }
    }
    return found;
  }

  // What is to be watched or notified after that waits as well, and says nothing new.
  private static boolean changesState(Action action) {
    return action.is(ActionFlag.ADDED_TO_GRAPH)
        && !action.is(ActionFlag.PSEUDO)
        && switch (action.task()) {
          case TaskName.START, TaskName.STOP, TaskName.PROMOTE, TaskName.DEMOTE -> true;
          default -> false;
        };
  }

  private static void follow(Action waiting, Map<Action, Action> found) {
    var seen = new HashSet<Integer>();
    var left = new ArrayDeque<Action>();
    left.add(waiting);
    while (!left.isEmpty()) {
      for (var input : left.removeFirst().before()) {
        var first = input.action();
        if (!input.graphed() || !seen.add(first.id())) {
          continue;
        }
        if (first.task().equals(TaskName.FENCE) && !first.is(ActionFlag.PSEUDO)) {
          found.putIfAbsent(first, waiting);
        }
        left.add(first);
      }
    }
  }
}
