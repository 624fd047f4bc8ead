package org.systole.scheduler.orderings;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.assignment.InstanceColocations;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ActionFlags;
import org.systole.scheduler.model.Bundle;
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

/// Applies one ordering to the flags of its two actions, for each meaning the ordering has.
final class ActionUpdates {
  // What a stop that cannot be done gets in the way of.
  private static final Relations STOPPING =
      Relations.of(
          Relation.FIRST_IMPLIES_THEN, Relation.THEN_IMPLIES_FIRST, Relation.INTERMEDIATE_STOP);

  private final Action first;
  private final Action then;
  private final ActionFlags firstFlags;
  private final RelatedAction input;
  private @Nullable Node node;
  private int changed;

  private ActionUpdates(Action first, Action then, ActionFlags firstFlags, RelatedAction input) {
    this.first = first;
    this.then = then;
    this.firstFlags = firstFlags;
    this.input = input;
    this.node = then.node();
  }

  static int apply(
      Action first,
      Action then,
      ActionFlags firstFlags,
      ActionFlags thenFlags,
      RelatedAction input) {
    var updates = new ActionUpdates(first, then, firstFlags, input);
    updates.apply(thenFlags);
    return updates.changed;
  }

  private boolean has(Relation relation) {
    return input.relations().has(relation);
  }

  private boolean isFirst(ActionFlag flag) {
    return firstFlags.has(flag);
  }

  private void apply(ActionFlags thenFlags) {
    if (has(Relation.FIRST_IMPLIES_SAME_NODE_THEN)) {
      input.setRelations(
          input
              .relations()
              .without(Relation.FIRST_IMPLIES_SAME_NODE_THEN)
              .with(Relation.FIRST_IMPLIES_THEN));
      node = first.node();
    }
    implyRequired();
    implyRunnable();
    onThen(Relation.UNMIGRATABLE_THEN_BLOCKS);
    onThen(Relation.FIRST_ELSE_THEN);
    onThen(Relation.ORDERED);
    onThen(Relation.ASYMMETRIC);
    if (first.is(ActionFlag.RUNNABLE)
        && has(Relation.FIRST_IMPLIES_THEN_GRAPHED)
        && !isFirst(ActionFlag.OPTIONAL)) {
      then.set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    if (has(Relation.THEN_IMPLIES_FIRST_GRAPHED) && !thenFlags.has(ActionFlag.OPTIONAL)) {
      first.set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    blockedStopBlocks();
  }

  private void onThen(Relation relation) {
    if (has(relation) && then.resource() != null) {
      changed |= update(then.resource(), first, then, node, firstFlags, relation);
    }
  }

  private void implyRequired() {
    onThen(Relation.FIRST_IMPLIES_THEN);
    if (has(Relation.FIRST_IMPLIES_THEN)
        && then.resource() == null
        && !isFirst(ActionFlag.OPTIONAL)
        && then.is(ActionFlag.OPTIONAL)) {
      then.clear(ActionFlag.OPTIONAL);
      changed |= OrderingSolver.THEN_CHANGED;
    }
    onThen(Relation.INTERMEDIATE_STOP);
    if (has(Relation.THEN_IMPLIES_FIRST)) {
      if (first.resource() != null) {
        changed |=
            update(first.resource(), first, then, node, firstFlags, Relation.THEN_IMPLIES_FIRST);
      } else if (!isFirst(ActionFlag.OPTIONAL) && first.is(ActionFlag.RUNNABLE)) {
        first.clear(ActionFlag.RUNNABLE);
        changed |= OrderingSolver.FIRST_CHANGED;
      }
    }
    onThen(Relation.PROMOTED_THEN_IMPLIES_FIRST);
  }

  private void implyRunnable() {
    onThen(Relation.MIN_RUNNABLE);
    if (has(Relation.MIN_RUNNABLE) && then.resource() == null && isFirst(ActionFlag.RUNNABLE)) {
      then.setRunnableBefore(then.runnableBefore() + 1);
      if (then.runnableBefore() >= then.requiredRunnableBefore() && !then.is(ActionFlag.RUNNABLE)) {
        then.set(ActionFlag.RUNNABLE);
        changed |= OrderingSolver.THEN_CHANGED;
      }
    }
    if (has(Relation.NESTED_REMOTE_PROBE) && then.resource() != null) {
      if (!isFirst(ActionFlag.RUNNABLE)
          && first.resource() != null
          && !first.resource().active().isEmpty()) {
        input.setRelations(Relations.NONE);
      } else {
        changed |=
            update(
                then.resource(), first, then, node, firstFlags, Relation.UNRUNNABLE_FIRST_BLOCKS);
      }
    }
    onThen(Relation.UNRUNNABLE_FIRST_BLOCKS);
    if (has(Relation.UNRUNNABLE_FIRST_BLOCKS)
        && then.resource() == null
        && !isFirst(ActionFlag.RUNNABLE)
        && then.is(ActionFlag.RUNNABLE)) {
      then.clear(ActionFlag.RUNNABLE);
      changed |= OrderingSolver.THEN_CHANGED;
    }
  }

  private void blockedStopBlocks() {
    var rsc = first.resource();
    if (input.relations().hasAny(STOPPING)
        && rsc != null
        && !rsc.is(ResourceFlag.MANAGED)
        && rsc.is(ResourceFlag.BLOCKED)
        && !first.is(ActionFlag.RUNNABLE)
        && first.task().equals(TaskName.STOP)
        && then.is(ActionFlag.RUNNABLE)) {
      then.clear(ActionFlag.RUNNABLE);
      changed |= OrderingSolver.THEN_CHANGED;
    }
  }

  // Applies one meaning, to the action of the resource and to those of what is inside it.
  private static int update(
      Resource rsc,
      Action first,
      Action then,
      @Nullable Node node,
      ActionFlags firstFlags,
      Relation relation) {
    return switch (rsc) {
      case Primitive _ -> PlainUpdates.update(first, then, firstFlags, relation);
      case Group _ -> ofGroup(first, then, node, firstFlags, relation);
      case Clone _, Bundle _ -> ofInstances(first, then, node, firstFlags, relation);
    };
  }

  private static int ofGroup(
      Action first, Action then, @Nullable Node node, ActionFlags firstFlags, Relation relation) {
    var changed = PlainUpdates.update(first, then, firstFlags, relation);
    if (then.resource() != null) {
      for (var member : then.resource().children()) {
        var action = Actions.first(member, null, then.task(), node);
        if (action != null) {
          changed |= update(member, first, action, node, firstFlags, relation);
        }
      }
    }
    return changed;
  }

  private static int ofInstances(
      Action first, Action then, @Nullable Node node, ActionFlags firstFlags, Relation relation) {
    if (then.resource() == null) {
      return 0;
    }
    if (mayInterleave(first, then)) {
      return interleaved(first, then, node, relation);
    }
    var changed = PlainUpdates.update(first, then, firstFlags, relation);
    for (var instance : InstanceColocations.instances(then.resource())) {
      changed |= ofInstance(instance, first, then, node, firstFlags, relation);
    }
    return changed;
  }

  private static int ofInstance(
      Resource instance,
      Action first,
      Action then,
      @Nullable Node node,
      ActionFlags firstFlags,
      Relation relation) {
    var action = Actions.first(instance, null, then.task(), node);
    if (action == null || !ActionState.flags(action, node).has(ActionFlag.RUNNABLE)) {
      return 0;
    }
    var changed = update(instance, first, action, node, firstFlags, relation);
    if ((changed & OrderingSolver.THEN_CHANGED) != 0) {
      OrderingSolver.updateAfter(action);
    }
    return changed;
  }

  private static boolean mayInterleave(Action first, Action then) {
    if (first.resource() == null
        || then.resource() == null
        || first.resource() == then.resource()
        || !InstanceColocations.isCollective(first.resource())
        || !InstanceColocations.isCollective(then.resource())) {
      return false;
    }
    var down = then.key().endsWith("_stop_0") || then.key().endsWith("_demote_0");
    return Bool.isTrue((down ? first : then).resource().meta().get("interleave"));
  }

  // Instance by instance: each waits only for the other resource's instance on its own node.
  private static int interleaved(
      Action first, Action then, @Nullable Node node, Relation relation) {
    if (first.resource() == null || then.resource() == null) {
      return 0;
    }
    var changed = 0;
    var firstTask = ActionState.instanceTask(first);
    var current = first.key().endsWith("_stopped_0") || first.key().endsWith("_demoted_0");
    for (var instance : InstanceColocations.instances(then.resource())) {
      var match =
          InstanceColocations.compatible(instance, first.resource(), Role.UNKNOWN, current, null);
      if (match == null) {
        if (!current
            && (relation == Relation.UNRUNNABLE_FIRST_BLOCKS
                || relation == Relation.FIRST_IMPLIES_THEN)
            && Assignment.place(instance, null, true, true)) {
          changed |= OrderingSolver.THEN_CHANGED;
        }
        continue;
      }
      var firstAction = instanceAction(first, match, firstTask, node, true);
      var thenAction =
          firstAction == null ? null : instanceAction(then, instance, then.task(), node, false);
      if (firstAction == null || thenAction == null) {
        continue;
      }
      if (Actions.order(firstAction, thenAction, relation)) {
        changed |= OrderingSolver.FIRST_CHANGED | OrderingSolver.THEN_CHANGED;
      }
      changed |=
          update(
              instance,
              firstAction,
              thenAction,
              node,
              ActionState.flags(firstAction, node),
              relation);
    }
    return changed;
  }

  // Of a container's replica it is sometimes the action of what runs inside that counts.
  private static @Nullable Action instanceAction(
      Action action, Resource instance, String task, @Nullable Node node, boolean isFirst) {
    var inside =
        isFirst
            ? !action.task().equals(TaskName.STOP) && !action.task().equals(TaskName.STOPPED)
            : isRoleChange(action.task());
    var contained = inside ? Places.insideContainer(instance) : null;
    return contained == null
        ? Actions.first(instance, null, task, node)
        : Actions.first(contained, null, task, null);
  }

  private static boolean isRoleChange(String task) {
    return switch (task) {
      case TaskName.PROMOTE, TaskName.PROMOTED, TaskName.DEMOTE, TaskName.DEMOTED -> true;
      default -> false;
    };
  }
}
