package org.systole.scheduler.sim;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Draws what a run decided, in the language of Graphviz.
public final class DotGraph {
  private final WorkingSet cluster;
  private final boolean all;
  private final boolean ids;
  private final StringBuilder out = new StringBuilder(" digraph \"g\" {\n");

  private DotGraph(WorkingSet cluster, boolean all, boolean ids) {
    this.cluster = cluster;
    this.all = all;
    this.ids = ids;
  }

  /// @param all whether to draw actions, too, that are not part of the transition
  /// @param ids whether to name actions by their numbers as well
  public static String draw(WorkingSet cluster, boolean all, boolean ids) {
    return new DotGraph(cluster, all, ids).draw();
  }

  private String draw() {
    for (var at = cluster.actions().size() - 1; at >= 0; at--) {
      drawAction(cluster.actions().get(at));
    }
    for (var at = cluster.actions().size() - 1; at >= 0; at--) {
      var action = cluster.actions().get(at);
      for (var before = action.before().size() - 1; before >= 0; before--) {
        drawOrder(action.before().get(before), action);
      }
    }
    return out.append("}\n").toString();
  }

  private void drawAction(Action action) {
    var pseudo = action.is(ActionFlag.PSEUDO);
    var inGraph = action.is(ActionFlag.ADDED_TO_GRAPH);
    action.set(ActionFlag.ADDED_TO_GRAPH);
    if (inGraph) {
      drawAction(action, "bold", "green", pseudo ? "orange" : "black");
    } else if (action.resource() != null && !action.resource().is(ResourceFlag.MANAGED)) {
      if (all) {
        drawAction(action, "dashed", "red", "purple");
      } else {
        action.clear(ActionFlag.ADDED_TO_GRAPH);
      }
    } else if (action.is(ActionFlag.OPTIONAL)) {
      if (all) {
        drawAction(action, "dashed", "blue", pseudo ? "orange" : "black");
      } else {
        action.clear(ActionFlag.ADDED_TO_GRAPH);
      }
    } else {
      drawAction(action, "dashed", "red", pseudo ? "orange" : "black");
    }
  }

  private void drawAction(Action action, String style, String color, String font) {
    out.append(
        String.format(
            Locale.ROOT,
            "\"%s\" [ style=%s color=\"%s\" fontcolor=\"%s\"]\n",
            name(action),
            style,
            color,
            font));
  }

  private void drawOrder(RelatedAction before, Action action) {
    var graphed = before.graphed();
    if (!graphed && before.relations().isNone()) {
      return;
    }
    var drawn =
        graphed
            || before.action().is(ActionFlag.ADDED_TO_GRAPH)
                && action.is(ActionFlag.ADDED_TO_GRAPH)
                && !before.relations().isOnly(Relation.IF_ON_SAME_NODE_OR_TARGET);
    if (all || drawn) {
      out.append('"').append(name(before.action())).append("\" -> \"").append(name(action));
      out.append("\" [ style = ").append(graphed ? "bold" : "dashed").append("]\n");
    }
  }

  private String name(Action action) {
    var name = plainName(action);
    return ids ? name + " (" + action.id() + ")" : name;
  }

  private String plainName(Action action) {
    @Nullable String host = action.node() == null ? null : action.node().name();
    if (host == null && !action.is(ActionFlag.PSEUDO)) {
      host = "<none>";
    }
    var cancel = Task.CANCEL.is(action.task());
    var prefix = cancel ? "Cancel " : "";
    var on = host == null ? "" : " " + host;
    var history = action.resource() == null ? null : action.resource().historyId();
    if (history != null) {
      return prefix + historyKey(action, history, cancel) + on;
    }
    if (Task.FENCE.is(action.task())) {
      return prefix + action.task() + " '" + action.meta().get("stonith_action") + "'" + on;
    }
    if (host == null) {
      return action.key();
    }
    return prefix + (action.resource() != null ? action.key() : action.task()) + on;
  }

  private static String historyKey(Action action, String history, boolean cancel) {
    if (action.task().equalsIgnoreCase(TaskName.NOTIFY)
        || action.task().equalsIgnoreCase(TaskName.NOTIFIED)) {
      return OperationKey.notification(
          history,
          String.valueOf(action.meta().get("notify_key_type")),
          String.valueOf(action.meta().get("notify_key_operation")));
    }
    var task = cancel && action.cancelTask() != null ? action.cancelTask() : action.task();
    return OperationKey.text(history, task, Actions.intervalOf(action));
  }
}
