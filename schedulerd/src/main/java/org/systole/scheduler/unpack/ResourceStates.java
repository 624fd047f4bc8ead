package org.systole.scheduler.unpack;

import org.systole.common.operation.TaskName;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;

/// Applies what a resource's history on a node came to: where it is, and what must be done about
/// it.
final class ResourceStates {
  private final WorkingSet ws;

  ResourceStates(WorkingSet ws) {
    this.ws = ws;
  }

  void apply(Resource resource, Node node, ResourceHistory history) {
    var recorded = history.onFail;
    var active = resource.role().above(Role.STOPPED);
    if (resource.role() != Role.UNKNOWN) {
      markProbed(resource, node);
    }
    if (active && !node.online() && !node.maintenance() && resource.is(ResourceFlag.MANAGED)) {
      fenceLostNode(ws, resource, node);
    }
    // What is on a node to be fenced is free again after that.
    var onFail = node.unclean() || isOfHost(resource, recorded) ? OnFail.IGNORE : recorded;
    recover(resource, node, onFail, active);
    if (recorded != OnFail.IGNORE && resource.is(ResourceFlag.REMOTE_CONNECTION)) {
      noteConnectionFailure(resource, history);
    }
    if (resource.is(ResourceFlag.FAILED) && resource.is(ResourceFlag.REMOTE_CONNECTION)) {
      var remote = ws.remoteNode(resource.id());
      if (remote != null && remote.unclean()) {
        remote.set(NodeFlag.SEEN); // so that it is fenced even if it is connected again
      }
    }
    if (active) {
      noteActive(resource, node, recorded, onFail);
    } else if (resource.historyId() != null && resource.historyId().indexOf(':') >= 0) {
      ws.setHistoryId(resource, null); // of very old histories, which number instances
    } else {
      for (var stop : Actions.ofTask(resource, TaskName.STOP, node)) {
        stop.set(ActionFlag.OPTIONAL);
      }
    }
    // A stop on the source of a partial migration does not stop it on the target.
    if (resource.role() == Role.STOPPED
        && (!resource.active().isEmpty()
                && resource.partialMigrationTarget() != null
                && resource.partialMigrationSource() == node
            || resource.lostMigrationTarget() != null && resource.active().contains(resource.lostMigrationTarget()))) {
      resource.setRole(Role.STARTED);
    }
  }

  // Of a failure without a time nobody can say that it was before anything else.
  private void noteConnectionFailure(Resource connection, ResourceHistory history) {
    var remote = ws.remoteNode(connection.id());
    if (remote != null) {
      var failure = history.lastFailure;
      var when = failure == null ? null : failure.get("last-rc-change");
      remote.noteConnectionFailure(
          Numbers.isNumber(when) ? Numbers.parse(when, Long.MAX_VALUE) : Long.MAX_VALUE);
    }
  }

  private static void markProbed(Resource resource, Node node) {
    for (var up = resource; up != null; up = up.parent()) {
      if (!up.probed().contains(node)) {
        up.probed().put(ScoredNode.of(node));
      }
      if (up.is(ResourceFlag.UNIQUE)) {
        return;
      }
    }
  }

  /// Has a node that is not there fenced, as a resource is active on it.
  static void fenceLostNode(WorkingSet ws, Resource resource, Node node) {
    if (isConnectionForgotten(node)) {
      return; // it is found, or made anew, and what runs inside runs on
    }
    if (node.isGuest()) {
      Fencing.loseGuest(node, resource);
      return;
    }
    if (!ws.is(ClusterFlag.FENCING_ENABLED)) {
      return;
    } else if (node.isRemote() && node.remote() != null && !node.remote().is(ResourceFlag.FAILED)) {
      node.clear(NodeFlag.SEEN); // fenced only if the connection cannot be made elsewhere
      Fencing.fenceNode(
          ws,
          node,
          resource.id()
              + " is active there (fencing will be revoked if remote connection can be"
              + " re-established elsewhere)",
          false);
      return;
    }
    Fencing.fenceNode(ws, node, resource.id() + " is thought to be active there", false);
  }

  /// Whether what runs a guest is well, and of the connection to it nothing is known: its history was
  /// cleaned up, or its member's controller was restarted. The mark says that the guest was connected and
  /// not fenced since; without it all is as in Pacemaker.
  private static boolean isConnectionForgotten(Node node) {
    var connection = node.remote();
    var launcher = connection == null ? null : connection.launcher();
    if (!node.isGuest()
        || !node.is(NodeFlag.HISTORY_LOST)
        || connection == null
        || launcher == null
        || launcher.is(ResourceFlag.FAILED)
        || connection.is(ResourceFlag.FAILED)
        || launcher.active().size() != 1) {
      return false;
    }
    var host = launcher.active().getFirst();
    return host.online()
        && !host.unclean()
        && connection.active().isEmpty()
        && !connection.probed().contains(host);
  }

  /// Whether it is the lost connection to a host that host HA looks into: what that means is its affair.
  private boolean isOfHost(Resource resource, OnFail recorded) {
    if (recorded != OnFail.RESET_REMOTE || !resource.is(ResourceFlag.REMOTE_CONNECTION)) {
      return false;
    }
    var remote = ws.remoteNode(resource.id());
    return remote != null
        && (remote.is(NodeFlag.HOST_FROZEN) || remote.is(NodeFlag.HOST_DOWN));
  }

  private static void fail(Resource resource) {
    resource.set(ResourceFlag.FAILED);
    resource.set(ResourceFlag.STOP_IF_FAILED);
  }

  private void recover(Resource resource, Node node, OnFail onFail, boolean active) {
    switch (onFail) {
      case IGNORE -> {}
      case DEMOTE -> {
        resource.set(ResourceFlag.FAILED);
        Actions.demote(resource, node, false);
      }
      case FENCE -> Fencing.fenceNode(ws, node, resource.id() + " failed there", false);
      case STANDBY -> {
        node.set(NodeFlag.STANDBY);
        node.set(NodeFlag.FAIL_STANDBY);
      }
      case BLOCK -> {
        ActiveResources.block(resource);
      }
      case BAN -> {
        resource.prefer(node, -Score.INFINITY);
        ws.noteBan(resource, node, ScoreCause.Kind.FAILURES, "");
      }
      case STOP -> resource.setNextRole(Role.STOPPED);
      case RESTART -> {
        if (active) {
          fail(resource);
          Actions.stop(resource, node, false);
        }
      }
      case RESTART_CONTAINER -> restartContainer(resource, node, active);
      case RESET_REMOTE -> resetRemote(resource, node, active);
    }
  }

  private void restartContainer(Resource resource, Node node, boolean active) {
    fail(resource);
    var launcher = resource.launcher();
    if (launcher != null && resource.isBundled()) {
      ws.stopNeeded().addFirst(launcher); // it is not yet known where it is
    } else if (launcher != null) {
      Actions.stop(launcher, node, false);
    } else if (active) {
      Actions.stop(resource, node, false);
    }
  }

  private void resetRemote(Resource resource, Node node, boolean active) {
    fail(resource);
    if (ws.is(ClusterFlag.FENCING_ENABLED) && resource.is(ResourceFlag.REMOTE_CONNECTION)) {
      var remote = ws.remoteNode(resource.id());
      if (remote != null && remote.isRemote() && !remote.is(NodeFlag.REMOTE_FENCED)) {
        Fencing.fenceNode(ws, remote, "remote connection is unrecoverable", false);
      }
    }
    if (active) {
      Actions.stop(resource, node, false);
    }
    if (resource.reconnectIntervalMs() > 0) {
      resource.setNextRole(Role.STOPPED);
    }
  }

  private void noteActive(Resource resource, Node node, OnFail recorded, OnFail onFail) {
    if (resource.is(ResourceFlag.REMOVED)) {
      ws.notice(
          resource.is(ResourceFlag.MANAGED)
              ? "Removed resource "
                  + resource.id()
                  + " is active on "
                  + node.name()
                  + " and will be stopped when possible"
              : "Removed resource "
                  + resource.id()
                  + " must be stopped manually on "
                  + node.name()
                  + " because stop-removed-resources is set to false");
    }
    ActiveResources.add(resource, node, recorded != OnFail.IGNORE);
    switch (onFail) {
      case IGNORE -> {}
      case DEMOTE, BLOCK -> resource.set(ResourceFlag.FAILED);
      case RESTART, RESET_REMOTE, RESTART_CONTAINER, BAN, STOP, STANDBY, FENCE -> fail(resource);
    }
  }
}
