package org.systole.scheduler.orderings;

import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ActionFlags;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;

/// One meaning of an ordering between two plain actions.
final class PlainUpdates {
  private PlainUpdates() {}

  static int update(Action first, Action then, ActionFlags firstFlags, Relation relation) {
    var thenBefore = then.flags();
    var firstBefore = first.flags();
    switch (relation) {
      case ASYMMETRIC -> asymmetric(first, then);
      case THEN_IMPLIES_FIRST -> {
        if (!then.is(ActionFlag.OPTIONAL)) {
          thenImpliesFirst(first, then, firstFlags);
        }
      }
      case PROMOTED_THEN_IMPLIES_FIRST -> promotedThenImpliesFirst(first, then);
      case UNMIGRATABLE_THEN_BLOCKS -> unmigratableThenBlocks(first, then);
      case FIRST_ELSE_THEN -> {
        if (!first.is(ActionFlag.RUNNABLE)) {
          clear(then, ActionFlag.MIGRATABLE, first);
          then.clear(ActionFlag.PSEUDO);
        }
      }
      case UNRUNNABLE_FIRST_BLOCKS -> {
        if (then.is(ActionFlag.RUNNABLE) && !firstFlags.has(ActionFlag.RUNNABLE)) {
          clear(then, ActionFlag.RUNNABLE, first);
          clear(then, ActionFlag.MIGRATABLE, first);
        }
      }
      case FIRST_IMPLIES_THEN -> {
        if (then.is(ActionFlag.OPTIONAL)
            && !firstFlags.has(ActionFlag.OPTIONAL)
            && !first.is(ActionFlag.MIGRATABLE)) {
          clear(then, ActionFlag.OPTIONAL, first);
        }
      }
      case INTERMEDIATE_STOP -> restart(first, then);
      default -> {}
    }
    return changes(first, firstBefore, then, thenBefore);
  }

  private static int changes(
      Action first, ActionFlags firstBefore, Action then, ActionFlags thenBefore) {
    var changed = 0;
    if (thenBefore != then.flags()) {
      changed |= OrderingSolver.THEN_CHANGED;
      if (then.resource() != null && then.resource().parent() != null) {
        // "X stops, then X starts" inside of a cloned group.
        OrderingSolver.update(then);
      }
    }
    if (firstBefore != first.flags()) {
      changed |= OrderingSolver.FIRST_CHANGED;
    }
    return changed;
  }

  private static void thenImpliesFirst(Action first, Action then, ActionFlags firstFlags) {
    if (!firstFlags.has(ActionFlag.OPTIONAL) && first.is(ActionFlag.OPTIONAL)) {
      clear(first, ActionFlag.OPTIONAL, then);
    }
    if (firstFlags.has(ActionFlag.MIGRATABLE) && !then.is(ActionFlag.MIGRATABLE)) {
      clear(first, ActionFlag.MIGRATABLE, then);
    }
  }

  private static void promotedThenImpliesFirst(Action first, Action then) {
    if (then.resource() == null
        || then.resource().role() != Role.PROMOTED
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
    var rsc = then.resource();
    if (rsc == null || first.is(ActionFlag.RUNNABLE)) {
      return;
    }
    if (then.is(ActionFlag.OPTIONAL)) {
      var role = rsc.role(true);
      if (role == Role.STOPPED && then.task().equals(TaskName.STOP)) {
        return;
      }
      if (role.compareTo(Role.STARTED) >= 0
          && then.task().equals(TaskName.START)
          && then.node() != null
          && rsc.active().size() == 1
          && rsc.active().getFirst() == then.node()) {
        return;
      }
    }
    clear(then, ActionFlag.OPTIONAL, first);
    clear(then, ActionFlag.RUNNABLE, first);
  }

  private static void restart(Action first, Action then) {
    var required = !then.is(ActionFlag.OPTIONAL);
    var cannotStart =
        !then.is(ActionFlag.RUNNABLE)
            && then.resource() != null
            && then.resource().is(ResourceFlag.MANAGED)
            && first.resource() == then.resource();
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
      if (action.resource() != because.resource()) {
        var change =
            switch (flag) {
              case RUNNABLE -> "unrunnable";
              case MIGRATABLE -> "unmigrateable";
              case OPTIONAL -> "required";
              default -> "";
            };
        var whose = because.resource() == null ? "" : " " + because.resource().id();
        Actions.reason(action, change + whose + " " + because.task(), false);
      }
    }
  }
}
