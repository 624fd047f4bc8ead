package org.systole.scheduler.status;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;

/// Shows what a run of the scheduler plans to change.
public final class PlannedActions {
  private final View view;
  private int idWidth = 5;
  private int detailWidth = 5;
  private boolean measuring = true;

  private PlannedActions(View view) {
    this.view = view;
  }

  /// Shows the actions on nodes, then those on resources, as items of the current list.
  public static void show(View view) {
    var planned = new PlannedActions(view);
    view.cluster().resources().forEach(planned::showResource); // only to learn how wide columns are
    planned.measuring = false;
    var actions = view.cluster().actions();
    for (var at = actions.size() - 1; at >= 0; at--) {
      planned.showNodeAction(actions.get(at));
    }
    view.cluster().resources().forEach(planned::showResource);
  }

  private void showNodeAction(Action action) {
    if (action.resource() != null || action.is(ActionFlag.OPTIONAL) || action.reason() == null) {
      return;
    }
    var task =
        switch (action.task()) {
          case TaskName.SHUTDOWN -> "Shutdown";
          case TaskName.FENCE -> "Fence (" + action.meta().get("stonith_action") + ")";
          default -> null;
        };
    if (task == null) {
      return;
    }
    var node = nodeName(action.node());
    switch (view.out()) {
      case TextOutput text -> text.item(task + " " + node + " '" + action.reason() + "'");
      case XmlOutput xml ->
          xml.add("node_action", "task", task, "node", node, "reason", action.reason());
    }
  }

  private static @Nullable String nodeName(@Nullable Node node) {
    if (node == null) {
      return null;
    }
    var launcher = node.isGuest() && node.remote() != null ? node.remote().launcher() : null;
    return launcher == null ? node.name() : node.name() + " (resource: " + launcher.id() + ")";
  }

  private void showResource(Resource rsc) {
    if (rsc instanceof Bundle bundle) {
      for (var replica : bundle.replicas()) {
        showIfThere(replica.ip());
        showResource(replica.container());
        showIfThere(replica.remote());
        showIfThere(replica.child());
      }
      return;
    }
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(this::showResource);
      return;
    }
    var next = rsc.assigned() == null ? null : rsc.assigned().node();
    Node current = null;
    if (!rsc.active().isEmpty()) {
      current = rsc.currentNode();
      if (rsc.role() == Role.STOPPED) {
        rsc.setRole(Role.STARTED); // planning recovery may have changed it
      }
    }
    if (current == null && rsc.is(ResourceFlag.REMOVED)
        || !rsc.is(ResourceFlag.MANAGED)
        || current == null && next == null) {
      return;
    }
    if (rsc.role() == rsc.nextRole()) {
      showSameRole(rsc, current, next);
    } else {
      showChange(rsc, current, next);
    }
  }

  private void showIfThere(@Nullable Resource rsc) {
    if (rsc != null) {
      showResource(rsc);
    }
  }

  /// The first action made of that task on the node, or without one.
  private static @Nullable Action find(Resource rsc, @Nullable Node node, String task) {
    var found = Actions.byKey(rsc, OperationKey.text(rsc.id(), task), node);
    return found.isEmpty() ? null : found.getFirst();
  }

  private static boolean isRunnable(@Nullable Action action) {
    return action != null && action.is(ActionFlag.RUNNABLE);
  }

  private static @Nullable Action stop(
      Resource rsc, @Nullable Node current, @Nullable Action start) {
    var stop = find(rsc, isRunnable(start) ? current : null, TaskName.STOP);
    return stop == null && rsc.is(ResourceFlag.STOP_UNEXPECTED)
        ? find(rsc, null, TaskName.STOP)
        : stop;
  }

  private void showSameRole(Resource rsc, @Nullable Node current, @Nullable Node next) {
    if (next == null) {
      return;
    }
    var start = find(rsc, next, TaskName.START);
    var stop = stop(rsc, current, start);
    var migrate = find(rsc, next, TaskName.MIGRATE_FROM);
    if (current != null && isRunnable(migrate)) {
      item("Migrate", rsc, current, next, start, null);
    } else if (rsc.is(ResourceFlag.RELOAD)) {
      item("Reload", rsc, current, next, start, null);
    } else if (start == null || start.is(ActionFlag.OPTIONAL)) {
      var promote = find(rsc, next, TaskName.PROMOTE);
      var demote = find(rsc, next, TaskName.DEMOTE);
      if (demote != null
          && promote != null
          && !demote.is(ActionFlag.OPTIONAL)
          && !promote.is(ActionFlag.OPTIONAL)) {
        item("Re-promote", rsc, current, next, promote, demote);
      }
    } else if (!isRunnable(start)) {
      item("Stop", rsc, current, null, stop, stop == null || stop.reason() == null ? start : stop);
    } else if (current != null && current != next) {
      item(rsc.is(ResourceFlag.FAILED) ? "Recover" : "Move", rsc, current, next, stop, null);
    } else if (rsc.is(ResourceFlag.FAILED)) {
      item("Recover", rsc, current, null, stop, null);
    } else {
      item("Restart", rsc, current, next, start, null);
    }
  }

  private void showChange(Resource rsc, @Nullable Node current, @Nullable Node next) {
    var start = find(rsc, next, TaskName.START);
    var stop = stop(rsc, current, start);
    if (stop != null && (rsc.nextRole() == Role.STOPPED || start != null && !isRunnable(start))) {
      showStops(rsc, start);
    } else if (stop != null && rsc.is(ResourceFlag.FAILED) && rsc.is(ResourceFlag.STOP_IF_FAILED)) {
      item("Recover", rsc, current, next, stop, start);
    } else if (current != null && next != null && current != next) {
      item("Move", rsc, current, next, stop, null);
    } else if (rsc.is(ResourceFlag.RELOAD)) {
      item("Reload", rsc, current, next, start, null);
    } else if (stop != null && !stop.is(ActionFlag.OPTIONAL)) {
      item("Restart", rsc, current, next, start, null);
    } else if (rsc.role() == Role.PROMOTED) {
      item("Demote", rsc, current, next, find(rsc, next, TaskName.DEMOTE), null);
    } else if (rsc.nextRole() == Role.PROMOTED) {
      item("Promote", rsc, current, next, find(rsc, next, TaskName.PROMOTE), null);
    } else if (rsc.role() == Role.STOPPED && rsc.nextRole().above(Role.STOPPED)) {
      item("Start", rsc, current, next, start, null);
    }
  }

  private void showStops(Resource rsc, @Nullable Action start) {
    for (var node : rsc.active()) {
      var stop = find(rsc, node, TaskName.STOP);
      item("Stop", rsc, node, null, stop, stop != null && stop.reason() != null ? stop : start);
    }
  }

  /// @param action what is done
  /// @param source the action that has the reason; null for the same
  private void item(
      String change,
      Resource rsc,
      @Nullable Node origin,
      @Nullable Node destination,
      @Nullable Action action,
      @Nullable Action source) {
    if (action == null || origin == null && destination == null) {
      return;
    }
    var reason = (source == null ? action : source).reason();
    var blocked = !isRunnable(action);
    var details = details(rsc, origin, destination);
    if (measuring) {
      idWidth = rsc.id().length() > idWidth ? rsc.id().length() + 2 : idWidth;
      detailWidth = Math.max(detailWidth, details.length());
      return;
    }
    switch (view.out()) {
      case TextOutput text -> text.item(line(change, rsc, details, reason, blocked));
      case XmlOutput xml -> {
        var item =
            xml.add("rsc_action", "action", change.toLowerCase(Locale.ROOT), "resource", rsc.id());
        addDetails(item, rsc, origin, destination);
        item.attr("reason", reason);
        if (blocked) {
          item.attr("blocked", true);
        }
      }
    }
  }

  private String line(
      String change, Resource rsc, String details, @Nullable String reason, boolean blocked) {
    var why = "";
    if (reason != null) {
      why = "  due to " + reason + (blocked ? " (blocked)" : "");
    } else if (blocked) {
      why = "  blocked";
    }
    return String.format(
        Locale.ROOT,
        "%-8s   %-" + idWidth + "s   ( %" + detailWidth + "s )%s",
        change,
        rsc.id(),
        details,
        why);
  }

  private static boolean showsRole(Resource rsc) {
    return rsc.role().above(Role.STARTED) || rsc.nextRole().above(Role.UNPROMOTED);
  }

  private static String details(Resource rsc, @Nullable Node origin, @Nullable Node destination) {
    var roles = showsRole(rsc);
    if (origin == null) {
      return roles ? rsc.role() + " -> " + rsc.nextRole() + " " + destination : "" + destination;
    }
    if (destination == null || origin == destination && rsc.role() == rsc.nextRole()) {
      return roles ? rsc.role() + " " + origin : "" + origin;
    }
    if (rsc.role() == rsc.nextRole()) {
      return origin + " -> " + destination + (roles ? " " + rsc.role() : "");
    }
    return origin == destination
        ? rsc.role() + " -> " + rsc.nextRole() + " " + origin
        : rsc.role() + " " + origin + " -> " + rsc.nextRole() + " " + destination;
  }

  private static void addDetails(
      XmlOutput.Node item, Resource rsc, @Nullable Node origin, @Nullable Node destination) {
    var from = origin == null ? null : origin.name();
    var to = destination == null ? null : destination.name();
    var roles = showsRole(rsc);
    var sameRole = rsc.role() == rsc.nextRole();
    if (origin == null) {
      if (roles) {
        item.attr("role", rsc.role().text())
            .attr("next-role", rsc.nextRole().text())
            .attr("dest", to);
      } else {
        item.attr("node", to);
      }
    } else if (destination == null) {
      item.attr("role", roles ? rsc.role().text() : null).attr("node", from);
    } else if (sameRole && origin == destination) {
      item.attr("role", roles ? rsc.role().text() : null).attr("source", from);
    } else if (sameRole) {
      item.attr("source", from).attr("dest", to).attr("role", roles ? rsc.role().text() : null);
    } else if (origin == destination) {
      item.attr("role", rsc.role().text())
          .attr("next-role", rsc.nextRole().text())
          .attr("source", from);
    } else {
      item.attr("role", rsc.role().text())
          .attr("source", from)
          .attr("next-role", rsc.nextRole().text())
          .attr("dest", to);
    }
  }
}
