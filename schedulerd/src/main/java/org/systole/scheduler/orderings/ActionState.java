package org.systole.scheduler.orderings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ActionFlags;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.operations.Actions;

/// The flags of an action as they follow from the same action of what is inside its resource.
public final class ActionState {
  // What holds for a whole until something inside says else.
  private static final ActionFlags AT_FIRST =
      ActionFlags.of(ActionFlag.OPTIONAL, ActionFlag.RUNNABLE, ActionFlag.PSEUDO);

  private static final String NO_ACTION = "no_action";

  private ActionState() {}

  /// The flags; what they follow from is noted in the action itself.
  ///
  /// @param node look only at actions there, null for anywhere
  public static ActionFlags flags(Action action, @Nullable Node node) {
    return switch (action.resource()) {
      case null -> action.flags();
      case Primitive _ -> action.flags();
      case Group group -> ofGroup(action, group, node);
      case Clone clone -> ofInstances(action, clone.children(), node);
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

  private static ActionFlags ofGroup(Action action, Group group, @Nullable Node node) {
    var flags = AT_FIRST;
    for (var member : group.children()) {
      var task = taskOf(member, action.task());
      var memberAction = Actions.first(member, null, task, node);
      if (memberAction == null) {
        // All members must do it, but for going down.
        if (!task.equals(TaskName.STOP) && !task.equals(TaskName.DEMOTE)) {
          flags = flags.without(ActionFlag.RUNNABLE);
        }
        continue;
      }
      var memberFlags = flags(memberAction, node);
      if (flags.has(ActionFlag.OPTIONAL) && !memberFlags.has(ActionFlag.OPTIONAL)) {
        flags = flags.without(ActionFlag.OPTIONAL);
        action.clear(ActionFlag.OPTIONAL);
      }
      if (!task.equals(action.task())
          && flags.has(ActionFlag.RUNNABLE)
          && !memberFlags.has(ActionFlag.RUNNABLE)) {
        flags = flags.without(ActionFlag.RUNNABLE);
        action.clear(ActionFlag.RUNNABLE);
      }
    }
    return flags;
  }

  private static ActionFlags ofBundle(Action action, Bundle bundle, @Nullable Node node) {
    var child = bundle.child();
    if (child != null && isOfBundled(action.task())) {
      return ofInstances(action, child.children(), node);
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
  private static ActionFlags ofInstances(
      Action action, List<Resource> instances, @Nullable Node node) {
    var rsc = action.resource();
    if (node != null || rsc == null) {
      return inferred(action, instances, node);
    }
    if (action.inferredAt() != rsc.cluster().actionChanges()) {
      action.setInferredFlags(inferred(action, instances, null));
      action.setInferredAt(rsc.cluster().actionChanges());
    }
    return action.inferredFlags();
  }

  private static ActionFlags inferred(
      Action action, List<Resource> instances, @Nullable Node node) {
    var task = instanceTask(action);
    var flags = AT_FIRST;
    var anyRunnable = false;
    for (var instance : instances) {
      var found = Actions.first(instance, null, task, instance instanceof Primitive ? node : null);
      if (found == null) {
        continue;
      }
      var instanceFlags = flags(found, node);
      if (flags.has(ActionFlag.OPTIONAL) && !instanceFlags.has(ActionFlag.OPTIONAL)) {
        flags = flags.without(ActionFlag.OPTIONAL);
        action.clear(ActionFlag.OPTIONAL);
      }
      anyRunnable |= instanceFlags.has(ActionFlag.RUNNABLE);
      if (anyRunnable && !flags.has(ActionFlag.OPTIONAL) && instance instanceof Primitive) {
        break; // nothing that a further one could change
      }
    }
    if (!anyRunnable) {
      flags = flags.without(ActionFlag.RUNNABLE);
      if (node == null) {
        action.clear(ActionFlag.RUNNABLE);
      }
    }
    return flags;
  }

  /// The task of the instances that an action of the whole clone or bundle is about.
  static String instanceTask(Action action) {
    var task = action.task();
    if (task.equalsIgnoreCase(TaskName.NOTIFY) || task.equalsIgnoreCase(TaskName.NOTIFIED)) {
      var parsed = OperationKey.parse(action.key());
      var at = parsed == null ? -1 : parsed.operation().text().indexOf("_notify_");
      if (parsed == null || at < 0) {
        return NO_ACTION;
      }
      task = parsed.operation().text().substring(at + "_notify_".length());
    }
    var rsc = action.resource();
    return rsc == null || rsc.children().isEmpty()
        ? NO_ACTION
        : taskOf(rsc.children().getFirst(), task);
  }

  /// The flags for the purpose of an ordering: of a clone's action on a node it counts whether it
  /// can run anywhere.
  static ActionFlags forOrdering(Action action, @Nullable Node node) {
    if (action.resource() == null) {
      return action.flags();
    }
    var anywhere = flags(action, null);
    if (node == null || !(action.resource() instanceof Clone)) {
      return anywhere;
    }
    var there = flags(action, node);
    return anywhere.has(ActionFlag.RUNNABLE) ? there.with(ActionFlag.RUNNABLE) : there;
  }
}
