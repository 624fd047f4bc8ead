package org.systole.scheduler.orderings;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.assignment.InstanceColocations;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;

/// Applies one ordering to the flags of its two actions, for each meaning the ordering has.
final class ActionUpdates {
  private static final int OPTIONAL = ActionState.OPTIONAL;
  private static final int RUNNABLE = ActionState.RUNNABLE;

  private final Action first;
  private final Action then;
  private final int firstFlags;
  private final RelatedAction input;
  private @Nullable Node node;
  private int changed;

  private ActionUpdates(Action first, Action then, int firstFlags, RelatedAction input) {
    this.first = first;
    this.then = then;
    this.firstFlags = firstFlags;
    this.input = input;
    this.node = then.node;
  }

  static int apply(Action first, Action then, int firstFlags, int thenFlags, RelatedAction input) {
    var updates = new ActionUpdates(first, then, firstFlags, input);
    updates.apply(thenFlags);
    return updates.changed;
  }

  private boolean has(int relation) {
    return Relation.has(input.flags, relation);
  }

  private boolean isFirst(int flag) {
    return (firstFlags & flag) != 0;
  }

  private void apply(int thenFlags) {
    if (has(Relation.FIRST_IMPLIES_SAME_NODE_THEN)) {
      input.flags =
          input.flags & ~Relation.FIRST_IMPLIES_SAME_NODE_THEN | Relation.FIRST_IMPLIES_THEN;
      node = first.node;
    }
    implyRequired();
    implyRunnable();
    onThen(Relation.UNMIGRATABLE_THEN_BLOCKS, firstFlags, OPTIONAL);
    onThen(Relation.FIRST_ELSE_THEN, firstFlags, OPTIONAL);
    onThen(Relation.ORDERED, firstFlags, RUNNABLE);
    onThen(Relation.ASYMMETRIC, firstFlags, RUNNABLE);
    if (first.is(ActionFlag.RUNNABLE)
        && has(Relation.FIRST_IMPLIES_THEN_GRAPHED)
        && !isFirst(OPTIONAL)) {
      then.set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    if (has(Relation.THEN_IMPLIES_FIRST_GRAPHED) && (thenFlags & OPTIONAL) == 0) {
      first.set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    blockedStopBlocks();
  }

  private void onThen(int relation, int flags, int filter) {
    if (has(relation) && then.resource != null) {
      changed |= update(then.resource, first, then, node, flags, filter, relation);
    }
  }

  private void implyRequired() {
    onThen(Relation.FIRST_IMPLIES_THEN, firstFlags & OPTIONAL, OPTIONAL);
    if (has(Relation.FIRST_IMPLIES_THEN)
        && then.resource == null
        && !isFirst(OPTIONAL)
        && then.is(ActionFlag.OPTIONAL)) {
      then.clear(ActionFlag.OPTIONAL);
      changed |= OrderingSolver.THEN_CHANGED;
    }
    onThen(Relation.INTERMEDIATE_STOP, firstFlags, OPTIONAL | RUNNABLE);
    if (has(Relation.THEN_IMPLIES_FIRST)) {
      if (first.resource != null) {
        changed |=
            update(
                first.resource,
                first,
                then,
                node,
                firstFlags,
                OPTIONAL,
                Relation.THEN_IMPLIES_FIRST);
      } else if (!isFirst(OPTIONAL) && first.is(ActionFlag.RUNNABLE)) {
        first.clear(ActionFlag.RUNNABLE);
        changed |= OrderingSolver.FIRST_CHANGED;
      }
    }
    onThen(Relation.PROMOTED_THEN_IMPLIES_FIRST, firstFlags & OPTIONAL, OPTIONAL);
  }

  private void implyRunnable() {
    onThen(Relation.MIN_RUNNABLE, firstFlags, RUNNABLE);
    if (has(Relation.MIN_RUNNABLE) && then.resource == null && isFirst(RUNNABLE)) {
      then.runnableBefore++;
      if (then.runnableBefore >= then.requiredRunnableBefore && !then.is(ActionFlag.RUNNABLE)) {
        then.set(ActionFlag.RUNNABLE);
        changed |= OrderingSolver.THEN_CHANGED;
      }
    }
    if (has(Relation.NESTED_REMOTE_PROBE) && then.resource != null) {
      if (!isFirst(RUNNABLE) && first.resource != null && !first.resource.active.isEmpty()) {
        input.flags = Relation.NONE;
      } else {
        changed |=
            update(
                then.resource,
                first,
                then,
                node,
                firstFlags,
                RUNNABLE,
                Relation.UNRUNNABLE_FIRST_BLOCKS);
      }
    }
    onThen(Relation.UNRUNNABLE_FIRST_BLOCKS, firstFlags, RUNNABLE);
    if (has(Relation.UNRUNNABLE_FIRST_BLOCKS)
        && then.resource == null
        && !isFirst(RUNNABLE)
        && then.is(ActionFlag.RUNNABLE)) {
      then.clear(ActionFlag.RUNNABLE);
      changed |= OrderingSolver.THEN_CHANGED;
    }
  }

  private void blockedStopBlocks() {
    var rsc = first.resource;
    if (has(Relation.FIRST_IMPLIES_THEN | Relation.THEN_IMPLIES_FIRST | Relation.INTERMEDIATE_STOP)
        && rsc != null
        && !rsc.is(ResourceFlag.MANAGED)
        && rsc.is(ResourceFlag.BLOCKED)
        && !first.is(ActionFlag.RUNNABLE)
        && first.task.equals(TaskName.STOP)
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
      int flags,
      int filter,
      int relation) {
    return switch (rsc) {
      case Primitive _ -> PlainUpdates.update(first, then, flags, filter, relation);
      case Group _ -> ofGroup(first, then, node, flags, filter, relation);
      case Clone _, Bundle _ -> ofInstances(first, then, node, flags, filter, relation);
    };
  }

  private static int ofGroup(
      Action first, Action then, @Nullable Node node, int flags, int filter, int relation) {
    var changed = PlainUpdates.update(first, then, flags, filter, relation);
    if (then.resource != null) {
      for (var member : then.resource.children) {
        var action = Actions.first(member, null, then.task, node);
        if (action != null) {
          changed |= update(member, first, action, node, flags, filter, relation);
        }
      }
    }
    return changed;
  }

  private static int ofInstances(
      Action first, Action then, @Nullable Node node, int flags, int filter, int relation) {
    if (then.resource == null) {
      return 0;
    }
    if (mayInterleave(first, then)) {
      return interleaved(first, then, node, filter, relation);
    }
    var changed = PlainUpdates.update(first, then, flags, filter, relation);
    for (var instance : InstanceColocations.instances(then.resource)) {
      changed |= ofInstance(instance, first, then, node, flags, filter, relation);
    }
    return changed;
  }

  private static int ofInstance(
      Resource instance,
      Action first,
      Action then,
      @Nullable Node node,
      int flags,
      int filter,
      int relation) {
    var action = Actions.first(instance, null, then.task, node);
    if (action == null || (ActionState.flags(action, node) & RUNNABLE) == 0) {
      return 0;
    }
    var changed = update(instance, first, action, node, flags, filter, relation);
    if ((changed & OrderingSolver.THEN_CHANGED) != 0) {
      OrderingSolver.updateAfter(action);
    }
    return changed;
  }

  private static boolean mayInterleave(Action first, Action then) {
    if (first.resource == null
        || then.resource == null
        || first.resource == then.resource
        || !InstanceColocations.isCollective(first.resource)
        || !InstanceColocations.isCollective(then.resource)) {
      return false;
    }
    var down = then.key.endsWith("_stop_0") || then.key.endsWith("_demote_0");
    return Bool.isTrue((down ? first : then).resource.meta.get("interleave"));
  }

  // Instance by instance: each waits only for the other resource's instance on its own node.
  private static int interleaved(
      Action first, Action then, @Nullable Node node, int filter, int relation) {
    if (first.resource == null || then.resource == null) {
      return 0;
    }
    var changed = 0;
    var firstTask = ActionState.instanceTask(first);
    var current = first.key.endsWith("_stopped_0") || first.key.endsWith("_demoted_0");
    for (var instance : InstanceColocations.instances(then.resource)) {
      var match =
          InstanceColocations.compatible(instance, first.resource, Role.UNKNOWN, current, null);
      if (match == null) {
        if (!current
            && Relation.has(
                relation, Relation.UNRUNNABLE_FIRST_BLOCKS | Relation.FIRST_IMPLIES_THEN)
            && Assignment.place(instance, null, true, true)) {
          changed |= OrderingSolver.THEN_CHANGED;
        }
        continue;
      }
      var firstAction = instanceAction(first, match, firstTask, node, true);
      var thenAction =
          firstAction == null ? null : instanceAction(then, instance, then.task, node, false);
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
              filter,
              relation);
    }
    return changed;
  }

  // Of a container's replica it is sometimes the action of what runs inside that counts.
  private static @Nullable Action instanceAction(
      Action action, Resource instance, String task, @Nullable Node node, boolean isFirst) {
    var inside =
        isFirst
            ? !action.task.equals(TaskName.STOP) && !action.task.equals(TaskName.STOPPED)
            : isRoleChange(action.task);
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
