package org.systole.scheduler.orderings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;

/// Carries the flags of actions along their orderings until nothing changes any more.
///
/// Changes are followed at once and depth first: the outcome depends on it where orderings pull in
/// different directions.
final class OrderingSolver {
  /// What a step changed: bits to combine.
  static final int FIRST_CHANGED = 1;

  static final int THEN_CHANGED = 2;

  private OrderingSolver() {}

  /// Brings an action into accord with all actions before it, and those after it with the result.
  static void update(Action then) {
    var lastFlags = then.flags();
    var changed = 0;
    if (then.requiredRunnableBefore() > 0) {
      then.setRunnableBefore(0);
      then.clear(ActionFlag.RUNNABLE);
    }
    for (var at = then.before().size() - 1; at >= 0; at--) {
      changed = updateFor(then, then.before().get(at), changed);
    }
    if (then.requiredRunnableBefore() > 0) {
      changed = lastFlags == then.flags() ? changed & ~THEN_CHANGED : changed | THEN_CHANGED;
    }
    if ((changed & THEN_CHANGED) != 0) {
      if (lastFlags.has(ActionFlag.RUNNABLE) && !then.is(ActionFlag.RUNNABLE)) {
        blockDependents(then);
      }
      update(then);
      updateAfter(then);
    }
  }

  static void updateAfter(Action action) {
    for (var at = action.after().size() - 1; at >= 0; at--) {
      update(action.after().get(at).action());
    }
  }

  private static int updateFor(Action then, RelatedAction input, int before) {
    var first = input.action();
    var firstNode = groupStartNode(first);
    var thenNode = groupStartNode(then);
    if (input.relations().has(Relation.IF_ON_SAME_NODE)
        && firstNode != null
        && thenNode != null
        && firstNode != thenNode) {
      input.setRelations(Relations.NONE);
      return before;
    }
    var changed = before & ~FIRST_CHANGED;
    if (first.resource() != null
        && input.relations().has(Relation.THEN_CANCELS_FIRST)
        && !then.is(ActionFlag.OPTIONAL)) {
      first.set(ActionFlag.OPTIONAL);
      if (first.task().equals(TaskName.RELOAD_AGENT)) {
        first.resource().clear(ResourceFlag.RELOAD);
      }
    }
    var effective = first;
    if (first.resource() != null
        && then.resource() != null
        && first.resource() != then.resource()
        && !first.resource().isAncestorOf(then.resource())) {
      effective = milestoneFor(first, first.resource());
    }
    if (effective == first) {
      var firstFlags = ActionState.forOrdering(first, thenNode);
      var thenFlags = ActionState.forOrdering(then, firstNode);
      changed |= ActionUpdates.apply(first, then, firstFlags, thenFlags, input);
    } else if (Actions.order(effective, then, input.relations())) {
      changed |= THEN_CHANGED;
      input.setRelations(Relations.NONE);
    }
    if ((changed & FIRST_CHANGED) != 0) {
      updateAfter(effective);
      update(effective);
    }
    return changed;
  }

  private static @Nullable Node groupStartNode(Action action) {
    if (action.resource() instanceof Group && action.task().equals(TaskName.START)) {
      return Places.assignedNode(action.resource());
    }
    return action.node();
  }

  // Who waits for a collective resource waits until all of it is done.
  private static Action milestoneFor(Action first, Resource rsc) {
    if (rsc instanceof Primitive) {
      return first;
    }
    var found = Actions.first(rsc, milestoneKey(first.key(), rsc), null, null);
    return found == null ? first : found;
  }

  private static String milestoneKey(String key, Resource rsc) {
    var parsed = key.contains(TaskName.NOTIFY) ? null : OperationKey.parse(key);
    var done = parsed == null || parsed.intervalMillis() > 0 ? null : Task.done(parsed.operation().text());
    if (parsed == null || done == null) {
      return key;
    }
    if (rsc.is(ResourceFlag.NOTIFY) && (rsc instanceof Clone || rsc.isBundled())) {
      return OperationKey.notification(parsed.resource().text(), "confirmed-post", done);
    }
    return OperationKey.text(parsed.resource().text(), done);
  }

  /// Keeps what is colocated with a resource that cannot be started (or promoted) from it, too.
  static void blockDependents(Action action) {
    if (action.is(ActionFlag.RUNNABLE) || action.resource() == null) {
      return;
    }
    var isStart = action.task().equals(TaskName.START);
    if (!isStart && !action.task().equals(TaskName.PROMOTE)) {
      return;
    }
    var rsc = action.resource().top(false);
    if (rsc.parent() != null) {
      rsc = rsc.parent();
    }
    for (var child : rsc.children()) {
      var childAction = Actions.first(child, null, action.task(), null);
      if (childAction == null || childAction.is(ActionFlag.RUNNABLE)) {
        return;
      }
    }
    for (var colocation : Colocations.withThis(rsc)) {
      if (colocation.score() >= Score.INFINITY
          && (isStart || colocation.primaryRole() == Role.PROMOTED)) {
        block(
            colocation.dependent(),
            colocation.dependentRole() == Role.PROMOTED ? TaskName.PROMOTE : TaskName.START,
            action.resource());
      }
    }
  }

  // A monitor that was looked at before would wait for a start that never comes.
  private static void updateOwnMonitors(Action action) {
    for (var related : List.copyOf(action.after())) {
      if (related.action().resource() == action.resource()
          && related.action().task().equals(TaskName.MONITOR)) {
        update(related.action());
      }
    }
  }

  private static void block(Resource rsc, String task, Resource reason) {
    for (var at = rsc.actions().size() - 1; at >= 0; at--) {
      var action = rsc.actions().get(at);
      if (action.is(ActionFlag.RUNNABLE) && action.task().equals(task)) {
        action.clear(ActionFlag.RUNNABLE);
        Actions.reason(action, "colocation with " + reason.id(), false);
        blockDependents(action);
        update(action);
        updateOwnMonitors(action);
      }
    }
    rsc.children().forEach(child -> block(child, task, reason));
  }
}
