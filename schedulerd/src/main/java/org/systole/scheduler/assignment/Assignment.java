package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.NodeCriteria;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.NodeNames;
import org.systole.scheduler.model.PlacementStrategy;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoreLine;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// Chooses a node for every resource.
public final class Assignment {
  // Names of steps as `crm_simulate` prints them with scores.
  private static final String OF_PRIMITIVE = "pcmk__primitive_assign";
  private static final String OF_GROUP = "pcmk__group_assign";
  private static final String OF_CLONE = "pcmk__clone_assign";
  private static final String OF_BUNDLE = "pcmk__bundle_assign";

  // A bundle may come to be assigned once more on its own behalf, but not forever.
  private static final int DEEPEST = 40;

  private Assignment() {}

  public static void assignAll(WorkingSet cluster) {
    if (cluster.placementStrategy() != PlacementStrategy.DEFAULT) {
      AssignmentOrder.sort(cluster);
    }
    Utilization.noteCapacities(cluster, "Original");
    if (cluster.is(ClusterFlag.HAVE_REMOTE_NODES)) {
      for (var rsc : List.copyOf(cluster.resources())) {
        if (rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
          assign(rsc, rsc.partialMigrationTarget(), true);
          UnmadeConnections.settle(rsc);
        }
      }
    }
    for (var rsc : List.copyOf(cluster.resources())) {
      if (!rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
        assign(rsc, null, true);
      }
    }
    Utilization.noteCapacities(cluster, "Remaining");
  }

  /// Assigns the resource and all that must be assigned before it.
  ///
  /// @param prefer the node to take if it is as good as any
  /// @param stopIfFail whether it is to be stopped if there is no node for it
  static @Nullable ScoredNode assign(Resource rsc, @Nullable Node prefer, boolean stopIfFail) {
    return switch (rsc) {
      case Primitive primitive -> assignPrimitive(primitive, prefer, stopIfFail);
      case Group group -> assignGroup(group, prefer, stopIfFail);
      case Clone clone -> {
        assignClone(clone, prefer, stopIfFail);
        yield null;
      }
      case Bundle bundle -> {
        assignBundle(bundle, prefer, stopIfFail);
        yield null;
      }
    };
  }

  /// Notes the scores of a resource and all inside it, if scores are asked for.
  static void noteScores(Resource rsc, String step) {
    if (!rsc.cluster().is(ClusterFlag.OUTPUT_SCORES) || rsc.is(ResourceFlag.REMOVED)) {
      return;
    }
    var entries = new ArrayList<ScoredNode>();
    rsc.allowed().forEach(entries::add);
    entries.sort(Comparator.comparing(entry -> entry.node().name(), NodeNames.ORDER));
    for (var entry : entries) {
      rsc.cluster()
          .scoreLines()
          .add(new ScoreLine.Allocation(step, rsc.id(), entry.node().name(), entry.score()));
    }
    rsc.children().forEach(child -> noteScores(child, step));
  }

  private static @Nullable ScoredNode assignPrimitive(
      Primitive rsc, @Nullable Node prefer, boolean stopIfFail) {
    var parent = rsc.parent();
    if (parent != null && !parent.is(ResourceFlag.ASSIGNING)) {
      assign(parent, prefer, stopIfFail);
    }
    if (!rsc.is(ResourceFlag.UNASSIGNED)) {
      return rsc.assigned();
    }
    if (rsc.is(ResourceFlag.ASSIGNING)) {
      return null;
    }
    rsc.set(ResourceFlag.ASSIGNING);
    applyColocations(rsc);
    considerRole(rsc);
    noteScores(rsc, OF_PRIMITIVE);
    var cluster = rsc.cluster();
    if (cluster.is(ClusterFlag.FENCING_ENABLED) && !cluster.is(ClusterFlag.HAVE_FENCING)) {
      rsc.clear(ResourceFlag.MANAGED);
    }
    if (!rsc.is(ResourceFlag.MANAGED)) {
      rsc.setNextRole(rsc.role());
      var current = rsc.currentNode();
      place(rsc, current == null ? null : ScoredNode.of(current), true, stopIfFail);
    } else if (cluster.is(ClusterFlag.STOP_ALL)) {
      place(rsc, null, true, stopIfFail);
    } else {
      NodeChoice.assignBest(rsc, prefer, stopIfFail);
    }
    rsc.clear(ResourceFlag.ASSIGNING);
    if (rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
      connectionAssigned(rsc);
    }
    return rsc.assigned();
  }

  // Mandatory ones first, to satisfy as many as possible.
  private static void applyColocations(Primitive rsc) {
    var thisWith = Colocations.thisWith(rsc);
    var withThis = Colocations.withThis(rsc);
    for (var mandatory : List.of(true, false)) {
      for (var colocation : thisWith) {
        if (isMandatory(colocation) == mandatory) {
          applyThisWith(colocation, rsc);
        }
      }
      for (var colocation : withThis) {
        if (isMandatory(colocation) == mandatory) {
          ColocationScores.addDependent(colocation, rsc);
        }
      }
    }
  }

  private static boolean isMandatory(Colocation colocation) {
    return Math.abs(colocation.score()) >= Score.INFINITY;
  }

  private static void applyThisWith(Colocation colocation, Primitive rsc) {
    var primary = colocation.primary();
    var archive =
        colocation.dependentRole().compareTo(Role.PROMOTED) >= 0
                || colocation.score() < 0 && !isMandatory(colocation)
            ? rsc.allowed().copy()
            : null;
    if (primary.is(ResourceFlag.UNASSIGNED)) {
      assign(primary, null, true);
    }
    var mark = Explanations.mark(rsc);
    ColocationScores.apply(rsc, primary, colocation);
    if (archive != null && !Places.anyAvailable(rsc.allowed())) {
      rsc.setAllowed(archive);
      Explanations.forget(rsc, mark);
    }
  }

  private static void considerRole(Primitive rsc) {
    if (rsc.nextRole() == Role.STOPPED) {
      Explanations.preferEverywhere(rsc, -Score.INFINITY, Kind.TARGET_ROLE, "");
    } else if (rsc.nextRole().above(rsc.role())
        && !rsc.cluster().is(ClusterFlag.QUORATE)
        && rsc.cluster().noQuorumPolicy() == NoQuorumPolicy.FREEZE) {
      rsc.cluster()
          .notice(
              "Resource %s cannot be elevated from %s to %s due to no-quorum-policy=freeze"
                  .formatted(rsc.id(), rsc.role().text(), rsc.nextRole().text()));
      rsc.setNextRole(rsc.role());
    }
  }

  // A remote node will be there if its connection will be.
  private static void connectionAssigned(Primitive connection) {
    var node = connection.cluster().remoteNode(connection.id());
    if (node == null) {
      return;
    }
    if (connection.assigned() != null && connection.nextRole() != Role.STOPPED) {
      node.setOnline(!node.is(NodeFlag.HOST_DOWN) && !node.isAway());
      if (!node.is(NodeFlag.SEEN)) {
        node.setUnclean(false);
      }
    } else {
      node.setShutdown(true);
      ForgottenConnections.ask(connection, node);
    }
  }

  private static @Nullable ScoredNode assignGroup(
      Group group, @Nullable Node prefer, boolean stopIfFail) {
    if (!group.is(ResourceFlag.UNASSIGNED)) {
      return group.assigned();
    }
    if (group.is(ResourceFlag.ASSIGNING)) {
      return null;
    }
    if (group.children().isEmpty()) {
      group.clear(ResourceFlag.UNASSIGNED);
      return null;
    }
    group.set(ResourceFlag.ASSIGNING);
    var first = group.children().getFirst();
    group.setRole(first.role());
    noteScores(group, OF_GROUP);
    ScoredNode chosen = null;
    for (var member : group.children()) {
      var node = assign(member, prefer, stopIfFail);
      chosen = chosen == null ? node : chosen;
    }
    group.setNextRole(first.nextRole());
    group.clear(ResourceFlag.ASSIGNING);
    group.clear(ResourceFlag.UNASSIGNED);
    return group.colocated() ? chosen : null;
  }

  private static void assignClone(Clone clone, @Nullable Node prefer, boolean stopIfFail) {
    if (!clone.is(ResourceFlag.UNASSIGNED) || clone.is(ResourceFlag.ASSIGNING)) {
      return;
    }
    clone.set(ResourceFlag.ASSIGNING);
    if (clone.is(ResourceFlag.PROMOTABLE)) {
      Promotion.addScores(clone);
    }
    for (var colocation : Colocations.thisWith(clone)) {
      assign(colocation.primary(), prefer, stopIfFail);
    }
    for (var colocation : Colocations.withThis(clone)) {
      ColocationScores.addDependent(colocation, clone);
    }
    noteScores(clone, OF_CLONE);
    InstanceAssignment.sort(clone.children());
    InstanceAssignment.assign(
        clone, clone.children(), topClone(clone).max(), topClone(clone).nodeMax());
    if (clone.is(ResourceFlag.PROMOTABLE)) {
      Promotion.chooseRoles(clone);
    }
    clone.clear(ResourceFlag.UNASSIGNED);
    clone.clear(ResourceFlag.ASSIGNING);
  }

  private static Clone topClone(Clone clone) {
    return clone.top(false) instanceof Clone top ? top : clone;
  }

  private static void assignBundle(Bundle bundle, @Nullable Node prefer, boolean stopIfFail) {
    if (bundle.assigning() >= DEEPEST) {
      bundle.cluster().logWarning("Breaking assignment loop involving " + bundle.id());
      return;
    }
    bundle.setAssigning(bundle.assigning() + 1);
    bundle.set(ResourceFlag.ASSIGNING);
    noteScores(bundle, OF_BUNDLE);
    var containers = containers(bundle);
    InstanceAssignment.sort(containers);
    InstanceAssignment.assign(bundle, containers, bundle.replicaCount(), bundle.replicasPerHost());
    for (var replica : bundle.replicas()) {
      assignReplica(replica, prefer, stopIfFail);
    }
    var child = bundle.child();
    if (child != null) {
      for (var entry : child.allowed()) {
        var before = entry.score();
        entry.setScore(bundle.replicaOf(entry.node()) != null ? 0 : -Score.INFINITY);
        Explanations.moved(child, entry, before, Kind.CONTAINER, bundle.id());
      }
      assign(child, prefer, stopIfFail);
    }
    bundle.setAssigning(bundle.assigning() - 1);
    bundle.clear(ResourceFlag.ASSIGNING);
    bundle.clear(ResourceFlag.UNASSIGNED);
  }

  /// The containers of a bundle's replicas, in order.
  public static List<Resource> containers(Bundle bundle) {
    var containers = new ArrayList<Resource>();
    bundle.replicas().forEach(replica -> containers.add(replica.container()));
    return containers;
  }

  private static void assignReplica(Replica replica, @Nullable Node prefer, boolean stopIfFail) {
    if (replica.ip() != null) {
      assign(replica.ip(), prefer, stopIfFail);
    }
    var remote = replica.remote();
    var host =
        replica.container().assigned() == null ? null : replica.container().assigned().node();
    if (remote != null) {
      if (host != null && host.remoteKind() && host.remote() != null) {
        // A connection through another must be where that one is.
        Colocations.addInternal(
            "#replica-remote-with-host-remote", Score.INFINITY, remote, host.remote(), true);
      }
      assign(remote, prefer, stopIfFail);
    }
    if (replica.child() != null && replica.node() != null) {
      assignInside(replica.child(), replica.node().node(), stopIfFail);
    }
  }

  private static void assignInside(Resource child, Node node, boolean stopIfFail) {
    for (var entry : child.allowed()) {
      var before = entry.score();
      if (entry.node() != node) {
        entry.setScore(-Score.INFINITY);
      } else if (!NodeCriteria.thresholdReached(child, entry.node())) {
        entry.setScore(Score.INFINITY);
      }
      Explanations.moved(child, entry, before, Kind.CONTAINER, node.name());
    }
    if (child.parent() != null) {
      child.parent().set(ResourceFlag.ASSIGNING);
    }
    assign(child, node, stopIfFail);
    if (child.parent() != null) {
      child.parent().clear(ResourceFlag.ASSIGNING);
    }
  }

  /// Puts a resource, and all inside it, on a node, or on none.
  ///
  /// @param force even where it could not run
  /// @return whether that is a change
  public static boolean place(
      Resource rsc, @Nullable ScoredNode wanted, boolean force, boolean stopIfFail) {
    if (!rsc.children().isEmpty()) {
      var changed = false;
      for (var child : rsc.children()) {
        changed |= place(child, wanted, force, stopIfFail);
      }
      return changed;
    }
    var entry = wanted;
    if (!force
        && entry != null
        && (entry.score() < 0 || !Places.availableFor(entry) && !entry.node().isGuest())) {
      if (stopIfFail) {
        rsc.setNextRole(Role.STOPPED);
      }
      entry = null;
    }
    var before = rsc.assigned() == null ? null : rsc.assigned().node();
    var changed = before != (entry == null ? null : entry.node());
    unassign(rsc);
    rsc.clear(ResourceFlag.UNASSIGNED);
    if (entry == null) {
      if (stopIfFail) {
        rsc.setNextRole(Role.STOPPED);
        stopActions(rsc);
      }
      return changed;
    }
    rsc.setAssigned(entry.copy());
    entry.node().assigned().addFirst(rsc);
    entry.node().setResourceCount(entry.node().resourceCount() + 1);
    entry.setCount(entry.count() + 1);
    Utilization.consume(entry.node(), rsc);
    if (rsc.cluster().is(ClusterFlag.SHOW_UTILIZATION)) {
      rsc.cluster()
          .scoreLines()
          .add(
              new ScoreLine.Use(
                  "pcmk__assign_resource", rsc.id(), entry.node().name(), rsc.utilization()));
    }
    return changed;
  }

  // What has been planned already cannot be, but for stops and monitors of the stopped role.
  private static void stopActions(Resource rsc) {
    for (var action : rsc.actions()) {
      switch (action.task()) {
        case TaskName.STOP -> action.clear(ActionFlag.OPTIONAL);
        case TaskName.START -> action.clear(ActionFlag.RUNNABLE);
        default -> {
          var interval = action.meta().getOrDefault("interval", "0");
          if (!interval.equals("0") && !"7".equals(action.meta().get("op_target_rc"))) {
            action.clear(ActionFlag.RUNNABLE);
          }
        }
      }
    }
  }

  static void unassign(Resource rsc) {
    rsc.set(ResourceFlag.UNASSIGNED);
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(Assignment::unassign);
      return;
    }
    var old = rsc.assigned();
    if (old != null) {
      rsc.setAssigned(null);
      old.node().assigned().remove(rsc);
      old.node().setResourceCount(old.node().resourceCount() - 1);
      Utilization.release(old.node(), rsc);
    }
  }
}
