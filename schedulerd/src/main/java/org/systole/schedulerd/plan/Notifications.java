package org.systole.schedulerd.plan;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.schedulerd.action.Actions;
import org.systole.schedulerd.action.OpKey;
import org.systole.schedulerd.action.Task;
import org.systole.schedulerd.model.Action;
import org.systole.schedulerd.model.ActionFlag;
import org.systole.schedulerd.model.Clone;
import org.systole.schedulerd.model.Node;
import org.systole.schedulerd.model.NodeFlag;
import org.systole.schedulerd.model.NodeNames;
import org.systole.schedulerd.model.NotificationData;
import org.systole.schedulerd.model.NotificationData.Entry;
import org.systole.schedulerd.model.Relation;
import org.systole.schedulerd.model.Resource;
import org.systole.schedulerd.model.ResourceFlag;
import org.systole.schedulerd.model.Role;
import org.systole.schedulerd.model.ScoredNode;

/// Tells the instances of a clone before and after others are started, stopped, promoted or demoted.
final class Notifications {
  private static final Comparator<Entry> BY_RESOURCE =
      Comparator.comparing((Entry entry) -> entry.resource().id)
          .thenComparing(entry -> entry.node() == null ? "" : entry.node().id);

  /// What stands for an empty list in a variable.
  private static final String NOTHING = " ";

  private Notifications() {}

  /// Creates the milestones around the starts and stops of a clone, unless it wants none.
  static void createMilestones(
      Clone clone, Action start, Action started, Action stop, Action stopped) {
    if (clone.startNotifications == null) {
      clone.startNotifications = milestones(clone, Task.START, start, started);
    }
    if (clone.stopNotifications == null) {
      clone.stopNotifications = milestones(clone, Task.STOP, stop, stopped);
      order(clone.stopNotifications, clone.startNotifications);
    }
  }

  /// Creates the milestones around the promotions of a clone.
  static void createPromoteMilestones(Clone clone, Action promote, Action promoted) {
    if (clone.promoteNotifications == null) {
      clone.promoteNotifications = milestones(clone, Task.PROMOTE, promote, promoted);
    }
  }

  /// Creates the milestones around the demotions of a clone, and brings all kinds into their order.
  static void createDemoteMilestones(Clone clone, Action demote, Action demoted) {
    if (clone.demoteNotifications != null) {
      return;
    }
    clone.demoteNotifications = milestones(clone, Task.DEMOTE, demote, demoted);
    if (clone.promoteNotifications != null) {
      order(clone.stopNotifications, clone.promoteNotifications);
      order(clone.startNotifications, clone.promoteNotifications);
      order(clone.demoteNotifications, clone.promoteNotifications);
      order(clone.demoteNotifications, clone.startNotifications);
      order(clone.demoteNotifications, clone.stopNotifications);
    }
  }

  private static void order(@Nullable NotificationData first, @Nullable NotificationData then) {
    if (first != null && then != null) {
      Actions.order(first.postDone, then.pre, Relation.ORDERED);
    }
  }

  /// Creates the notifications of all instances of a clone, once its actions are known.
  static void createAll(Clone clone) {
    create(clone, clone.startNotifications);
    create(clone, clone.stopNotifications);
    create(clone, clone.promoteNotifications);
    create(clone, clone.demoteNotifications);
  }

  private static void create(Clone clone, @Nullable NotificationData data) {
    if (data != null) {
      collect(clone, true, data);
      addVariables(clone, data);
      createActions(clone, data);
    }
  }

  /// Notifies the other instances of a stop that is implied by fencing, after the fencing.
  static void afterFencing(Action stop, Resource instance, Action fencing) {
    instance.cluster.info("Ordering notifications for implied " + stop.key + " after fencing");
    var data = milestones(instance, Task.STOP, null, fencing);
    if (data != null) {
      collect(instance, false, data);
      data.variables.put("notify_stop_resource", instance.id);
      data.variables.put("notify_stop_uname", stop.node == null ? NOTHING : stop.node.name);
      createActions(instance.top(false), data);
    }
  }

  /// The milestones before `action` and after `complete`, as far as those are given; null if the
  /// resource wants no notifications.
  private static @Nullable NotificationData milestones(
      Resource resource, String task, @Nullable Action action, @Nullable Action complete) {
    if (!resource.is(ResourceFlag.NOTIFY)) {
      return null;
    }
    var data = new NotificationData(task);
    if (action != null) {
      data.pre = milestone(resource, action, Task.NOTIFY, "pre", "pre", task);
      data.pre.set(ActionFlag.RUNNABLE);
      data.preDone = milestone(resource, action, Task.NOTIFIED, "confirmed-pre", "pre", task);
      data.preDone.set(ActionFlag.RUNNABLE);
      Actions.order(data.pre, data.preDone, Relation.ORDERED);
      Actions.order(data.preDone, action, Relation.ORDERED);
    }
    if (complete != null) {
      data.post = milestone(resource, complete, Task.NOTIFY, "post", "post", task);
      data.postDone = milestone(resource, complete, Task.NOTIFIED, "confirmed-post", "post", task);
      for (var after : List.of(data.post, data.postDone)) {
        after.priority = Score.INFINITY;
        if (complete.is(ActionFlag.RUNNABLE)) {
          after.set(ActionFlag.RUNNABLE);
        } else {
          after.clear(ActionFlag.RUNNABLE);
        }
      }
      Actions.order(complete, data.post, Relation.FIRST_IMPLIES_THEN);
      Actions.order(data.post, data.postDone, Relation.FIRST_IMPLIES_THEN);
    }
    if (action != null && complete != null) {
      Actions.order(data.preDone, data.post, Relation.ORDERED);
    }
    return data;
  }

  private static Action milestone(
      Resource resource, Action about, String task, String keyType, String type, String original) {
    var milestone =
        Actions.custom(
            resource,
            OpKey.notify(resource.id, keyType, about.task),
            task,
            null,
            about.is(ActionFlag.OPTIONAL));
    milestone.set(ActionFlag.PSEUDO);
    milestone.meta.put("notify_key_type", keyType);
    milestone.meta.put("notify_key_operation", about.task);
    milestone.meta.put("notify_type", type);
    milestone.meta.put("notify_operation", original);
    return milestone;
  }

  /// Collects who is where and, if asked for, what is going to happen to whom.
  private static void collect(Resource resource, boolean actions, NotificationData data) {
    if (data.available == null) {
      data.available = resource.allowed;
    }
    if (!resource.children.isEmpty()) {
      resource.children.forEach(child -> collect(child, actions, data));
      return;
    }
    var entry = new Entry(resource, resource.active.isEmpty() ? null : resource.active.getFirst());
    switch (resource.role) {
      case STOPPED -> data.inactive.add(entry);
      case STARTED -> data.active.add(entry);
      case UNPROMOTED -> {
        data.unpromoted.add(entry);
        data.active.add(entry);
      }
      case PROMOTED -> {
        data.promoted.add(entry);
        data.active.add(entry);
      }
      case UNKNOWN ->
          resource.cluster.error(
              "Resource " + resource.id + " role is not supported for notifications");
    }
    if (actions) {
      resource.actions.forEach(action -> collect(action, data));
    }
  }

  private static void collect(Action action, NotificationData data) {
    var node = action.node;
    var resource = action.resource;
    if (action.is(ActionFlag.OPTIONAL) || node == null || resource == null) {
      return;
    }
    var stopOfLost = action.task.equals(Task.STOP) && node.unclean;
    if (!stopOfLost && !action.is(ActionFlag.RUNNABLE)) {
      return;
    }
    var entry = new Entry(resource, node);
    switch (action.task) {
      case Task.START -> data.start.add(entry);
      case Task.STOP -> data.stop.add(entry);
      case Task.PROMOTE -> data.promote.add(entry);
      case Task.DEMOTE -> data.demote.add(entry);
      default -> {}
    }
  }

  private static void addVariables(Clone clone, NotificationData data) {
    addLists(data, "stop", data.stop);
    addLists(data, "start", data.start);
    addLists(data, "demote", data.demote);
    addLists(data, "promote", data.promote);
    addLists(data, "active", data.active);
    addLists(data, "unpromoted", data.unpromoted);
    addLists(data, "slave", data.unpromoted);
    addLists(data, "promoted", data.promoted);
    addLists(data, "master", data.promoted);
    addLists(data, "inactive", data.inactive);
    data.variables.remove("notify_inactive_uname");
    data.variables.put("notify_available_uname", availableNames(data));
    var nodes = clone.cluster.nodes;
    if ("host".equals(clone.meta.get("container-attribute-target"))) {
      data.variables.put(
          "notify_all_hosts", names(nodes.stream().map(Notifications::host).toList()));
    }
    data.variables.put("notify_all_uname", names(nodes));
    var happens =
        switch (data.task) {
          case Task.STOP -> !data.variables.get("notify_stop_resource").equals(NOTHING);
          case Task.START -> !data.start.isEmpty();
          case Task.PROMOTE -> !data.promote.isEmpty();
          case Task.DEMOTE -> !data.demote.isEmpty();
          default -> false;
        };
    if (happens) {
      require(data.pre);
      require(data.preDone);
      require(data.post);
      require(data.postDone);
    }
  }

  private static void require(@Nullable Action milestone) {
    if (milestone != null) {
      milestone.clear(ActionFlag.OPTIONAL);
    }
  }

  private static String availableNames(NotificationData data) {
    if (data.available == null) {
      return NOTHING;
    }
    var entries = new java.util.ArrayList<ScoredNode>();
    data.available.forEach(entries::add);
    entries.sort(Comparator.comparing(entry -> entry.node.name, NodeNames.ORDER));
    return names(entries.stream().map(entry -> entry.node).toList());
  }

  /// The host of a guest if it runs anywhere, else the node itself.
  private static Node host(Node node) {
    if (node.isGuest() && node.remote != null && node.remote.launcher != null) {
      var host = node.remote.launcher.currentNode();
      return host == null ? node : host;
    }
    return node;
  }

  private static String names(List<Node> nodes) {
    var names = String.join(" ", nodes.stream().map(node -> node.name).toList());
    return names.isEmpty() ? NOTHING : names;
  }

  private static void addLists(NotificationData data, String kind, List<Entry> entries) {
    var resources = new StringBuilder();
    var nodes = new StringBuilder();
    var withNodes = !kind.equals("inactive");
    var last = "";
    entries.sort(BY_RESOURCE);
    for (var entry : entries) {
      if (withNodes && entry.node() == null || entry.resource().id.equals(last)) {
        continue;
      }
      last = entry.resource().id;
      append(resources, last);
      if (entry.node() != null) {
        append(nodes, entry.node().name);
      }
    }
    data.variables.put("notify_" + kind + "_resource", orNothing(resources));
    data.variables.put("notify_" + kind + "_uname", orNothing(nodes));
  }

  private static void append(StringBuilder list, String word) {
    if (!list.isEmpty()) {
      list.append(' ');
    }
    list.append(word);
  }

  private static String orNothing(StringBuilder list) {
    return list.isEmpty() ? NOTHING : list.toString();
  }

  /// Creates the notifications of a resource's instances.
  private static void createActions(Resource resource, NotificationData data) {
    if (!resource.children.isEmpty()) {
      resource.children.forEach(child -> createActions(child, data));
      return;
    }
    for (var action : resource.actions) {
      if (!action.is(ActionFlag.OPTIONAL) && action.node != null && isNotified(action.task)) {
        action.meta.putAll(data.variables);
      }
    }
    // A stop cannot be left out like that: it may be implied by fencing.
    if (data.task.equals(Task.START) && data.start.isEmpty()
        || data.task.equals(Task.PROMOTE) && data.promote.isEmpty()
        || data.task.equals(Task.DEMOTE) && data.demote.isEmpty()) {
      return;
    }
    switch (data.task) {
      case Task.STOP, Task.DEMOTE -> {
        if (resource.role != Role.STOPPED) {
          createForDown(resource, data);
        }
      }
      case Task.START, Task.PROMOTE -> {
        if (resource.nextRole != Role.STOPPED) {
          createForUp(resource, data);
        }
      }
      default -> {}
    }
  }

  private static boolean isNotified(String task) {
    return switch (task) {
      case Task.START, Task.STOP, Task.PROMOTE, Task.DEMOTE -> true;
      default -> false;
    };
  }

  private static void createForDown(Resource resource, NotificationData data) {
    var stop = Actions.first(resource, null, Task.STOP, null);
    for (var node : resource.active) {
      // Who is about to be fenced cannot be told anything.
      if (stop != null
          && stop.is(ActionFlag.PSEUDO)
          && (node.unclean || node.is(NodeFlag.REMOTE_RESET))) {
        continue;
      }
      notify(resource, node, data.pre, data.preDone, data);
      if (data.task.equals(Task.DEMOTE) || stop == null || stop.is(ActionFlag.OPTIONAL)) {
        notifyAfter(resource, node, data);
      }
    }
  }

  private static void createForUp(Resource resource, NotificationData data) {
    var start = Actions.first(resource, null, Task.START, null);
    if (start != null && start.node != null && start.node.remote != null) {
      var connect = Actions.first(start.node.remote, null, Task.START, null);
      if (connect != null && !connect.is(ActionFlag.RUNNABLE)) {
        return;
      }
    }
    var assigned = resource.assigned;
    if (assigned == null) {
      resource.cluster.error(
          "Next role '" + resource.nextRole.text() + "' but " + resource.id
              + " is not allocated");
      return;
    }
    if (!data.task.equals(Task.START) || start == null || start.is(ActionFlag.OPTIONAL)) {
      notify(resource, assigned.node, data.pre, data.preDone, data);
    }
    notifyAfter(resource, assigned.node, data);
  }

  private static @Nullable Action notify(
      Resource resource,
      Node node,
      @Nullable Action milestone,
      @Nullable Action done,
      NotificationData data) {
    if (milestone == null
        || done == null
        || !node.online
        || !milestone.is(ActionFlag.RUNNABLE)) {
      return null;
    }
    var type = milestone.meta.getOrDefault("notify_type", "");
    var task = milestone.meta.getOrDefault("notify_operation", "");
    var notify =
        Actions.custom(
            resource,
            OpKey.notify(resource.id, type, task),
            milestone.task,
            node,
            milestone.is(ActionFlag.OPTIONAL));
    milestone.meta.forEach(notify.meta::putIfAbsent);
    notify.meta.putAll(data.variables);
    Actions.order(milestone, notify, Relation.ORDERED);
    Actions.order(notify, done, Relation.ORDERED);
    return notify;
  }

  private static void notifyAfter(Resource resource, Node node, NotificationData data) {
    var notify = notify(resource, node, data.post, data.postDone, data);
    if (notify != null) {
      notify.priority = Score.INFINITY;
    }
    if (data.postDone == null) {
      return;
    }
    for (var action : resource.actions.reversed()) {
      if (!action.meta.getOrDefault("interval", "0").equals("0")
          && !action.task.equals(Task.CANCEL)) {
        Actions.order(data.postDone, action, Relation.ORDERED);
      }
    }
  }
}
