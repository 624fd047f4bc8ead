package org.systole.scheduler.orderings;

import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.ResourceFlag;

/// Which actions and which of their inputs belong into the graph.
public final class GraphRules {
  private static final Relations SHOWN =
      Relations.of(
          Relation.ORDERED,
          Relation.THEN_IMPLIES_FIRST_GRAPHED,
          Relation.FIRST_IMPLIES_THEN_GRAPHED);

  private GraphRules() {}

  public static boolean includes(Action action) {
    if (!action.is(ActionFlag.RUNNABLE)
        || action.is(ActionFlag.OPTIONAL) && !action.is(ActionFlag.ALWAYS_IN_GRAPH)) {
      return false;
    }
    var rsc = action.resource();
    if (rsc != null
        && !rsc.is(ResourceFlag.MANAGED)
        && !action.task().equals(TaskName.MONITOR)
        && action.meta().getOrDefault("interval", "0").equals("0")) {
      // Of an unmanaged resource only monitors and their cancellation.
      return false;
    }
    if (action.is(ActionFlag.PSEUDO)
        || action.task().equalsIgnoreCase(TaskName.FENCE)
        || action.task().equalsIgnoreCase(TaskName.SHUTDOWN)) {
      return true;
    }
    return nodeCanRun(action);
  }

  private static boolean nodeCanRun(Action action) {
    var node = action.node();
    if (node == null) {
      return skip(action, "it was not assigned to a node");
    }
    if (action.is(ActionFlag.ON_DC) || node.isGuest() && !node.is(NodeFlag.REMOTE_RESET)) {
      return true;
    }
    if (!node.online()) {
      return skip(action, "it was scheduled for offline node");
    }
    return !node.unclean() || skip(action, "it was scheduled for unclean node");
  }

  private static boolean skip(Action action, String why) {
    if (action.resource() != null) {
      action
          .resource()
          .cluster()
          .error(
              "should_add_action_to_graph",
              "Skipping action %s (%d) because %s (bug?)".formatted(action.key(), action.id(), why),
              "");
    }
    return false;
  }

  /// Whether the ordering does more than order, or show, actions.
  private static boolean canChange(Relations relations) {
    return !relations.without(SHOWN).isNone();
  }

  /// Whether an action waits for this input; disables those that do not apply after all.
  public static boolean includes(Action action, RelatedAction input) {
    if (input.graphed()) {
      return true;
    }
    var first = input.action();
    var runnable = first.is(ActionFlag.RUNNABLE);
    if (input.relations().isNone()
        || !runnable && !canChange(input.relations())
        || !runnable && input.relations().has(Relation.MIN_RUNNABLE)
        || !runnable && input.relations().has(Relation.UNMIGRATABLE_THEN_BLOCKS)) {
      return false;
    }
    if (input.relations().has(Relation.IF_FIRST_UNMIGRATABLE) && first.is(ActionFlag.MIGRATABLE)
        || input.relations().isOnly(Relation.ORDERED)
            && first.is(ActionFlag.MIGRATABLE)
            && first.key().endsWith("_stop_0")) {
      return false;
    }
    if (input.relations().isOnly(Relation.IF_ON_SAME_NODE_OR_TARGET)) {
      return keepIf(input, onSameNodeOrTarget(action, first));
    }
    if (input.relations().isOnly(Relation.IF_REQUIRED_ON_SAME_NODE)) {
      return keepIf(
          input,
          (first.node() == null || action.node() == null || first.node() == action.node())
              && !first.is(ActionFlag.OPTIONAL));
    }
    if (first.resource() != null
        && first.resource() != action.resource()
        && first.resource().is(ResourceFlag.FAILED)
        && !first.resource().is(ResourceFlag.MANAGED)
        && first.key().endsWith("_stop_0")
        && action.resource() instanceof Clone) {
      // An unmanaged failed resource cannot keep a clone from shutting down.
      return false;
    }
    return !first.is(ActionFlag.OPTIONAL)
        || first.is(ActionFlag.ALWAYS_IN_GRAPH)
        || first.is(ActionFlag.ADDED_TO_GRAPH)
        || includes(first);
  }

  private static boolean keepIf(RelatedAction input, boolean applies) {
    if (!applies) {
      input.setRelations(Relations.NONE);
    }
    return applies;
  }

  private static boolean onSameNodeOrTarget(Action action, Action first) {
    if (action.resource() != null && action.task().equals(TaskName.MIGRATE_TO)) {
      var target = action.resource().assigned();
      return target != null && first.node() == target.node();
    }
    return first.node() != null && first.node() == action.node() && !first.is(ActionFlag.OPTIONAL);
  }

  /// Whether waiting for this input would be waiting for the action itself.
  static boolean makesLoop(Action origin, Action action, RelatedAction input) {
    var first = input.action();
    if (first.is(ActionFlag.DETECT_LOOP) || !includes(action, input)) {
      return false;
    }
    if (first == origin) {
      return true;
    }
    first.set(ActionFlag.DETECT_LOOP);
    var found = false;
    for (var at = first.before().size() - 1; at >= 0 && !found; at--) {
      found = makesLoop(origin, first, first.before().get(at));
    }
    first.clear(ActionFlag.DETECT_LOOP);
    return found;
  }
}
