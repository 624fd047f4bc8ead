package org.systole.scheduler.actions;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;

/// Fencing and shutdown of nodes, and what it means for the resources on them.
public final class FencingPlan {
  private final WorkingSet cluster;
  private final boolean anyManaged;
  private final List<Action> fencings = new ArrayList<>();
  private final List<Action> shutdowns = new ArrayList<>();
  private @Nullable Action dcDown;
  private boolean integrityLost;

  private FencingPlan(WorkingSet cluster) {
    this.cluster = cluster;
    this.anyManaged = cluster.resources().stream().anyMatch(FencingPlan::isManaged);
  }

  private static boolean isManaged(Resource rsc) {
    return Places.anyHas(rsc, ResourceFlag.MANAGED);
  }

  public static void schedule(WorkingSet cluster) {
    new FencingPlan(cluster).schedule();
  }

  private void schedule() {
    if (!anyManaged) {
      cluster.notice("No fencing will be done until there are resources to manage");
    }
    for (var node : List.copyOf(cluster.nodes())) {
      if (node.isGuest()) {
        if (node.is(NodeFlag.REMOTE_RESET) && anyManaged && Fencing.canFence(cluster, node)) {
          fenceGuest(cluster, node);
        }
      } else {
        scheduleFor(node);
      }
    }
    if (integrityLost) {
      noteIntegrity();
    }
    if (dcDown != null) {
      orderDcLast(dcDown);
    }
  }

  private void scheduleFor(Node node) {
    var isDc = node == cluster.dc();
    if (anyManaged && node.unclean() && Fencing.canFence(cluster, node)) {
      var fencing = fence(node);
      if (isDc) {
        dcDown = fencing;
      } else {
        if (!cluster.is(ClusterFlag.CONCURRENT_FENCING) && !fencings.isEmpty()) {
          Actions.order(fencings.getLast(), fencing, Relation.ORDERED);
        }
        fencings.add(fencing);
      }
      return;
    }
    if (!node.remoteKind() && node.online() && node.shutdown()) {
      var shutdown = shutDown(node);
      if (isDc) {
        dcDown = shutdown;
      } else {
        shutdowns.add(shutdown);
      }
    }
    if (node.unclean()) {
      integrityLost = true;
      cluster.configWarning("Node %s is unclean but cannot be fenced".formatted(node.name()));
    }
  }

  private void noteIntegrity() {
    if (!cluster.is(ClusterFlag.FENCING_ENABLED)) {
      cluster.configWarning(
          "Resource functionality and data integrity cannot be guaranteed (configure, enable, "
              + "and test fencing to correct this)");
    } else if (!cluster.is(ClusterFlag.QUORATE)) {
      cluster.notice(
          "Unclean nodes will not be fenced until quorum is attained or no-quorum-policy is set "
              + "to ignore");
    }
  }

  // The DC goes last, so that there are no more elections than needed.
  private void orderDcLast(Action down) {
    if (down.task().equals(TaskName.SHUTDOWN)) {
      shutdowns.reversed().forEach(other -> Actions.order(other, down, Relation.ORDERED));
    }
    if (cluster.is(ClusterFlag.CONCURRENT_FENCING)) {
      fencings.reversed().forEach(other -> Actions.order(other, down, Relation.ORDERED));
    } else if (!fencings.isEmpty()) {
      Actions.order(fencings.getLast(), down, Relation.ORDERED);
    }
  }

  private Action fence(Node node) {
    var fencing = Fencing.fenceAction(cluster, node, null, false, "node is unclean", false);
    cluster.warning(
        "schedule_fencing", "Scheduling node %s for fencing".formatted(node.name()), "");
    orderResources(cluster, fencing, node);
    return fencing;
  }

  private Action shutDown(Node node) {
    var shutdown =
        Actions.ofCluster(
            cluster, TaskName.SHUTDOWN + "-" + node.name(), TaskName.SHUTDOWN, node, false);
    for (var at = cluster.actions().size() - 1; at >= 0; at--) {
      var action = cluster.actions().get(at);
      if (action.node() == node
          && action.task().equals(TaskName.STOP)
          && action.resource() != null) {
        stopBefore(shutdown, action, action.resource(), node);
      }
    }
    shutdown.meta().put("op_no_wait", "true");
    return shutdown;
  }

  // What is unmanaged or blocked must not keep the node from shutting down.
  private void stopBefore(Action shutdown, Action stop, Resource rsc, Node node) {
    if (rsc.is(ResourceFlag.MAINTENANCE)
        || node.maintenance()
        || !rsc.is(ResourceFlag.MANAGED) && !rsc.is(ResourceFlag.BLOCKED)) {
      return;
    }
    if (rsc.is(ResourceFlag.MIGRATING)) {
      shutdown.clear(ActionFlag.RUNNABLE); // but what runs in a guest does not have to stop for that
      return;
    }
    stop.clear(ActionFlag.OPTIONAL);
    Orderings.add(
        cluster,
        rsc,
        null,
        stop,
        null,
        TaskName.SHUTDOWN,
        shutdown,
        Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS));
  }

  // A guest is "fenced" by what runs it being stopped, everywhere: this marks the moment.
  private static void fenceGuest(WorkingSet cluster, Node node) {
    var remote = node.remote();
    var launcher = remote == null ? null : remote.launcher();
    var restarts = launcher != null && Actions.first(launcher, null, TaskName.START, null) != null;
    var operation = restarts ? TaskName.REBOOT : TaskName.OFF;
    var fencing = Fencing.fenceAction(cluster, node, operation, false, "guest is unclean", false);
    fencing.set(ActionFlag.PSEUDO);
    fencing.set(ActionFlag.RUNNABLE);
    var stops = launcher == null ? List.<Action>of() : stops(launcher, node);
    stops.forEach(stop -> orderAfterStop(cluster, stop, fencing));
    var lost = launcher == null || !node.is(NodeFlag.HISTORY_LOST) ? null : launcher.lostMigrationTarget();
    if (lost != null && lost.unclean() && Fencing.canFence(cluster, lost)) {
      orderAfter(Fencing.fenceAction(cluster, lost, null, false, null, false), fencing);
    }
    if (stops.isEmpty() && remote != null) {
      Actions.order(Actions.first(remote, null, TaskName.STOP, null), fencing, Relation.ORDERED);
      if (node.is(NodeFlag.HISTORY_LOST) && launcher != null) {
        ForgottenGuests.holdUntilProbed(launcher, fencing);
      }
    }
    orderResources(cluster, fencing, node);
  }

  /// The stops that prove it. There are several where what runs the guest is found on several nodes, or was being moved
  /// live: what is inside may run on until the last has ended, and until the target is fenced, if that is lost. A guest
  /// without the mark of one that was connected counts as fenced with the latest of them, as in Pacemaker.
  private static List<Action> stops(Resource launcher, Node guest) {
    return launcher.actions().reversed().stream()
        .filter(action -> action.task().equals(TaskName.STOP))
        .limit(guest.is(NodeFlag.HISTORY_LOST) ? Long.MAX_VALUE : 1)
        .toList();
  }

  private static void orderAfterStop(WorkingSet cluster, Action stop, Action fencing) {
    var byFencing = stop.is(ActionFlag.PSEUDO) ? stop.node() : null;
    var proof =
        byFencing == null ? stop : Fencing.fenceAction(cluster, byFencing, null, false, null, false);
    orderAfter(proof, fencing);
  }

  private static void orderAfter(Action proof, Action fencing) {
    Actions.order(
        proof, fencing, Relations.of(Relation.UNRUNNABLE_FIRST_BLOCKS, Relation.FIRST_IMPLIES_THEN));
  }

  private static void orderResources(WorkingSet cluster, Action fencing, Node target) {
    for (var rsc : cluster.resources()) {
      order(rsc, fencing, target);
    }
  }

  private static void order(Resource rsc, Action fencing, Node target) {
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(child -> order(child, fencing, target));
    } else if (rsc.is(ResourceFlag.MANAGED)) {
      if (!ForgottenGuests.isLookedThrough(rsc, fencing)) {
        orderStarts(rsc, fencing, target);
      }
      orderStops(rsc, fencing, target);
      orderDemotes(rsc, fencing, target);
    }
  }

  private static void orderStarts(Resource rsc, Action fencing, Node target) {
    for (var at = rsc.actions().size() - 1; at >= 0; at--) {
      var action = rsc.actions().get(at);
      switch (action.needs()) {
        case NOTHING -> {}
        case FENCING -> Actions.order(fencing, action, Relation.ORDERED);
        case QUORUM -> {
          // Not known there means it may be active there.
          if (action.task().equals(TaskName.START)
              && rsc.allowed().contains(target)
              && !isKnown(rsc, target)) {
            Actions.order(
                fencing, action, Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS));
          }
        }
      }
    }
  }

  private static boolean isKnown(Resource rsc, Node node) {
    var parent = rsc.parent();
    return rsc.probed().contains(node)
        || rsc instanceof Primitive
            && parent != null
            && Places.isAnonymousClone(parent)
            && parent.probed().contains(node);
  }

  // A stop on a fenced node is done by the fencing.
  private static void orderStops(Resource rsc, Action fencing, Node target) {
    var stops = Actions.ofTask(rsc, TaskName.STOP, target);
    var implicit = rsc.is(ResourceFlag.NEEDS_FENCING) || target.isGuest();
    var topStop =
        implicit && !stops.isEmpty()
            ? Actions.first(rsc.top(false), null, TaskName.STOP, null)
            : null;
    for (var stop : stops) {
      stop.set(ActionFlag.PSEUDO);
      stop.set(ActionFlag.RUNNABLE);
      if (implicit) {
        // Inside a bundle the bundle's stop is enough; this would make a loop.
        if (!rsc.isBundled()) {
          Actions.order(fencing, stop, Relation.GUEST_ALLOWED);
        }
        Actions.order(fencing, topStop, Relation.GUEST_ALLOWED);
      }
      if (rsc.is(ResourceFlag.FAILED)) {
        rsc.cluster()
            .notice(
                "Stop of failed resource %s is implicit %s %s is fenced"
                    .formatted(rsc.id(), implicit ? "after" : "because", target.name()));
      }
      if (rsc.is(ResourceFlag.NOTIFY)) {
        Notifications.afterFencing(stop, rsc, fencing);
      }
    }
  }

  private static void orderDemotes(Resource rsc, Action fencing, Node target) {
    var implicit = rsc.is(ResourceFlag.NEEDS_FENCING) || target.isGuest();
    for (var demote : Actions.ofTask(rsc, TaskName.DEMOTE, target)) {
      var node = demote.node();
      if (node == null || node.online() && !node.unclean() && !rsc.is(ResourceFlag.FAILED)) {
        continue;
      }
      demote.set(ActionFlag.PSEUDO);
      demote.set(ActionFlag.RUNNABLE);
      if (!rsc.isBundled() && implicit) {
        Actions.order(fencing, demote, Relations.of(Relation.GUEST_ALLOWED, Relation.ORDERED));
      }
    }
  }
}
