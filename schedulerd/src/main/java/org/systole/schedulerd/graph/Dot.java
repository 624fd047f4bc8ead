package org.systole.schedulerd.graph;

import org.systole.schedulerd.action.Actions;
import org.systole.schedulerd.action.OpKey;
import org.systole.schedulerd.action.Task;
import org.systole.schedulerd.model.Action;
import org.systole.schedulerd.model.ActionFlag;
import org.systole.schedulerd.model.RelatedAction;
import org.systole.schedulerd.model.Relation;
import org.systole.schedulerd.model.ResourceFlag;
import org.systole.schedulerd.model.WorkingSet;

/// Draws what a run planned, in the language of Graphviz.
public final class Dot {
  private Dot() {}

  /// @param all show optional actions, and those that cannot be run, too
  /// @param verbose show the numbers of actions
  public static String write(WorkingSet cluster, boolean all, boolean verbose) {
    var out = new StringBuilder(" digraph \"g\" {\n");
    for (var at = cluster.actions.size() - 1; at >= 0; at--) {
      node(cluster.actions.get(at), all, verbose, out);
    }
    for (var at = cluster.actions.size() - 1; at >= 0; at--) {
      edges(cluster.actions.get(at), all, verbose, out);
    }
    return out.append("}\n").toString();
  }

  private static void node(Action action, boolean all, boolean verbose, StringBuilder out) {
    var style = "dashed";
    var font = action.is(ActionFlag.PSEUDO) ? "orange" : "black";
    String color;
    if (action.is(ActionFlag.ADDED_TO_GRAPH)) {
      style = "bold";
      color = "green";
    } else if (action.resource != null && !action.resource.is(ResourceFlag.MANAGED)) {
      color = "red";
      font = "purple";
      if (!all) {
        return;
      }
    } else if (action.is(ActionFlag.OPTIONAL)) {
      color = "blue";
      if (!all) {
        return;
      }
    } else {
      color = "red";
    }
    // Edges are drawn between whatever is shown.
    action.set(ActionFlag.ADDED_TO_GRAPH);
    out.append('"').append(name(action, verbose)).append("\" [ style=").append(style);
    out.append(" color=\"").append(color).append("\" fontcolor=\"").append(font).append("\"]\n");
  }

  private static void edges(Action action, boolean all, boolean verbose, StringBuilder out) {
    for (var at = action.before.size() - 1; at >= 0; at--) {
      var input = action.before.get(at);
      if (!input.graphed && input.flags == Relation.NONE) {
        continue;
      }
      if (all || input.graphed || bothShown(action, input)) {
        out.append('"').append(name(input.action, verbose)).append("\" -> \"");
        out.append(name(action, verbose)).append("\" [ style = ");
        out.append(input.graphed ? "bold" : "dashed").append("]\n");
      }
    }
  }

  private static boolean bothShown(Action action, RelatedAction input) {
    return input.action.is(ActionFlag.ADDED_TO_GRAPH)
        && action.is(ActionFlag.ADDED_TO_GRAPH)
        && input.flags != Relation.IF_ON_SAME_NODE_OR_TARGET;
  }

  private static String name(Action action, boolean verbose) {
    var host = action.node != null ? action.node.name : null;
    if (host == null && !action.is(ActionFlag.PSEUDO)) {
      host = "<none>";
    }
    var isCancel = action.task.equals(Task.CANCEL);
    var prefix = isCancel ? "Cancel " : "";
    var task = isCancel && action.cancelTask != null ? action.cancelTask : action.task;
    var historyId = action.resource == null ? null : action.resource.historyId;
    String name;
    if (historyId != null) {
      name = prefix + key(action, historyId, task) + (host == null ? "" : " " + host);
    } else if (action.task.equals(Task.FENCE)) {
      name = prefix + action.task + " '" + action.meta.get("stonith_action") + "' " + host;
    } else if (action.resource != null && host != null) {
      name = prefix + action.key + " " + host;
    } else if (host != null) {
      name = prefix + action.task + " " + host;
    } else {
      name = prefix + action.key;
    }
    return verbose ? name + " (" + action.id + ")" : name;
  }

  private static String key(Action action, String historyId, String task) {
    if (action.task.equalsIgnoreCase(Task.NOTIFY) || action.task.equalsIgnoreCase(Task.NOTIFIED)) {
      return OpKey.notify(
          historyId,
          action.meta.getOrDefault("notify_key_type", ""),
          action.meta.getOrDefault("notify_key_operation", ""));
    }
    return OpKey.of(historyId, task, Actions.intervalOf(action));
  }
}
