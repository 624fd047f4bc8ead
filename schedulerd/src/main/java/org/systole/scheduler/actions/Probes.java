package org.systole.scheduler.actions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.assignment.InstanceOrder;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.orderings.InternalConstraints;
import org.systole.scheduler.orderings.RemoteOrderings;
import org.systole.scheduler.orderings.UnfencingOrderings;

/// Looks for resources on nodes where their state is not known.
final class Probes {
  private static final int NOT_RUNNING = 7;
  private static final int PROMOTED = 8;

  private Probes() {}

  static void schedule(WorkingSet cluster) {
    for (var node : List.copyOf(cluster.nodes())) {
      if (!isWanted(cluster, node)) {
        continue;
      }
      if (!node.online()) {
        if (RemoteOrderings.isFailed(node)
            && !RemoteOrderings.isFencedForThat(node)
            && !RemoteOrderings.isRemovedAndLeft(node)) {
          Fencing.fenceNode(cluster, node, "the connection is unrecoverable", false);
        }
      } else if (!node.unclean() && node.is(NodeFlag.PROBES_ALLOWED)) {
        probeAll(cluster.resources(), node);
      }
    }
  }

  // Of a node that has lost its memory the administrator cannot have meant that nothing runs there; nor of a
  // remote one that was not connected yet since the cluster was started: it may have outlived all members; nor of a
  // guest that did outlive the daemons of a member. Our controllers have it probed anyway once it is connected,
  // which is too late for what was started elsewhere.
  private static boolean isWanted(WorkingSet cluster, Node node) {
    return cluster.is(ClusterFlag.PROBE_RESOURCES)
        || node.is(NodeFlag.HISTORY_LOST)
        || node.isRemote() && !node.is(NodeFlag.UNPACKED)
        || ForgottenGuests.isUnseen(cluster, node);
  }

  private static boolean probeAll(List<Resource> resources, Node node) {
    var any = false;
    for (var rsc : resources) {
      any |= probe(rsc, node);
    }
    return any;
  }

  /// Schedules probes on a node as needed; whether there are any.
  private static boolean probe(Resource rsc, Node node) {
    return switch (rsc) {
      case Primitive _, Group _ -> probePlain(rsc, node);
      case Clone clone -> probeClone(clone, node);
      case Bundle bundle -> probeBundle(bundle, node);
    };
  }

  private static boolean probeClone(Clone clone, Node node) {
    if (clone.is(ResourceFlag.EXCLUSIVE_PROBES)) {
      var entry = clone.allowed().get(node);
      if (entry == null || entry.probeMode() != ProbeMode.EXCLUSIVE) {
        // Not listed in notifications either.
        clone.allowed().remove(node);
        return false;
      }
    }
    clone.children().sort(InstanceOrder.BY_NUMBER);
    if (clone.is(ResourceFlag.UNIQUE)) {
      return probeAll(clone.children(), node);
    }
    var instance = instanceToProbe(clone, node);
    return instance != null && probe(instance, node);
  }

  // Of anonymous instances one is enough: one that was probed, or will be there, or the first.
  private static @Nullable Resource instanceToProbe(Clone clone, Node node) {
    for (var instance : clone.children()) {
      if (isProbed(instance, node)) {
        return instance;
      }
    }
    for (var instance : clone.children()) {
      if (Places.assignedNode(instance) == node) {
        return instance;
      }
    }
    return clone.children().isEmpty() ? null : clone.children().getFirst();
  }

  private static boolean isProbed(Resource rsc, Node node) {
    if (rsc.children().isEmpty()) {
      return rsc.probed().contains(node);
    }
    return rsc.children().stream().anyMatch(child -> isProbed(child, node));
  }

  private static boolean probeBundle(Bundle bundle, Node node) {
    var any = false;
    for (var replica : bundle.replicas()) {
      any |= probeReplica(bundle, replica, node);
    }
    return any;
  }

  private static boolean probeReplica(Bundle bundle, Replica replica, Node node) {
    var any = replica.ip() != null && probe(replica.ip(), node);
    if (replica.child() != null && replica.node() != null && replica.node().node() == node) {
      any |= probe(replica.child(), node);
    }
    var container = replica.container();
    if (probe(container, node)) {
      any = true;
      if (bundle.replicasPerHost() == 1) {
        // No other may start here before it is known that none is here.
        for (var other : bundle.replicas()) {
          if (other != replica) {
            Orderings.between(
                container,
                TaskName.MONITOR,
                other.container(),
                TaskName.START,
                Relations.of(Relation.ORDERED, Relation.IF_ON_SAME_NODE));
          }
        }
      }
    }
    var remote = replica.remote();
    if (remote != null && probe(remote, node)) {
      // Only when it is known where the container is.
      var probe =
          Actions.first(remote, OperationKey.text(remote.id(), TaskName.MONITOR), null, node);
      if (probe != null) {
        any = true;
        Orderings.add(
            bundle.cluster(),
            container,
            OperationKey.text(container.id(), TaskName.START),
            null,
            remote,
            null,
            probe,
            Relation.NESTED_REMOTE_PROBE);
      }
    }
    return any;
  }

  private static boolean probePlain(Resource rsc, Node node) {
    var cluster = rsc.cluster();
    if (!isWanted(cluster, node) || isImpossible(rsc, node)) {
      return false;
    }
    if (!rsc.children().isEmpty()) {
      return probeAll(rsc.children(), node);
    }
    var top = rsc.top(false);
    if (!isNeeded(rsc, top, node) || node.isGuest() && !guestStays(rsc, top, node)) {
      return false;
    }
    var probe = create(rsc, node);
    var target = top instanceof Clone ? top : rsc;
    Relations relations = Relation.ORDERED;
    if ((!probe.is(ActionFlag.RUNNABLE) || mustLook(top, node)) && target.active().isEmpty()) {
      relations = relations.with(Relation.UNRUNNABLE_FIRST_BLOCKS);
    }
    Orderings.add(cluster, rsc, null, probe, target, target.key(TaskName.START), null, relations);
    Orderings.add(
        cluster, rsc, null, probe, target, rsc.key(TaskName.RELOAD_AGENT), null, Relation.ORDERED);
    return true;
  }

  // Whoever starts it has to wait for that, also where the node cannot be asked for now, as its connection can neither stay nor be moved:
  // one that our controllers have marked may run anything. Without fencing one that is lost for good would hold up everything.
  private static boolean mustLook(Resource top, Node node) {
    return node.isRemote()
        && node.is(NodeFlag.HISTORY_LOST)
        && top.cluster().is(ClusterFlag.FENCING_ENABLED)
        && !Places.isAnonymousClone(top);
  }

  // What can never be on such a node.
  private static boolean isImpossible(Resource rsc, Node node) {
    return node.remoteKind()
        && (rsc.is(ResourceFlag.FENCE_DEVICE)
            || node.isGuest() && InternalConstraints.guestConnection(rsc) != null
            || rsc.is(ResourceFlag.REMOTE_CONNECTION));
  }

  private static boolean isNeeded(Resource rsc, Resource top, Node node) {
    if (rsc.launcher() != null && !rsc.is(ResourceFlag.REMOTE_CONNECTION)
        || rsc.is(ResourceFlag.REMOVED)
        || rsc.probed().contains(node)
        || isArriving(top, rsc.nameInHistories(), node)) {
      return false;
    }
    var entry = rsc.allowed().get(node);
    if ((rsc.is(ResourceFlag.EXCLUSIVE_PROBES) || top.is(ResourceFlag.EXCLUSIVE_PROBES))
        && (entry == null || entry.probeMode() != ProbeMode.EXCLUSIVE)) {
      return false;
    }
    return (entry == null ? node.probeMode() : entry.probeMode()) != ProbeMode.NEVER;
  }

  // What another DC has had sent there may come at any time, so that nothing is found there too early. That would be
  // the last that is known of it: it would be started a second time once it has come.
  private static boolean isArriving(Resource within, String name, Node node) {
    return within.migratingTo() == node && within.nameInHistories().equals(name)
        || within.children().stream().anyMatch(it -> isArriving(it, name, node));
  }

  // A guest that is not running, or will be stopped, has nothing to look for.
  private static boolean guestStays(Resource rsc, Resource top, Node node) {
    var guest = node.remote() == null ? null : node.remote().launcher();
    if (guest == null) {
      return true;
    }
    if (guest.role() == Role.STOPPED) {
      if (guest.assigned() != null && !guest.probed().contains(guest.assigned().node())) {
        Orderings.between(guest, TaskName.MONITOR, top, TaskName.START, Relation.ORDERED);
      }
      return false;
    }
    if (willStop(guest, node)) {
      Orderings.between(guest, TaskName.STOP, top, TaskName.START, Relation.ORDERED);
      return false;
    }
    if (isLeaving(guest)) {
      // Where it is moved live nothing waits for its stop, and what is inside runs on.
      Orderings.between(guest, TaskName.STOP, top, TaskName.START, Relation.ORDERED);
      return movesLive(guest, node);
    }
    return true;
  }

  private static boolean willStop(Resource guest, Node node) {
    return node.is(NodeFlag.REMOTE_RESET)
        || node.unclean()
        || guest.is(ResourceFlag.FAILED)
        || guest.nextRole() == Role.STOPPED;
  }

  private static boolean isLeaving(Resource guest) {
    return guest.role().above(Role.STOPPED)
        && guest.assigned() != null
        && !guest.active().contains(guest.assigned().node());
  }

  // What is inside moves with it. Of a guest that is not marked as one that was connected all is as in
  // Pacemaker.
  private static boolean movesLive(Resource guest, Node node) {
    return node.is(NodeFlag.HISTORY_LOST)
        && guest.active().size() == 1
        && guest instanceof Primitive primitive
        && Migration.isPossible(primitive, guest.active().getFirst());
  }

  private static Action create(Resource rsc, Node node) {
    var probe = Actions.custom(rsc, rsc.key(TaskName.MONITOR), TaskName.MONITOR, node, false);
    probe.clear(ActionFlag.OPTIONAL);
    UnfencingOrderings.orderAfterUnfencing(rsc, node, probe, Relation.ORDERED);
    if (!rsc.active().contains(node)) {
      Actions.expect(probe, NOT_RUNNING);
    } else if (rsc.role() == Role.PROMOTED) {
      Actions.expect(probe, PROMOTED);
    }
    return probe;
  }
}
