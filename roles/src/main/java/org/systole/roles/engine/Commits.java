package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.SnapshotState;

/// Commits and archives snapshots.
///
/// A commit takes the place of the deployment's committed snapshot. What is in it as it was before
/// (data, what it rests on) and rests on nothing that changes stays active: a commit for one node
/// does not take the others through their roles again.
final class Commits {
  private final Board board;

  Commits(Board board) {
    this.board = board;
  }

  void commit(DeploymentId deployment) throws Refusal {
    var next = board.proposed(deployment);
    var last = board.snapshot(deployment, SnapshotState.COMMITTED);
    for (var cell : next.cells()) {
      check(cell, next);
    }
    if (last != null) {
      checkDependants(last, next);
    }
    var below = last == null ? List.<Cell>of() : retire(last, next);
    next.state = SnapshotState.COMMITTED;
    next.cells().forEach(it -> board.enliven(it, next));
    next.cells().forEach(board::link);
    below.forEach(board::link);
    var inOrder = next.cells();
    inOrder.sort(Cell::compare);
    for (var cell : inOrder) {
      enter(cell, next, last);
    }
    for (var cell : below) {
      if (cell.waiting > 0) {
        board.moves.move(cell, Input.PARENT_DOWN);
      }
    }
    if (last != null) {
      last.archive();
    }
    board.hooks.fire(RoleEvent.ON_COMMIT, next.id.toString());
  }

  /// Carries on with what was added to a committed snapshot.
  void recommit(SnapshotWork snapshot) {
    var fresh = snapshot.cells();
    fresh.removeIf(it -> it.state != NodeRoleState.PROPOSED);
    fresh.sort(Cell::compare);
    for (var cell : fresh) {
      board.askOfLost(cell);
      board.moves.move(
          cell, cell.waiting == 0 ? Input.COMMITTED_READY : Input.COMMITTED_BLOCKED);
    }
    if (!fresh.isEmpty()) {
      board.hooks.fire(RoleEvent.ON_COMMIT, snapshot.id.toString());
    }
  }

  private void check(Cell cell, SnapshotWork next) throws Refusal {
    var where = "cannot commit snapshot " + next.id + ": ";
    var node = board.node(cell.id.node()).node;
    if (!board.lineage(node.deployment()).contains(next.id.deployment())) {
      throw new Refusal(where + cell + ": its node is in deployment " + node.deployment() + " now");
    }
    var other = board.liveIn.get(cell.id);
    if (other != null && !other.id.deployment().equals(next.id.deployment())) {
      throw new Refusal(where + cell + " is committed in " + other.id);
    }
    for (var id : cell.parentIds) {
      if (next.get(id) == null && !isAbove(id, next)) {
        throw new Refusal(where + cell + " rests on " + id + ", which is not committed any more");
      }
    }
    try {
      new Binder(board).checkConflicts(cell.role, cell.id, next);
    } catch (Refusal e) {
      throw new Refusal(where + e.getMessage());
    }
  }

  private boolean isAbove(NodeRoleId id, SnapshotWork snapshot) {
    var other = board.liveIn.get(id);
    return other != null
        && !other.id.deployment().equals(snapshot.id.deployment())
        && board.lineage(snapshot.id.deployment()).contains(other.id.deployment());
  }

  /// What deployments below rest on may not go.
  private void checkDependants(SnapshotWork last, @Nullable SnapshotWork next) throws Refusal {
    for (var cell : last.cells()) {
      if (next != null && next.get(cell.id) != null) {
        continue;
      }
      for (var child : cell.children) {
        var in = board.liveIn.get(child.id);
        if (in != null && in != last) {
          throw new Refusal(
              "%s cannot go from deployment %s: %s in %s rests on it"
                  .formatted(cell, last.id.deployment(), child, in.id));
        }
      }
    }
  }

  /// Takes a snapshot's cells out of the live ones.
  ///
  /// @param next what takes its place, null for nothing
  /// @return the cells of other snapshots that rested on them
  private List<Cell> retire(SnapshotWork last, @Nullable SnapshotWork next) {
    var below = new TreeSet<Cell>(Comparator.comparing((Cell it) -> it.id));
    for (var cell : last.cells()) {
      cell.children.stream()
          .filter(it -> board.liveIn.get(it.id) != last)
          .filter(it -> last.get(it.id) != it)
          .forEach(below::add);
    }
    for (var cell : last.cells()) {
      if (next == null || next.get(cell.id) == null) {
        board.spend(cell);
      }
      board.retire(cell);
    }
    for (var cell : last.cells()) {
      var node = board.nodes.get(cell.id.node());
      if (node != null && cell.state == NodeRoleState.TRANSITION) {
        node.running = cell; // it runs on
      }
    }
    below.forEach(board::unlink);
    return new ArrayList<>(below);
  }

  private void enter(Cell cell, SnapshotWork next, @Nullable SnapshotWork last) {
    var before = last == null ? null : last.get(cell.id);
    if (before == null) {
      cell.run = Math.max(cell.run, board.spent());
      board.askOfLost(cell);
    }
    if (last != null && before != null) {
      cell.system = DeepMerge.merge(before.system, cell.system);
      cell.wall = before.wall;
      cell.run = before.run;
      if (isUnchanged(cell, before, next, last)) {
        if (before.isActive() && cell.waiting == 0) {
          board.moves.move(cell, Input.KEPT);
          return;
        }
        if (before.state == NodeRoleState.TRANSITION) {
          last.remove(before);
          before.state = NodeRoleState.TODO; // archived, it is not the one that runs
          last.conclude(before);
          board.moves.move(cell, Input.KEPT_RUNNING);
          return;
        }
      }
    }
    board.moves.move(cell, cell.waiting == 0 ? Input.COMMITTED_READY : Input.COMMITTED_BLOCKED);
  }

  private static boolean isUnchanged(
      Cell cell, Cell before, SnapshotWork next, SnapshotWork last) {
    var role = cell.id.role();
    return cell.user.equals(before.user)
        && cell.parentIds.equals(before.parentIds)
        && next.deploymentRoles
            .getOrDefault(role, Json.Obj.EMPTY)
            .equals(last.deploymentRoles.getOrDefault(role, Json.Obj.EMPTY));
  }

  /// A proposal takes over what the cluster has set in the snapshot that it was made from: here, as that is
  /// not there any more when it is committed.
  private static void handOn(SnapshotWork going, @Nullable SnapshotWork proposal) {
    for (var cell : proposal == null ? List.<Cell>of() : proposal.cells()) {
      var before = going.get(cell.id);
      if (before != null) {
        cell.system = DeepMerge.merge(before.system, cell.system);
      }
    }
  }

  /// Puts a snapshot away: a proposal is discarded, a committed one is worked on no more.
  void archive(DeploymentId deployment, int number) throws Refusal {
    board.deployment(deployment);
    for (var snapshot : board.history(deployment)) {
      if (snapshot.id.number() == number) {
        if (snapshot.state == SnapshotState.ARCHIVED) {
          throw new Refusal("snapshot " + snapshot.id + " is archived already");
        }
        if (snapshot.state == SnapshotState.COMMITTED) {
          checkDependants(snapshot, null);
          handOn(snapshot, board.snapshot(deployment, SnapshotState.PROPOSED));
          retire(snapshot, null);
        }
        snapshot.archive();
        return;
      }
    }
    throw new Refusal("deployment " + deployment + " has no snapshot " + number);
  }
}
