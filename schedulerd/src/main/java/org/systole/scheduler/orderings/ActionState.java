package org.systole.scheduler.orderings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.operations.Actions;

/// The flags of an action as they follow from the same action of what is inside its resource.
public final class ActionState {
  static final int OPTIONAL = ActionFlag.OPTIONAL.bit;
  static final int RUNNABLE = ActionFlag.RUNNABLE.bit;
  static final int MIGRATABLE = ActionFlag.MIGRATABLE.bit;
  static final int PSEUDO = ActionFlag.PSEUDO.bit;

  private static final String NO_ACTION = "no_action";

  private ActionState() {}

  /// The flags as bits; what they follow from is noted in the action itself.
  ///
  /// @param node look only at actions there, null for anywhere
  public static int flags(Action action, @Nullable Node node) {
    return switch (action.resource) {
      case null -> action.flags;
      case Primitive _ -> action.flags;
      case Group group -> ofGroup(action, group, node);
      case Clone clone -> ofInstances(action, clone.children, node);
      case Bundle bundle -> ofBundle(action, bundle, node);
    };
  }

  /// The task by which a member has it: a primitive knows no milestones.
  private static String taskOf(Resource member, String task) {
    if (!Task.isKnown(task)) {
      return NO_ACTION;
    }
    return member instanceof Primitive ? Task.begun(task) : task;
  }

  private static int ofGroup(Action action, Group group, @Nullable Node node) {
    var flags = OPTIONAL | RUNNABLE | PSEUDO;
    for (var member : group.children) {
      var task = taskOf(member, action.task);
      var memberAction = Actions.first(member, null, task, node);
      if (memberAction == null) {
        // All members must do it, but for going down.
        if (!task.equals(TaskName.STOP) && !task.equals(TaskName.DEMOTE)) {
          flags &= ~RUNNABLE;
        }
        continue;
      }
      var memberFlags = flags(memberAction, node);
      if ((flags & OPTIONAL) != 0 && (memberFlags & OPTIONAL) == 0) {
        flags &= ~OPTIONAL;
        action.clear(ActionFlag.OPTIONAL);
      }
      if (!task.equals(action.task) && (flags & RUNNABLE) != 0 && (memberFlags & RUNNABLE) == 0) {
        flags &= ~RUNNABLE;
        action.clear(ActionFlag.RUNNABLE);
      }
    }
    return flags;
  }

  private static int ofBundle(Action action, Bundle bundle, @Nullable Node node) {
    var child = bundle.child;
    if (child != null && isOfBundled(action.task)) {
      return ofInstances(action, child.children, node);
    }
    return ofInstances(action, Assignment.containers(bundle), node);
  }

  // Roles and notifications are the bundled resource's, the rest is the containers'.
  private static boolean isOfBundled(String task) {
    return switch (task) {
      case TaskName.NOTIFY,
          TaskName.NOTIFIED,
          TaskName.PROMOTE,
          TaskName.PROMOTED,
          TaskName.DEMOTE,
          TaskName.DEMOTED ->
          true;
      default -> !Task.isKnown(task);
    };
  }

  // A large clone has as many orderings as instances, so all of them are looked at anew only if
  // something changed. What is noted in the action stands as long as nothing does.
  private static int ofInstances(Action action, List<Resource> instances, @Nullable Node node) {
    var rsc = action.resource;
    if (node != null || rsc == null) {
      return inferred(action, instances, node);
    }
    if (action.inferredAt != rsc.cluster.actionChanges()) {
      action.inferredFlags = inferred(action, instances, null);
      action.inferredAt = rsc.cluster.actionChanges();
    }
    return action.inferredFlags;
  }

  private static int inferred(Action action, List<Resource> instances, @Nullable Node node) {
    var task = instanceTask(action);
    var flags = OPTIONAL | RUNNABLE | PSEUDO;
    var anyRunnable = false;
    for (var instance : instances) {
      var found = Actions.first(instance, null, task, instance instanceof Primitive ? node : null);
      if (found == null) {
        continue;
      }
      var found0 = flags(found, node);
      if ((flags & OPTIONAL) != 0 && (found0 & OPTIONAL) == 0) {
        flags &= ~OPTIONAL;
        action.clear(ActionFlag.OPTIONAL);
      }
      anyRunnable |= (found0 & RUNNABLE) != 0;
      if (anyRunnable && (flags & OPTIONAL) == 0 && instance instanceof Primitive) {
        break; // nothing that a further one could change
      }
    }
    if (!anyRunnable) {
      flags &= ~RUNNABLE;
      if (node == null) {
        action.clear(ActionFlag.RUNNABLE);
      }
    }
    return flags;
  }

  /// The task of the instances that an action of the whole clone or bundle is about.
  static String instanceTask(Action action) {
    var task = action.task;
    if (task.equalsIgnoreCase(TaskName.NOTIFY) || task.equalsIgnoreCase(TaskName.NOTIFIED)) {
      var parsed = OperationKey.parse(action.key);
      var at = parsed == null ? -1 : parsed.operation().indexOf("_notify_");
      if (parsed == null || at < 0) {
        return NO_ACTION;
      }
      task = parsed.operation().substring(at + "_notify_".length());
    }
    var rsc = action.resource;
    return rsc == null || rsc.children.isEmpty()
        ? NO_ACTION
        : taskOf(rsc.children.getFirst(), task);
  }

  /// The flags for the purpose of an ordering: of a clone's action on a node it counts whether it
  /// can run anywhere.
  static int forOrdering(Action action, @Nullable Node node) {
    if (action.resource == null) {
      return action.flags;
    }
    var anywhere = flags(action, null);
    if (node == null || !(action.resource instanceof Clone)) {
      return anywhere;
    }
    return flags(action, node) | anywhere & RUNNABLE;
  }
}
