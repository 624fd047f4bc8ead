package org.systole.scheduler.actions;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.orderings.InternalConstraints;

/// A guest that was connected, and of which nobody knows where it runs, because the history of what
/// runs it was cleaned up just now. It is thought to be stopped, and may be well: until that has been
/// looked for, nothing is done that would be wrong then. Where it is found the plan is made anew.
///
/// Or one whose machine is known to run, while nobody can connect to it: what was not looked for in it since the
/// history was lost may run there until the machine is stopped.
///
/// The mark of a lost history on the guest's own entry says that it was connected and not fenced
/// since. Without it all is as in Pacemaker.
///
/// Or one of which nothing is known at all, while its machine may have outlived the cluster's daemons on a member whose own
/// history is marked so: nothing that may run in it is started elsewhere before the machine was looked for there, and where
/// it was found running, before somebody is connected to the guest, or the machine is stopped.
public final class ForgottenGuests {
  private static final Relations HELD =
      Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS);

  private final Node guest;
  private final Resource connection;
  private final List<Action> probes;

  private ForgottenGuests(Node guest, Resource connection, List<Action> probes) {
    this.guest = guest;
    this.connection = connection;
    this.probes = probes;
  }

  /// Once all actions are there.
  public static void hold(WorkingSet cluster) {
    for (var node : cluster.nodes()) {
      var connection = node.remote();
      var launcher = connection == null ? null : connection.launcher();
      if (!node.isGuest() || connection == null || launcher == null) {
        continue;
      }
      if (!node.is(NodeFlag.HISTORY_LOST)) {
        if (connection.active().isEmpty() && !connection.isBundled()) {
          holdUnseen(cluster, node, connection, launcher);
        }
        continue;
      }
      var probes = probes(launcher);
      if (!probes.isEmpty() && launcher.active().isEmpty()) {
        new ForgottenGuests(node, connection, probes).hold(cluster.resources());
      } else if (!launcher.active().isEmpty() && !connection.isBundled()) {
        holdStops(launcher, probes(connection));
        if (!node.online() || node.unclean()) {
          new ForgottenGuests(node, connection, List.of()).holdUntilStopped(launcher, cluster.resources());
        }
      }
    }
  }

  private static void holdUnseen(WorkingSet cluster, Node node, Resource connection, Resource launcher) {
    var probes = probes(launcher).stream().filter(it -> outlived(it.node())).toList();
    var guest = new ForgottenGuests(node, connection, probes);
    if (!probes.isEmpty()) {
      guest.holdElsewhere(cluster.resources());
    }
    if (!node.online() && outlivedIn(cluster, launcher)) { // else it is looked through once it is connected
      guest.holdUntilStopped(launcher, cluster.resources());
    }
  }

  /// Whether a guest has to be looked through once it is connected, whatever is said of probes: what runs it was found
  /// where it may have outlived the cluster's daemons. What was looked for in it since is not looked for again.
  static boolean isUnseen(WorkingSet cluster, Node guest) {
    var connection = guest.isGuest() ? guest.remote() : null;
    var launcher = connection == null || connection.isBundled() ? null : connection.launcher();
    return launcher != null && outlivedIn(cluster, launcher);
  }

  private static boolean outlivedIn(WorkingSet cluster, Resource launcher) {
    return launcher.active().stream().anyMatch(it -> outlived(it) && wasFound(cluster, launcher, it));
  }

  private static boolean outlived(@Nullable Node member) {
    return member != null && member.is(NodeFlag.HISTORY_LOST);
  }

  /// Whether what runs a guest was not started there by the cluster, so that the guest may run what nobody knows of.
  private static boolean wasFound(WorkingSet cluster, Resource launcher, Node at) {
    var histories = cluster.historyIndex();
    return histories.operation(at.name(), launcher.id(), TaskName.START, null) == null
        && histories.operation(at.name(), launcher.id(), TaskName.MIGRATE_FROM, null) == null;
  }

  /// Has the fencing of a guest wait until what runs it has been looked for: it may be thought stopped
  /// because its history was cleaned up just now.
  static void holdUntilProbed(Resource launcher, Action fencing) {
    probes(launcher).forEach(probe -> Actions.order(probe, fencing, HELD));
  }

  /// Whether the fencing of a guest waits for a look that takes this connection: the connection cannot
  /// wait for the fencing then, as starts do else.
  static boolean isLookedThrough(Resource connection, Action fencing) {
    return connection.is(ResourceFlag.REMOTE_CONNECTION)
        && fencing.before().stream()
            .map(RelatedAction::action)
            .anyMatch(
                it ->
                    it.task().equals(TaskName.MONITOR)
                        && it.node() != null
                        && it.node().remote() == connection);
  }

  private static List<Action> probes(Resource rsc) {
    var key = OperationKey.text(rsc.id(), TaskName.MONITOR, 0);
    var found = new ArrayList<Action>();
    for (var action : rsc.actions()) {
      if (action.key().equals(key)) {
        found.add(action);
      }
    }
    return found;
  }

  // What runs it is not taken from a guest that may be connected.
  private static void holdStops(Resource launcher, List<Action> probes) {
    for (var action : launcher.actions()) {
      if (action.task().equals(TaskName.STOP)) {
        probes.forEach(probe -> Actions.order(probe, action, HELD));
      }
    }
  }

  private void hold(List<Resource> resources) {
    for (var rsc : resources) {
      hold(rsc.children());
      for (var action : rsc.actions()) {
        if (isHeld(rsc, action)) {
          probes.forEach(probe -> Actions.order(probe, action, HELD));
        }
      }
    }
  }

  private void holdElsewhere(List<Resource> resources) {
    for (var rsc : resources) {
      holdElsewhere(rsc.children());
      for (var action : rsc.actions()) {
        if (action.task().equals(TaskName.START) && action.node() != guest && mayRunInside(rsc)) {
          probes.forEach(probe -> Actions.order(probe, action, HELD));
        }
      }
    }
  }

  // Nobody is connected to it, and it is given up: what was not looked for in it may run there until its
  // machine is stopped.
  private void holdUntilStopped(Resource launcher, List<Resource> resources) {
    var stops = new ArrayList<Action>();
    for (var node : launcher.active()) {
      stops.addAll(Actions.ofTask(launcher, TaskName.STOP, node));
    }
    var stopped = !stops.isEmpty() && stops.stream().noneMatch(it -> it.is(ActionFlag.OPTIONAL));
    for (var rsc : resources) {
      holdUntilStopped(launcher, rsc.children());
      if (!rsc.active().isEmpty()
          || rsc.probed().contains(guest)
          || InternalConstraints.guestConnection(rsc) != null
          || rsc.top(true) instanceof Bundle) {
        continue; // it runs elsewhere, was looked for, or can never be in a guest
      }
      for (var action : rsc.actions()) {
        if (action.task().equals(TaskName.START) && isHeldUntilStopped(action) && mayRunInside(rsc)) {
          stops.forEach(stop -> Actions.order(stop, action, HELD));
          if (!stopped) {
            action.clear(ActionFlag.RUNNABLE);
          }
        }
      }
    }
  }

  /// Into a guest that is about to be connected, and of which nothing is known, what it may run can be started.
  private boolean isHeldUntilStopped(Action start) {
    return guest.is(NodeFlag.HISTORY_LOST) || start.node() != guest;
  }

  private boolean isHeld(Resource rsc, Action action) {
    return switch (action.task()) {
      case TaskName.START -> rsc == connection || action.node() == guest || mayRunInside(rsc);
      case TaskName.STOP, TaskName.DEMOTE, TaskName.PROMOTE ->
          (rsc == connection || action.node() == guest) && !action.is(ActionFlag.PSEUDO);
      default -> false;
    };
  }

  private boolean mayRunInside(Resource rsc) {
    return rsc.allowed().contains(guest)
        && !rsc.is(ResourceFlag.FENCE_DEVICE)
        && !rsc.is(ResourceFlag.REMOTE_CONNECTION);
  }
}
