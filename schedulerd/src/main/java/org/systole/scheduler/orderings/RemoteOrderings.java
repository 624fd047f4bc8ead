package org.systole.scheduler.orderings;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;

/// Orders actions on remote and guest nodes relative to the connection through which they go.
public final class RemoteOrderings {
  private RemoteOrderings() {}

  /// What is known about a connection.
  private enum State {
    UNKNOWN,
    ALIVE,
    /// Dead where it is, but it will be elsewhere, or is on its way.
    RESTING,
    FAILED,
    STOPPED
  }

  private static State state(Node node, Resource remote) {
    var current = remote.currentNode();
    if (remote.nextRole() == Role.STOPPED || remote.assigned() == null) {
      return stateWithoutNode(node, remote, current);
    }
    if (current == null) {
      return State.UNKNOWN;
    }
    if (current.unclean() || !current.online()) {
      return State.RESTING;
    }
    if (remote.active().size() > 1
        && remote.partialMigrationSource() != null
        && remote.partialMigrationTarget() != null) {
      return State.RESTING;
    }
    return State.ALIVE;
  }

  private static State stateWithoutNode(Node node, Resource remote, @Nullable Node current) {
    if (current != null && current.unclean()) {
      return State.FAILED;
    }
    if (!remote.is(ResourceFlag.FAILED)) {
      return State.STOPPED;
    }
    var shutdown = node.attributes().get("shutdown");
    if (remote.nextRole() == Role.STOPPED
        && remote.reconnectIntervalMs() > 0
        && node.is(NodeFlag.REMOTE_FENCED)
        && (shutdown == null || shutdown.equals("0"))) {
      // It will be tried again later.
      return State.UNKNOWN;
    }
    return State.FAILED;
  }

  /// Whether a remote node's connection is gone and cannot come back.
  public static boolean isFailed(Node node) {
    return node.isRemote() && node.remote() != null && state(node, node.remote()) == State.FAILED;
  }

  /// Whether the failure of its connection is one that the remote node was fenced for. A plan finds such a one when it is made between
  /// the fencing and what that is followed by, as the configuration was changed just then.
  public static boolean isFencedForThat(Node node) {
    var at = node.remote() == null ? null : node.remote().currentNode();
    return node.isFencedForItsConnection() && (at == null || !at.unclean());
  }

  /// Whether the connection of a remote node is not configured any more, and nothing can run there that the cluster has started: it
  /// was fenced since anybody was connected to it, or all was stopped there and then the connection. That it could not be made
  /// after that, as the host is being taken out of the cluster, tells of no harm that fencing could end.
  public static boolean isRemovedAndLeft(Node node) {
    var connection = node.remote();
    var at = connection == null ? null : connection.currentNode();
    return connection != null
        && connection.is(ResourceFlag.REMOVED)
        && (at == null || !at.unclean())
        && (node.is(NodeFlag.REMOTE_FENCED)
            || node.is(NodeFlag.REMOTE_LEFT) && node.running().isEmpty() && isAllKnown(connection.cluster(), node));
  }

  /// Whether all that may run on a node was looked for there. That its history has nothing says nothing: a member that stops what
  /// it could not start also writes that it is not connected, and the node may have outlived the cluster.
  private static boolean isAllKnown(WorkingSet cluster, Node node) {
    return cluster.resources().stream().allMatch(it -> isKnown(it, node));
  }

  private static boolean isKnown(Resource rsc, Node node) {
    if (isForbidden(rsc, node)) {
      return true;
    }
    return switch (rsc) {
      case Clone clone when !clone.is(ResourceFlag.UNIQUE) ->
          clone.children().stream().anyMatch(it -> isKnown(it, node));
      case Bundle bundle ->
          bundle.replicas().stream()
              .allMatch(it -> it.container().probed().contains(node) && (it.ip() == null || it.ip().probed().contains(node)));
      case Primitive it -> isElsewhere(it) || it.probed().contains(node);
      default -> rsc.children().stream().allMatch(it -> isKnown(it, node));
    };
  }

  /// Whether it may neither run there nor be looked for.
  private static boolean isForbidden(Resource rsc, Node node) {
    return rsc.locations().stream()
        .filter(it -> it.probeMode() == ProbeMode.NEVER)
        .flatMap(it -> it.nodes().stream())
        .anyMatch(it -> it.node() == node && it.score() <= -Score.INFINITY);
  }

  /// Whether it runs on no remote node, or only where its history says so.
  private static boolean isElsewhere(Primitive rsc) {
    return rsc.is(ResourceFlag.FENCE_DEVICE) || rsc.is(ResourceFlag.REMOTE_CONNECTION) || rsc.is(ResourceFlag.REMOVED);
  }

  /// Whether the resource is what the (guest) node runs in.
  static boolean isGuestOf(@Nullable Resource rsc, @Nullable Node node) {
    return rsc != null
        && !rsc.launched().isEmpty()
        && node != null
        && node.remote() != null
        && node.remote().launcher() == rsc;
  }

  public static void add(WorkingSet cluster) {
    if (!cluster.is(ClusterFlag.HAVE_REMOTE_NODES)) {
      return;
    }
    for (var at = cluster.actions().size() - 1; at >= 0; at--) {
      var action = cluster.actions().get(at);
      if (action.resource() != null) {
        add(action, action.resource());
      }
    }
  }

  private static void add(Action action, Resource rsc) {
    if (rsc.is(ResourceFlag.REMOTE_CONNECTION) && action.task().equals(TaskName.CLEAR_FAILCOUNT)) {
      Orderings.add(
          rsc.cluster(),
          rsc,
          null,
          action,
          rsc,
          OperationKey.text(rsc.id(), TaskName.START),
          null,
          Relation.ORDERED);
      return;
    }
    if (action.task().equals(TaskName.MIGRATE_TO) && rsc.assigned() != null) {
      sentAfterConnection(action, rsc.assigned().node());
    }
    var node = action.node();
    if (node == null
        || !node.remoteKind()
        || action.is(ActionFlag.PSEUDO)
        || node.remote() == null) {
      return;
    }
    if (action.task().equals(TaskName.START) && !isThere(action, rsc, node)) {
      stopsAfterConnection(rsc, node, node.remote());
    }
    if (node.remote().launcher() != null) {
      onGuest(action, rsc, node, node.remote(), node.remote().launcher());
    } else {
      onRemote(action, rsc, node, node.remote());
    }
  }

  // A resource that was moved there live needs only to be stopped where it came from. That goes before the connection moves from there,
  // and with Pacemaker each waits for the other.
  private static boolean isThere(Action start, Resource rsc, Node node) {
    return start.is(ActionFlag.OPTIONAL) && rsc.active().contains(node);
  }

  // If the connection cannot be made, a resource that was to move there stays where it is.
  private static void stopsAfterConnection(Resource rsc, Node node, Resource remote) {
    for (var at = rsc.actions().size() - 1; at >= 0; at--) {
      var action = rsc.actions().get(at);
      if (action.node() != node && action.task().equals(TaskName.STOP)) {
        Orderings.add(
            rsc.cluster(),
            remote,
            OperationKey.text(remote.id(), TaskName.START),
            null,
            rsc,
            null,
            action,
            Relation.ORDERED);
      }
    }
  }

  // What is sent to a node that is being connected to runs there, though the connection may not be made: nobody would know of it.
  // Pacemaker sends it at once.
  private static void sentAfterConnection(Action to, Node target) {
    var remote = target.remoteKind() ? target.remote() : null;
    if (remote != null && remote.partialMigrationTarget() == null) {
      var state = state(target, remote);
      if (state == State.UNKNOWN || state == State.RESTING) {
        afterStart(remote, to, Relations.NONE);
      }
    }
  }

  private static void afterStart(Resource first, Action then, Relations extra) {
    Orderings.add(
        first.cluster(),
        first,
        OperationKey.text(first.id(), TaskName.START),
        null,
        then.resource(),
        null,
        then,
        Relations.of(Relation.GUEST_ALLOWED, Relation.UNRUNNABLE_FIRST_BLOCKS).with(extra));
  }

  private static void beforeStop(Action first, Resource then, Relations extra) {
    Orderings.add(
        then.cluster(),
        first.resource(),
        null,
        first,
        then,
        OperationKey.text(then.id(), TaskName.STOP),
        null,
        Relation.GUEST_ALLOWED.with(extra));
  }

  private static String kind(Action action) {
    return action.task().equals(TaskName.MIGRATE_TO) || action.task().equals(TaskName.MIGRATE_FROM)
        ? TaskName.STOP
        : action.task();
  }

  private static void onRemote(Action action, Resource rsc, Node node, Resource remote) {
    var state = state(node, remote);
    switch (kind(action)) {
      case TaskName.START, TaskName.PROMOTE ->
          afterStart(
              remote, action, state == State.FAILED ? Relation.FIRST_IMPLIES_THEN : Relations.NONE);
      case TaskName.STOP -> stopOnRemote(action, rsc, node, remote, state);
      case TaskName.DEMOTE -> {
        if (state == State.RESTING || state == State.UNKNOWN) {
          afterStart(remote, action, Relations.NONE);
        }
      }
      default -> otherOnRemote(action, rsc, node, remote, state);
    }
  }

  private static void stopOnRemote(
      Action action, Resource rsc, Node node, Resource remote, State state) {
    if (state == State.FAILED) {
      Fencing.fenceNode(
          rsc.cluster(), node, "resources are active but connection is unrecoverable", false);
    } else if (state == State.ALIVE || remote.nextRole() == Role.STOPPED) {
      beforeStop(action, remote, Relation.THEN_IMPLIES_FIRST);
    } else {
      afterStart(remote, action, Relations.NONE);
    }
  }

  private static void otherOnRemote(
      Action action, Resource rsc, Node node, Resource remote, State state) {
    if (Actions.isRecurring(action)) {
      afterStart(remote, action, Relation.FIRST_IMPLIES_THEN);
      return;
    }
    var current = remote.currentNode();
    if (action.task().equals(TaskName.MONITOR) && state == State.FAILED) {
      Fencing.fenceNode(
          rsc.cluster(),
          node,
          "resources are in unknown state and connection is unrecoverable",
          false);
    }
    if (current != null && state == State.STOPPED) {
      beforeStop(action, remote, Relation.UNRUNNABLE_FIRST_BLOCKS);
    } else {
      afterStart(remote, action, Relations.NONE);
    }
  }

  private static void onGuest(
      Action action, Resource rsc, Node node, Resource remote, Resource launcher) {
    if (launcher.is(ResourceFlag.FAILED)) {
      Fencing.fenceNode(rsc.cluster(), node, "container failed", false);
    }
    switch (kind(action)) {
      case TaskName.START, TaskName.PROMOTE -> {
        afterStart(launcher, action, Relation.FIRST_IMPLIES_THEN);
        afterStart(remote, action, Relations.NONE);
      }
      case TaskName.STOP, TaskName.DEMOTE -> {
        // With the launcher failed they are implied by its stop.
        if (isForgotten(node, remote)) {
          afterStart(remote, action, Relations.NONE);
        } else if (!launcher.is(ResourceFlag.FAILED)) {
          beforeStop(action, remote, Relations.NONE);
        }
      }
      default -> {
        if (isBeforeMove(action, node, remote, launcher)) {
          beforeStop(action, remote, Relations.NONE);
        } else if (!Actions.isRecurring(action)) {
          afterStart(remote, action, Relations.NONE);
        } else if (Task.isKnown(action.task())) {
          afterStart(remote, action, Relation.FIRST_IMPLIES_THEN);
        }
      }
    }
  }

  // Where a guest is to be moved live it is looked inside before: where it goes to, something may have to start
  // first that is looked for inside, too. Only where the guest is marked, else all is as in Pacemaker.
  private static boolean isBeforeMove(Action action, Node node, Resource remote, Resource launcher) {
    var began = remote.currentNode();
    var ended = remote.assigned() == null ? null : remote.assigned().node();
    return action.task().equals(TaskName.MONITOR)
        && !Actions.isRecurring(action)
        && node.is(NodeFlag.HISTORY_LOST)
        && !remote.is(ResourceFlag.FAILED) // who is not connected cannot look before
        && began != null
        && ended != null
        && began.online()
        && !began.unclean()
        && launcher.active().contains(began)
        && !launcher.active().contains(ended);
  }

  // What runs inside a guest whose connection nobody knows of is reached once that is there again. Only
  // where the guest is marked as one that was connected: without that all is as in Pacemaker.
  private static boolean isForgotten(Node node, Resource remote) {
    return node.is(NodeFlag.HISTORY_LOST)
        && !node.is(NodeFlag.REMOTE_RESET)
        && remote.active().isEmpty()
        && remote.nextRole().above(Role.STOPPED);
  }

  /// The cluster node through which an action on a remote node goes; null if it is not on one.
  public static @Nullable Node router(Action action) {
    var remote =
        action.node() == null || !action.node().remoteKind() ? null : action.node().remote();
    if (remote == null || action.task().equals(TaskName.FENCE)) {
      return null;
    }
    var began = remote.currentNode();
    var ended = remote.assigned() == null ? null : remote.assigned().node();
    if (began == null || ended == null || began == ended) {
      return began == null ? ended : began;
    }
    var launcher = remote.launcher();
    if (launcher != null && isBeforeMove(action, action.node(), remote, launcher)) {
      return began;
    }
    var partial = remote.launcher() == null && remote.partialMigrationTarget() != null;
    var task =
        action.task().equals(TaskName.NOTIFY)
            ? action.meta().getOrDefault("notify_operation", "")
            : action.task();
    // What goes down does so before the connection moves, unless that is on its way already.
    return !partial && goesDown(task) ? began : ended;
  }

  private static boolean goesDown(String task) {
    return switch (task) {
      case TaskName.CANCEL,
          TaskName.STOP,
          TaskName.DEMOTE,
          TaskName.MIGRATE_FROM,
          TaskName.MIGRATE_TO ->
          true;
      default -> false;
    };
  }
}
