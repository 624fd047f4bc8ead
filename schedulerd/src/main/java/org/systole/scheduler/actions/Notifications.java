package org.systole.scheduler.actions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;

/// Tells the instances of a clone before and after its actions, if it wants to be told.
public final class Notifications {
  private Notifications() {}

  private static @Nullable NotificationData data(@Nullable Object stored) {
    return stored instanceof NotificationData data ? data : null;
  }

  static void aroundStartAndStop(
      Clone clone, Action start, Action started, Action stop, Action stopped) {
    if (clone.startNotifications() == null) {
      clone.setStartNotifications(milestones(clone, TaskName.START, start, started));
    }
    if (clone.stopNotifications() == null) {
      var stops = milestones(clone, TaskName.STOP, stop, stopped);
      clone.setStopNotifications(stops);
      var starts = data(clone.startNotifications());
      if (starts != null && stops != null) {
        Actions.order(stops.postDone, starts.pre, Relation.ORDERED);
      }
    }
  }

  static void aroundPromotion(Clone clone, Action promote, Action promoted) {
    if (clone.promoteNotifications() == null) {
      clone.setPromoteNotifications(milestones(clone, TaskName.PROMOTE, promote, promoted));
    }
  }

  static void aroundDemotion(Clone clone, Action demote, Action demoted) {
    if (clone.demoteNotifications() != null) {
      return;
    }
    var demotes = milestones(clone, TaskName.DEMOTE, demote, demoted);
    clone.setDemoteNotifications(demotes);
    var promotes = data(clone.promoteNotifications());
    var starts = data(clone.startNotifications());
    var stops = data(clone.stopNotifications());
    if (promotes != null && demotes != null && starts != null && stops != null) {
      Actions.order(stops.postDone, promotes.pre, Relation.ORDERED);
      Actions.order(starts.postDone, promotes.pre, Relation.ORDERED);
      Actions.order(demotes.postDone, promotes.pre, Relation.ORDERED);
      Actions.order(demotes.postDone, starts.pre, Relation.ORDERED);
      Actions.order(demotes.postDone, stops.pre, Relation.ORDERED);
    }
  }

  // The points "before", "told before", "after" and "told after" of an action of the whole clone.
  private static @Nullable NotificationData milestones(
      Resource rsc, String task, @Nullable Action action, @Nullable Action complete) {
    if (!rsc.is(ResourceFlag.NOTIFY)) {
      return null;
    }
    var data = new NotificationData(task);
    if (action != null) {
      data.pre = milestone(rsc, data, action, TaskName.NOTIFY, "pre", "pre");
      data.pre.set(ActionFlag.RUNNABLE);
      data.preDone = milestone(rsc, data, action, TaskName.NOTIFIED, "confirmed-pre", "pre");
      data.preDone.set(ActionFlag.RUNNABLE);
      Actions.order(data.pre, data.preDone, Relation.ORDERED);
      Actions.order(data.preDone, action, Relation.ORDERED);
    }
    if (complete != null) {
      data.post = after(rsc, data, complete, TaskName.NOTIFY, "post");
      data.postDone = after(rsc, data, complete, TaskName.NOTIFIED, "confirmed-post");
      Actions.order(complete, data.post, Relation.FIRST_IMPLIES_THEN);
      Actions.order(data.post, data.postDone, Relation.FIRST_IMPLIES_THEN);
    }
    if (action != null && complete != null) {
      Actions.order(data.preDone, data.post, Relation.ORDERED);
    }
    return data;
  }

  private static Action after(
      Resource rsc, NotificationData data, Action complete, String task, String type) {
    var point = milestone(rsc, data, complete, task, type, "post");
    point.setPriority(Score.INFINITY);
    if (complete.is(ActionFlag.RUNNABLE)) {
      point.set(ActionFlag.RUNNABLE);
    } else {
      point.clear(ActionFlag.RUNNABLE);
    }
    return point;
  }

  private static Action milestone(
      Resource rsc,
      NotificationData data,
      Action action,
      String task,
      String keyType,
      String type) {
    var point =
        Actions.custom(
            rsc,
            OperationKey.notification(rsc.id(), keyType, action.task()),
            task,
            null,
            action.is(ActionFlag.OPTIONAL));
    point.set(ActionFlag.PSEUDO);
    point.meta().put("notify_key_type", keyType);
    point.meta().put("notify_key_operation", action.task());
    point.meta().put("notify_type", type);
    point.meta().put("notify_operation", data.task);
    return point;
  }

  /// Creates the notify actions of all instances, now that all actions are known.
  public static void create(Clone clone) {
    for (var stored :
        new Object[] {
          clone.startNotifications(),
          clone.stopNotifications(),
          clone.promoteNotifications(),
          clone.demoteNotifications()
        }) {
      var data = data(stored);
      if (data != null) {
        data.collect(clone, true);
        data.addKeys(clone);
        createFor(clone, data);
      }
    }
  }

  /// Has the others told after the fencing that stops an instance.
  static void afterFencing(Action stop, Resource rsc, Action fencing) {
    var data = milestones(rsc, TaskName.STOP, null, fencing);
    if (data != null && stop.node() != null) {
      data.collect(rsc, false);
      data.keys.put("notify_stop_resource", rsc.id());
      data.keys.put("notify_stop_uname", stop.node().name());
      createFor(rsc.top(false), data);
    }
  }

  private static void createFor(Resource rsc, NotificationData data) {
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(child -> createFor(child, data));
      return;
    }
    for (var action : rsc.actions()) {
      if (!action.is(ActionFlag.OPTIONAL) && action.node() != null && isTold(action.task())) {
        action.meta().putAll(data.keys);
      }
    }
    if (data.isIdle()) {
      return;
    }
    switch (data.task) {
      case TaskName.STOP, TaskName.DEMOTE -> {
        if (rsc.role() != Role.STOPPED) {
          aroundDown(rsc, data);
        }
      }
      case TaskName.START, TaskName.PROMOTE -> {
        if (rsc.nextRole() != Role.STOPPED) {
          aroundUp(rsc, data);
        }
      }
      default -> {}
    }
  }

  private static boolean isTold(String task) {
    return switch (task) {
      case TaskName.START, TaskName.STOP, TaskName.PROMOTE, TaskName.DEMOTE -> true;
      default -> false;
    };
  }

  private static void aroundDown(Resource rsc, NotificationData data) {
    var stop = Actions.first(rsc, null, TaskName.STOP, null);
    for (var node : List.copyOf(rsc.active())) {
      // Nobody is told on a node that is being fenced.
      if (stop != null
          && stop.is(ActionFlag.PSEUDO)
          && (node.unclean() || node.is(NodeFlag.REMOTE_RESET))) {
        continue;
      }
      before(rsc, node, data);
      if (data.task.equals(TaskName.DEMOTE) || stop == null || stop.is(ActionFlag.OPTIONAL)) {
        after(rsc, node, data);
      }
    }
  }

  private static void aroundUp(Resource rsc, NotificationData data) {
    var start = Actions.first(rsc, null, TaskName.START, null);
    if (start != null && connectionIsBlocked(start)) {
      return;
    }
    if (rsc.assigned() == null) {
      rsc.cluster()
          .error(
              "create_notify_actions",
              "Next role '%s' but %s is not allocated".formatted(rsc.nextRole().text(), rsc.id()),
              "");
      return;
    }
    var node = rsc.assigned().node();
    if (!data.task.equals(TaskName.START) || start == null || start.is(ActionFlag.OPTIONAL)) {
      before(rsc, node, data);
    }
    after(rsc, node, data);
  }

  private static boolean connectionIsBlocked(Action start) {
    var remote = start.node() == null ? null : start.node().remote();
    var remoteStart = remote == null ? null : Actions.first(remote, null, TaskName.START, null);
    return remoteStart != null && !remoteStart.is(ActionFlag.RUNNABLE);
  }

  private static void before(Resource rsc, Node node, NotificationData data) {
    notify(rsc, node, data.pre, data.preDone, data);
  }

  private static void after(Resource rsc, Node node, NotificationData data) {
    var notify = notify(rsc, node, data.post, data.postDone, data);
    if (notify != null) {
      notify.setPriority(Score.INFINITY);
    }
    if (data.postDone == null) {
      return;
    }
    // Recurring monitors go on only when all have been told.
    for (var at = rsc.actions().size() - 1; at >= 0; at--) {
      var action = rsc.actions().get(at);
      if (!action.meta().getOrDefault("interval", "0").equals("0")
          && !action.task().equals(TaskName.CANCEL)) {
        Actions.order(data.postDone, action, Relation.ORDERED);
      }
    }
  }

  private static @Nullable Action notify(
      Resource rsc,
      Node node,
      @Nullable Action point,
      @Nullable Action done,
      NotificationData data) {
    if (point == null || done == null || !node.online() || !point.is(ActionFlag.RUNNABLE)) {
      return null;
    }
    var key =
        OperationKey.notification(
            rsc.id(),
            point.meta().getOrDefault("notify_type", ""),
            point.meta().getOrDefault("notify_operation", ""));
    var notify = Actions.custom(rsc, key, point.task(), node, point.is(ActionFlag.OPTIONAL));
    point.meta().forEach(notify.meta()::putIfAbsent);
    notify.meta().putAll(data.keys);
    Actions.order(point, notify, Relation.ORDERED);
    Actions.order(notify, done, Relation.ORDERED);
    return notify;
  }
}
