package org.systole.roles.engine;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.roles.data.Json;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;

/// Proposing snapshots and editing them.
final class SnapshotChanges {
  /// How many snapshots of a deployment are kept.
  static final int HISTORY_MAX = 20;

  private final Board board;

  SnapshotChanges(Board board) {
    this.board = board;
  }

  /// A proposal with all that the committed snapshot has, or an older one that is named.
  ///
  /// @param from null for the committed one
  void propose(DeploymentId deployment, @Nullable Integer from) throws Refusal {
    board.deployment(deployment);
    var open = board.snapshot(deployment, SnapshotState.PROPOSED);
    if (open != null) {
      throw new Refusal(
          "snapshot " + open.id + " is proposed already: commit it, or archive it, first");
    }
    var history = board.history(deployment);
    var model = model(deployment, from);
    var number = history.isEmpty() ? 1 : history.getLast().id.number() + 1;
    var snapshot = new SnapshotWork(new SnapshotId(deployment, number));
    board.snapshots.put(snapshot.id, snapshot);
    if (model != null) {
      snapshot.deploymentRoles.putAll(model.deploymentRoles());
      for (var noderole : model.nodeRoles().values()) {
        copy(noderole, snapshot);
      }
      new Binder(board).completeClusters(snapshot);
    }
    forget(history);
  }

  private @Nullable Snapshot model(DeploymentId deployment, @Nullable Integer from)
      throws Refusal {
    if (from == null) {
      var committed = board.snapshot(deployment, SnapshotState.COMMITTED);
      return committed == null ? null : committed.freeze();
    }
    for (var snapshot : board.history(deployment)) {
      if (snapshot.id.number() == from) {
        return snapshot.freeze();
      }
    }
    throw new Refusal("deployment " + deployment + " has no snapshot " + from);
  }

  /// What is of nodes that are gone stays behind, and so does what the cluster set: it goes on setting it in
  /// the committed snapshot, and the commit takes over what is there then. The copy has only what answers to
  /// its own events.
  private void copy(NodeRole noderole, SnapshotWork into) throws Refusal {
    if (!board.nodes.containsKey(noderole.id().node())) {
      return;
    }
    var role = board.role(noderole.id().role());
    var parents =
        noderole.parents().stream()
            .filter(it -> board.nodes.containsKey(it.node()))
            .collect(Collectors.toCollection(TreeSet::new));
    var committed = board.snapshot(into.id.deployment(), SnapshotState.COMMITTED);
    var goesOn = committed != null && committed.get(noderole.id()) != null;
    var cell =
        board.cell(
            new NodeRole(
                noderole.id(),
                NodeRoleState.PROPOSED,
                parents,
                noderole.user(),
                goesOn ? Json.Obj.EMPTY : noderole.system(),
                noderole.wall(),
                noderole.run(),
                ""),
            role);
    into.add(cell);
    board.hooks.fire(RoleEvent.ON_PROPOSED, cell);
  }

  private void forget(List<SnapshotWork> history) {
    for (var at = 0; at < history.size() - HISTORY_MAX + 1; at++) {
      var old = history.get(at);
      if (old.state == SnapshotState.ARCHIVED && old.cells().isEmpty()) {
        board.snapshots.remove(old.id);
      }
    }
  }

  void unbind(DeploymentId deployment, NodeRoleId id) throws Refusal {
    var snapshot = board.proposed(deployment);
    var cell = proposed(snapshot, id);
    for (var other : snapshot.cells()) {
      if (other.parentIds.contains(id)) {
        throw new Refusal("cannot unbind " + id + ": " + other.id + " rests on it");
      }
    }
    snapshot.remove(cell);
  }

  void setUser(DeploymentId deployment, NodeRoleId id, Json.Obj data) throws Refusal {
    proposed(board.proposed(deployment), id).user = data;
  }

  void setDefaults(DeploymentId deployment, RoleId role, Json.Obj data) throws Refusal {
    board.role(role);
    board.proposed(deployment).deploymentRoles.put(role, data);
  }

  private static Cell proposed(SnapshotWork snapshot, NodeRoleId id) throws Refusal {
    var cell = snapshot.get(id);
    if (cell == null) {
      throw new Refusal("snapshot " + snapshot.id + " has no noderole " + id);
    }
    return cell;
  }
}
