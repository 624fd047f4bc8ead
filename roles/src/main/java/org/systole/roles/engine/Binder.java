package org.systole.roles.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.SnapshotState;

/// Binds roles to nodes in a snapshot, and so gives the graph of noderoles its shape.
///
/// What a noderole rests on is looked for in its own snapshot, then in the committed snapshots of
/// the deployments above, the nearest first: deployments beside or below are out of sight.
final class Binder {
  private final Board board;
  private final Deque<Runnable> undo = new ArrayDeque<>();

  Binder(Board board) {
    this.board = board;
  }

  /// Binds a role, and the implicit ones it needs; finds it if it is bound already.
  ///
  /// @throws Refusal if it cannot be; the board may hold a part of it then
  Cell bind(RoleId id, NodeName nodeName, SnapshotWork snapshot) throws Refusal {
    var role = board.role(id);
    var node = board.node(nodeName);
    var bound = new NodeRoleId(id, nodeName);
    if (role.is(RoleFlag.ABSTRACT)) {
      throw new Refusal(
          "role " + id + " is abstract: bind one that provides it" + list(providers(role)));
    }
    if (!board.isActive(role.jig())) {
      throw new Refusal("cannot bind " + bound + ": its jig " + role.jig() + " is not active");
    }
    var deployment = snapshot.id.deployment();
    if (!board.lineage(node.node.deployment()).contains(deployment)) {
      throw new Refusal(
          "cannot bind %s in deployment %s: the node is in deployment %s, which is not under it"
              .formatted(bound, deployment, node.node.deployment()));
    }
    if (snapshot.deploymentRoles.putIfAbsent(id, role.data()) == null) {
      undo.push(() -> snapshot.deploymentRoles.remove(id));
    }
    var known = known(bound, snapshot);
    if (known != null) {
      return known;
    }
    checkConflicts(role, bound, snapshot);
    var parents = new TreeSet<NodeRoleId>();
    for (var name : role.requires()) {
      parents.addAll(parents(role, name, nodeName, snapshot));
    }
    var seed = snapshot.deploymentRoles.getOrDefault(id, Json.Obj.EMPTY);
    var cell =
        board.cell(
            new NodeRole(
                bound,
                NodeRoleState.PROPOSED,
                parents,
                seed,
                Json.Obj.EMPTY,
                Json.Obj.EMPTY,
                board.spent(),
                ""),
            role);
    snapshot.add(cell);
    undo.push(() -> snapshot.remove(cell));
    if (snapshot.state == SnapshotState.COMMITTED) {
      board.enliven(cell, snapshot);
      board.link(cell);
      undo.push(() -> board.retire(cell));
    } else if (role.is(RoleFlag.CLUSTER)) {
      addToDependants(cell, snapshot);
    }
    board.hooks.fire(RoleEvent.ON_PROPOSED, cell);
    return cell;
  }

  private List<RoleId> providers(Role role) {
    return board.graph().answeringTo(role.id()).stream()
        .map(Role::id)
        .filter(it -> !it.equals(role.id()))
        .toList();
  }

  private static String list(List<RoleId> roles) {
    return roles.isEmpty()
        ? "; none does"
        : " (" + String.join(", ", roles.stream().map(RoleId::text).toList()) + ")";
  }

  /// The binding as it is in sight, null if there is none.
  private @Nullable Cell known(NodeRoleId bound, SnapshotWork snapshot) throws Refusal {
    var own = snapshot.get(bound);
    if (own != null) {
      return own;
    }
    var other = board.liveIn.get(bound);
    if (other == null || other.id.deployment().equals(snapshot.id.deployment())) {
      return null; // a snapshot takes the place of its deployment's committed one
    }
    if (board.lineage(snapshot.id.deployment()).contains(other.id.deployment())) {
      return board.live.get(bound);
    }
    throw new Refusal(
        "cannot bind %s in deployment %s: deployment %s has bound it, which is not above"
            .formatted(bound, snapshot.id.deployment(), other.id.deployment()));
  }

  /// Looks at the snapshot's own noderoles of that node, and at the committed ones of other deployments.
  void checkConflicts(Role role, NodeRoleId bound, SnapshotWork snapshot) throws Refusal {
    var against = board.graph().against(role);
    if (against.isEmpty()) {
      return;
    }
    checkConflicts(against, bound, snapshot);
    for (var deployment : board.deployments.keySet()) {
      if (!deployment.equals(snapshot.id.deployment())) {
        var committed = board.snapshot(deployment, SnapshotState.COMMITTED);
        if (committed != null) {
          checkConflicts(against, bound, committed);
        }
      }
    }
  }

  private static void checkConflicts(
      SortedSet<RoleId> against, NodeRoleId bound, SnapshotWork snapshot) throws Refusal {
    for (var role : against) {
      var other = snapshot.of(role).get(bound.node());
      if (other != null && !other.id.equals(bound)) {
        throw new Refusal(
            "cannot bind %s: it conflicts with %s, which is on the same node"
                .formatted(bound, other.id));
      }
    }
  }

  private List<NodeRoleId> parents(
      Role role, RoleId name, NodeName node, SnapshotWork snapshot) throws Refusal {
    var answering = board.graph().answeringTo(name);
    for (var scope : scopes(snapshot)) {
      for (var candidate : answering) {
        var there = scope.of(candidate.id());
        if (candidate.is(RoleFlag.CLUSTER) && !there.isEmpty()) {
          return ids(there);
        }
        var near = there.get(node);
        if (near != null) {
          return List.of(near.id);
        }
      }
    }
    for (var scope : scopes(snapshot)) {
      for (var candidate : answering) {
        var there = scope.of(candidate.id());
        if (!candidate.is(RoleFlag.IMPLICIT) && !there.isEmpty()) {
          return List.of(there.sequencedValues().getFirst().id);
        }
      }
    }
    var implicit =
        answering.stream()
            .filter(it -> it.is(RoleFlag.IMPLICIT) && !it.is(RoleFlag.ABSTRACT))
            .toList();
    if (implicit.size() == 1) {
      return List.of(bind(implicit.getFirst().id(), node, snapshot).id);
    }
    var why =
        implicit.isEmpty()
            ? "which is on no node in sight of deployment " + snapshot.id.deployment() + ": bind that first"
            : "which several implicit roles provide" + list(implicit.stream().map(Role::id).toList());
    throw new Refusal("cannot bind %s@%s: it requires %s, %s".formatted(role.id(), node, name, why));
  }

  private static List<NodeRoleId> ids(SortedMap<NodeName, Cell> cells) {
    return cells.values().stream().map(it -> it.id).toList();
  }

  /// The snapshot itself, then the committed ones above, the nearest first.
  private List<SnapshotWork> scopes(SnapshotWork snapshot) {
    var scopes = new ArrayList<SnapshotWork>(List.of(snapshot));
    var lineage = board.lineage(snapshot.id.deployment());
    for (var above : lineage.subList(1, lineage.size())) {
      var committed = board.snapshot(above, SnapshotState.COMMITTED);
      if (committed != null) {
        scopes.add(committed);
      }
    }
    return scopes;
  }

  /// Takes back all that was bound, for where a part of it was refused. What was told of it is not.
  void undo() {
    while (!undo.isEmpty()) {
      undo.pop().run();
    }
  }

  /// Nodes that have come since may have brought more noderoles of cluster roles: who depends on one of them
  /// depends on all from this proposal on. At once, each new node would take what works through its roles
  /// again on all the others.
  void completeClusters(SnapshotWork proposal) {
    for (var cell : proposal.cells()) {
      for (var parent : List.copyOf(cell.parentIds)) {
        var role = board.roles.get(parent.role());
        if (role != null && role.is(RoleFlag.CLUSTER)) {
          cell.parentIds.addAll(ids(scope(parent, proposal).of(parent.role())));
        }
      }
    }
  }

  private SnapshotWork scope(NodeRoleId parent, SnapshotWork proposal) {
    var in = proposal.get(parent) == null ? board.liveIn.get(parent) : null;
    return in == null ? proposal : in;
  }

  /// Who depends on a cluster role depends on all its noderoles, those that come later too.
  private void addToDependants(Cell cell, SnapshotWork snapshot) {
    for (var role : board.roles.values()) {
      if (role.requires().stream().anyMatch(cell.role::answersTo)) {
        for (var dependant : snapshot.of(role.id()).values()) {
          var others = dependant.parentIds.stream().map(NodeRoleId::role);
          if (others.anyMatch(cell.id.role()::equals)) {
            dependant.parentIds.add(cell.id);
            undo.push(() -> dependant.parentIds.remove(cell.id));
          }
        }
      }
    }
  }
}
