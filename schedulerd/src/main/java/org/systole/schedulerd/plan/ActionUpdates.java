package org.systole.schedulerd.plan;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.schedulerd.action.Actions;
import org.systole.schedulerd.action.Task;
import org.systole.schedulerd.model.Action;
import org.systole.schedulerd.model.ActionFlag;
import org.systole.schedulerd.model.Bundle;
import org.systole.schedulerd.model.Clone;
import org.systole.schedulerd.model.Group;
import org.systole.schedulerd.model.Node;
import org.systole.schedulerd.model.Primitive;
import org.systole.schedulerd.model.RelatedAction;
import org.systole.schedulerd.model.Relation;
import org.systole.schedulerd.model.Resource;
import org.systole.schedulerd.model.ResourceFlag;
import org.systole.schedulerd.model.Role;

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
    if (has(
            Relation.FIRST_IMPLIES_THEN
                | Relation.THEN_IMPLIES_FIRST
                | Relation.INTERMEDIATE_STOP)
        && rsc != null
        && !rsc.is(ResourceFlag.MANAGED)
        && rsc.is(ResourceFlag.BLOCKED)
        && !first.is(ActionFlag.RUNNABLE)
        && first.task.equals(Task.STOP)
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
      case Primitive _ -> Plain.update(first, then, flags, filter, relation);
      case Group _ -> ofGroup(first, then, node, flags, filter, relation);
      case Clone _, Bundle _ -> ofInstances(first, then, node, flags, filter, relation);
    };
  }

  private static int ofGroup(
      Action first, Action then, @Nullable Node node, int flags, int filter, int relation) {
    var changed = Plain.update(first, then, flags, filter, relation);
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
    var changed = Plain.update(first, then, flags, filter, relation);
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
          InstanceColocations.compatible(
              instance, first.resource, Role.UNKNOWN, current, null);
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
            ? !action.task.equals(Task.STOP) && !action.task.equals(Task.STOPPED)
            : isRoleChange(action.task);
    var contained = inside ? Places.insideContainer(instance) : null;
    return contained == null
        ? Actions.first(instance, null, task, node)
        : Actions.first(contained, null, task, null);
  }

  private static boolean isRoleChange(String task) {
    return switch (task) {
      case Task.PROMOTE, Task.PROMOTED, Task.DEMOTE, Task.DEMOTED -> true;
      default -> false;
    };
  }

  /// One meaning of an ordering between two plain actions.
  private static final class Plain {
    static int update(Action first, Action then, int flags, int filter, int relation) {
      var thenBefore = then.flags;
      var firstBefore = first.flags;
      var optionalCounts = (filter & OPTIONAL) != 0;
      switch (relation) {
        case Relation.ASYMMETRIC -> asymmetric(first, then);
        case Relation.THEN_IMPLIES_FIRST -> {
          if (!then.is(ActionFlag.OPTIONAL)) {
            thenImpliesFirst(first, then, flags, optionalCounts);
          }
        }
        case Relation.PROMOTED_THEN_IMPLIES_FIRST -> {
          if (optionalCounts) {
            promotedThenImpliesFirst(first, then);
          }
        }
        case Relation.UNMIGRATABLE_THEN_BLOCKS -> {
          if (optionalCounts) {
            unmigratableThenBlocks(first, then);
          }
        }
        case Relation.FIRST_ELSE_THEN -> {
          if (optionalCounts && !first.is(ActionFlag.RUNNABLE)) {
            clear(then, ActionFlag.MIGRATABLE, first);
            then.clear(ActionFlag.PSEUDO);
          }
        }
        case Relation.UNRUNNABLE_FIRST_BLOCKS -> {
          if ((filter & RUNNABLE) != 0
              && then.is(ActionFlag.RUNNABLE)
              && (flags & RUNNABLE) == 0) {
            clear(then, ActionFlag.RUNNABLE, first);
            clear(then, ActionFlag.MIGRATABLE, first);
          }
        }
        case Relation.FIRST_IMPLIES_THEN -> {
          if (optionalCounts
              && then.is(ActionFlag.OPTIONAL)
              && (flags & OPTIONAL) == 0
              && !first.is(ActionFlag.MIGRATABLE)) {
            clear(then, ActionFlag.OPTIONAL, first);
          }
        }
        case Relation.INTERMEDIATE_STOP -> restart(first, then, filter);
        default -> {}
      }
      return changes(first, firstBefore, then, thenBefore);
    }

    private static int changes(Action first, int firstBefore, Action then, int thenBefore) {
      var changed = 0;
      if (thenBefore != then.flags) {
        changed |= OrderingSolver.THEN_CHANGED;
        if (then.resource != null && then.resource.parent != null) {
          // "X stops, then X starts" inside of a cloned group.
          OrderingSolver.update(then);
        }
      }
      if (firstBefore != first.flags) {
        changed |= OrderingSolver.FIRST_CHANGED;
      }
      return changed;
    }

    private static void thenImpliesFirst(
        Action first, Action then, int flags, boolean optionalCounts) {
      if (optionalCounts && (flags & OPTIONAL) == 0 && first.is(ActionFlag.OPTIONAL)) {
        clear(first, ActionFlag.OPTIONAL, then);
      }
      if ((flags & ActionState.MIGRATABLE) != 0 && !then.is(ActionFlag.MIGRATABLE)) {
        clear(first, ActionFlag.MIGRATABLE, then);
      }
    }

    private static void promotedThenImpliesFirst(Action first, Action then) {
      if (then.resource == null
          || then.resource.role != Role.PROMOTED
          || then.is(ActionFlag.OPTIONAL)) {
        return;
      }
      clear(first, ActionFlag.OPTIONAL, then);
      if (first.is(ActionFlag.MIGRATABLE) && !then.is(ActionFlag.MIGRATABLE)) {
        clear(first, ActionFlag.MIGRATABLE, then);
      }
    }

    private static void unmigratableThenBlocks(Action first, Action then) {
      if (!then.is(ActionFlag.MIGRATABLE) || !then.is(ActionFlag.RUNNABLE)) {
        clear(first, ActionFlag.RUNNABLE, then);
      }
      if (!then.is(ActionFlag.OPTIONAL)) {
        clear(first, ActionFlag.OPTIONAL, then);
      }
    }

    private static void asymmetric(Action first, Action then) {
      var rsc = then.resource;
      if (rsc == null || first.is(ActionFlag.RUNNABLE)) {
        return;
      }
      if (then.is(ActionFlag.OPTIONAL)) {
        var role = rsc.role(true);
        if (role == Role.STOPPED && then.task.equals(Task.STOP)) {
          return;
        }
        if (role.compareTo(Role.STARTED) >= 0
            && then.task.equals(Task.START)
            && then.node != null
            && rsc.active.size() == 1
            && rsc.active.getFirst() == then.node) {
          return;
        }
      }
      clear(then, ActionFlag.OPTIONAL, first);
      clear(then, ActionFlag.RUNNABLE, first);
    }

    private static void restart(Action first, Action then, int filter) {
      var required = (filter & OPTIONAL) != 0 && !then.is(ActionFlag.OPTIONAL);
      var cannotStart =
          (filter & RUNNABLE) != 0
              && !then.is(ActionFlag.RUNNABLE)
              && then.resource != null
              && then.resource.is(ResourceFlag.MANAGED)
              && first.resource == then.resource;
      if (!required && !cannotStart) {
        return;
      }
      if (first.is(ActionFlag.RUNNABLE) || !then.is(ActionFlag.OPTIONAL)) {
        clear(first, ActionFlag.OPTIONAL, then);
      }
      if (!then.is(ActionFlag.MIGRATABLE)) {
        clear(first, ActionFlag.MIGRATABLE, then);
      }
      if (!first.is(ActionFlag.OPTIONAL) && !first.is(ActionFlag.RUNNABLE)) {
        clear(then, ActionFlag.RUNNABLE, first);
      }
    }

    // The reason is noted unless it lies with the same resource.
    private static void clear(Action action, ActionFlag flag, Action because) {
      if (action.is(flag)) {
        action.clear(flag);
        if (action.resource != because.resource) {
          var change =
              switch (flag) {
                case RUNNABLE -> "unrunnable";
                case MIGRATABLE -> "unmigrateable";
                case OPTIONAL -> "required";
                default -> "";
              };
          var whose = because.resource == null ? "" : " " + because.resource.id;
          Actions.reason(action, change + whose + " " + because.task, false);
        }
      }
    }
  }
}
