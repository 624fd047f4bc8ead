package org.systole.scheduler.orderings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.Utilization;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.NodeNames;
import org.systole.scheduler.model.PlacementStrategy;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// Constraints that follow from what resources are: restarts, groups, containers and the like.
public final class InternalConstraints {
  private InternalConstraints() {}

  public static void add(WorkingSet cluster) {
    cluster.resources().forEach(InternalConstraints::add);
  }

  static void add(Resource rsc) {
    switch (rsc) {
      case Primitive primitive -> ofPrimitive(primitive);
      case Group group -> new GroupConstraints(group).add();
      case Clone clone -> CollectiveConstraints.ofClone(clone);
      case Bundle bundle -> CollectiveConstraints.ofBundle(bundle);
    }
  }

  private static void ofPrimitive(Primitive rsc) {
    if (!rsc.is(ResourceFlag.MANAGED)) {
      return;
    }
    Orderings.between(
        rsc,
        TaskName.STOP,
        rsc,
        TaskName.START,
        Relations.of(Relation.ORDERED, Relation.FIRST_IMPLIES_THEN, Relation.INTERMEDIATE_STOP));
    if (rsc.top(false).is(ResourceFlag.PROMOTABLE) || rsc.role().above(Role.UNPROMOTED)) {
      Orderings.between(
          rsc, TaskName.DEMOTE, rsc, TaskName.STOP, Relation.PROMOTED_THEN_IMPLIES_FIRST);
      Orderings.between(
          rsc, TaskName.START, rsc, TaskName.PROMOTE, Relation.UNRUNNABLE_FIRST_BLOCKS);
    }
    Orderings.between(
        rsc,
        TaskName.HISTORY_DELETE,
        rsc,
        TaskName.MONITOR,
        Relations.of(Relation.IF_ON_SAME_NODE, Relation.THEN_CANCELS_FIRST));
    byNodes(rsc);
    if (rsc.is(ResourceFlag.REMOTE_CONNECTION) || rsc.is(ResourceFlag.FENCE_DEVICE)) {
      avoidRemoteNodes(rsc);
    }
  }

  private static void byNodes(Primitive rsc) {
    var cluster = rsc.cluster();
    if (!rsc.is(ResourceFlag.FENCE_DEVICE)
        && cluster.is(ClusterFlag.ENABLE_UNFENCING)
        && rsc.is(ResourceFlag.NEEDS_UNFENCING)) {
      for (var node : allowedByName(rsc)) {
        UnfencingOrderings.orderRestartAroundUnfencing(rsc, node);
      }
    }
    if (!rsc.utilization().isEmpty() && cluster.placementStrategy() != PlacementStrategy.DEFAULT) {
      Utilization.orderLoad(rsc, allowedByName(rsc));
    }
    if (rsc.launcher() != null) {
      withLauncher(rsc, rsc.launcher());
    }
  }

  private static List<Node> allowedByName(Resource rsc) {
    var nodes = new ArrayList<Node>();
    for (var entry : rsc.allowed()) {
      nodes.add(entry.node());
    }
    nodes.sort(Comparator.comparing(node -> node.name(), NodeNames.ORDER));
    return nodes;
  }

  private static void withLauncher(Primitive rsc, Resource launcher) {
    Resource remote = null;
    if (rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
      if (!rsc.is(ResourceFlag.REMOTE_NESTING_ALLOWED)) {
        avoidRemoteNodes(launcher);
      } else {
        avoidGuests(launcher);
      }
      Orderings.between(launcher, TaskName.MONITOR, rsc, TaskName.STOP, Relation.ORDERED);
    } else if (launcher.is(ResourceFlag.REMOTE_CONNECTION)) {
      remote = launcher;
    } else {
      remote = guestConnection(launcher);
    }
    if (remote != null) {
      for (var entry : rsc.allowed()) {
        if (entry.node().remote() != remote) {
          ban(rsc, entry, Kind.CONTAINER, launcher.id());
        }
      }
      return;
    }
    Orderings.starts(
        launcher, rsc, Relations.of(Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS));
    Orderings.stops(rsc, launcher, Relation.THEN_IMPLIES_FIRST);
    // A connection of a bundle should be beside its container, but may be on another node.
    var score = rsc.is(ResourceFlag.REMOTE_NESTING_ALLOWED) ? 10_000 : Score.INFINITY;
    Colocations.addInternal("#resource-with-container", score, rsc, launcher, true);
  }

  /// The connection to the guest node that the resource makes, null if it makes none.
  public static @Nullable Resource guestConnection(Resource rsc) {
    if (rsc.cluster().is(ClusterFlag.HAVE_REMOTE_NODES)) {
      for (var launched : rsc.launched()) {
        if (launched.is(ResourceFlag.REMOTE_CONNECTION)) {
          return launched;
        }
      }
    }
    return null;
  }

  private static void avoidRemoteNodes(Resource rsc) {
    for (var entry : rsc.allowed()) {
      if (entry.node().remote() != null) {
        ban(rsc, entry, Kind.REMOTE, "");
      }
    }
  }

  // What makes a guest node is not looked for in another one, so after a cleanup nobody would know of it.
  // Of a guest that is not marked as our controllers mark them all is as in Pacemaker.
  private static void avoidGuests(Resource launcher) {
    for (var entry : launcher.allowed()) {
      var node = entry.node();
      var ours = node.is(NodeFlag.HISTORY_LOST) || !node.is(NodeFlag.UNPACKED);
      if (node.isGuest() && ours && node.remote() != null && !node.remote().isBundled()) {
        ban(launcher, entry, Kind.REMOTE, "");
      }
    }
  }

  private static void ban(Resource rsc, ScoredNode entry, Kind kind, String source) {
    entry.setScore(-Score.INFINITY);
    Explanations.note(rsc, entry.node(), -Score.INFINITY, kind, source);
  }

  /// The orderings of a group and its members.
  private static final class GroupConstraints {
    private final Group group;
    private final boolean promotable;
    private @Nullable Resource previous;
    private @Nullable Resource lastActive;

    GroupConstraints(Group group) {
      this.group = group;
      this.promotable = group.top(false).is(ResourceFlag.PROMOTABLE);
    }

    void add() {
      Orderings.between(
          group, TaskName.STOP, group, TaskName.STOPPED, Relation.UNRUNNABLE_FIRST_BLOCKS);
      Orderings.between(group, TaskName.STOPPED, group, TaskName.START, Relation.ORDERED);
      Orderings.between(
          group, TaskName.START, group, TaskName.RUNNING, Relation.UNRUNNABLE_FIRST_BLOCKS);
      group.children().forEach(this::member);
    }

    private void member(Resource member) {
      Relations down = Relation.THEN_IMPLIES_FIRST_GRAPHED;
      var downDone = Relation.FIRST_IMPLIES_THEN_GRAPHED;
      InternalConstraints.add(member);
      if (previous == null) {
        if (group.ordered()) {
          down = down.with(Relation.ORDERED);
          downDone = Relation.FIRST_IMPLIES_THEN;
        }
      } else if (group.colocated()) {
        Colocations.addInternal(
            "#group-members", Score.INFINITY, member, previous, member.is(ResourceFlag.CRITICAL));
      }
      var upDone =
          Relations.of(
              Relation.UNRUNNABLE_FIRST_BLOCKS,
              Relation.FIRST_IMPLIES_THEN,
              Relation.FIRST_IMPLIES_THEN_GRAPHED);
      if (promotable) {
        Orderings.between(group, TaskName.DEMOTE, member, TaskName.DEMOTE, down);
        Orderings.between(member, TaskName.DEMOTE, group, TaskName.DEMOTED, downDone);
        Orderings.between(member, TaskName.PROMOTE, group, TaskName.PROMOTED, upDone);
        Orderings.between(
            group, TaskName.PROMOTE, member, TaskName.PROMOTE, Relation.THEN_IMPLIES_FIRST_GRAPHED);
      }
      Orderings.stops(group, member, down);
      Orderings.between(member, TaskName.STOP, group, TaskName.STOPPED, downDone);
      Orderings.starts(group, member, Relation.THEN_IMPLIES_FIRST_GRAPHED);
      Orderings.between(member, TaskName.START, group, TaskName.RUNNING, upDone);
      inSequence(member);
      stopInSequence(member);
      previous = member;
    }

    private void inSequence(Resource member) {
      if (!group.ordered()) {
        up(
            group,
            member,
            Relations.of(
                Relation.FIRST_IMPLIES_THEN,
                Relation.UNRUNNABLE_FIRST_BLOCKS,
                Relation.THEN_IMPLIES_FIRST_GRAPHED));
      } else if (previous == null) {
        up(group, member, Relations.NONE);
      } else {
        afterPrevious(member, previous);
      }
    }

    private void up(Resource first, Resource then, Relations relations) {
      Orderings.starts(first, then, relations);
      if (promotable) {
        Orderings.between(first, TaskName.PROMOTE, then, TaskName.PROMOTE, relations);
      }
    }

    private void afterPrevious(Resource member, Resource before) {
      Orderings.starts(
          before,
          member,
          Relations.of(Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS));
      Orderings.stops(member, before, Relations.of(Relation.ORDERED, Relation.INTERMEDIATE_STOP));
      if (!member.active().isEmpty() && before.active().isEmpty()) {
        // A member was added before this one while it ran.
        Orderings.between(
            member,
            TaskName.STOP,
            before,
            TaskName.START,
            Relations.of(Relation.THEN_IMPLIES_FIRST, Relation.UNRUNNABLE_FIRST_BLOCKS));
      }
      if (promotable) {
        Orderings.between(
            before,
            TaskName.PROMOTE,
            member,
            TaskName.PROMOTE,
            Relations.of(Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS));
        Orderings.between(member, TaskName.DEMOTE, before, TaskName.DEMOTE, Relation.ORDERED);
      }
    }

    // A partially active group, too, goes down from its end.
    private void stopInSequence(Resource member) {
      if (member.active().isEmpty()) {
        return;
      }
      if (group.ordered()
          && previous != null
          && previous.active().isEmpty()
          && lastActive != null) {
        Orderings.stops(member, lastActive, Relation.ORDERED);
      }
      lastActive = member;
    }
  }
}
