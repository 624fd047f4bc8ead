package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.systole.common.values.NodeName;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.Fqdn;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;

/// Nodes come and go, live and die.
final class NodeChanges {
  private final Board board;
  private final Runs runs;

  NodeChanges(Board board) {
    this.board = board;
    this.runs = new Runs(board);
  }

  /// A new node in `system`, with the roles that new nodes get; the snapshot they are in is
  /// committed anew.
  void create(NodeName name, boolean admin) throws Refusal {
    create(name, admin, admin ? bootstrap() : discovery());
  }

  /// A new node with those of the discovery roles that can be bound: a role that cannot be must not
  /// keep a member of the cluster out.
  void takeIn(NodeName name) throws Refusal {
    var trial = new NodeChanges(new Board(board.document(), Hooks.none()));
    var fit = new ArrayList<RoleId>();
    var committed = trial.enter(name, false);
    for (var role : discovery()) {
      var binder = new Binder(trial.board);
      try {
        trial.bind(binder, role, name, committed);
        fit.add(role);
      } catch (Refusal e) {
        binder.undo();
        board.hooks.trouble(
            RoleEvent.ON_NODE_CREATE, name.text(), "role " + role + " is not bound: " + e.getMessage());
      }
    }
    create(name, false, fit);
  }

  private void create(NodeName name, boolean admin, List<RoleId> roles) throws Refusal {
    var committed = enter(name, admin);
    for (var role : roles) {
      bind(new Binder(board), role, name, committed);
    }
    tell(RoleEvent.ON_NODE_CREATE, name);
    new Commits(board).recommit(committed);
  }

  private void bind(Binder binder, RoleId role, NodeName name, SnapshotWork committed)
      throws Refusal {
    binder.bind(role, name, committed);
    var proposed = board.snapshot(DeploymentId.SYSTEM, SnapshotState.PROPOSED);
    if (proposed != null) {
      binder.bind(role, name, proposed); // its commit must not take them away
    }
  }

  /// @return the snapshot that its roles come into
  private SnapshotWork enter(NodeName name, boolean admin) throws Refusal {
    var fault = Fqdn.fault(name.text(), board.domain());
    if (!fault.isEmpty()) {
      throw new Refusal("cannot create node " + name + ": " + fault);
    }
    for (var other : board.nodes.keySet()) {
      if (other.text().toLowerCase(Locale.ROOT).equals(name.text().toLowerCase(Locale.ROOT))) {
        throw new Refusal("cannot create node " + name + ": there is a node " + other);
      }
    }
    board.nodes.put(
        name,
        new NodeWork(
            new RoleNode(name, admin, false, true, DeploymentId.SYSTEM, board.past.of(name))));
    board.past = board.past.without(name);
    return committedSystem();
  }

  private SnapshotWork committedSystem() {
    var committed = board.snapshot(DeploymentId.SYSTEM, SnapshotState.COMMITTED);
    if (committed != null) {
      return committed;
    }
    // The first one. It gets a number of its own, before a proposal that is open if need be.
    var history = board.history(DeploymentId.SYSTEM);
    var open = !history.isEmpty() && history.getLast().state == SnapshotState.PROPOSED;
    if (open) {
      var proposal = history.getLast();
      board.snapshots.remove(proposal.id);
      var moved =
          proposal.renumbered(
              new SnapshotId(DeploymentId.SYSTEM, proposal.id.number() + 1));
      board.snapshots.put(moved.id, moved);
    }
    var number = history.isEmpty() ? 1 : history.getLast().id.number() + (open ? 0 : 1);
    var first = new SnapshotWork(new SnapshotId(DeploymentId.SYSTEM, number));
    first.state = SnapshotState.COMMITTED;
    board.snapshots.put(first.id, first);
    return first;
  }

  /// The bootstrap roles with all they require, in dependency order.
  private List<RoleId> bootstrap() {
    var flagged =
        board.roles.values().stream()
            .filter(it -> it.is(RoleFlag.BOOTSTRAP))
            .map(it -> it.id())
            .toList();
    return board.graph().withRequired(flagged).stream().filter(this::isConcrete).toList();
  }

  /// The discovery roles whose jigs are active, in dependency order.
  private List<RoleId> discovery() {
    return board.graph().order().stream()
        .filter(
            it -> {
              var role = board.roles.get(it);
              return role != null
                  && role.is(RoleFlag.DISCOVERY)
                  && board.isActive(role.jig());
            })
        .toList();
  }

  private boolean isConcrete(RoleId id) {
    var role = board.roles.get(id);
    return role != null && !role.is(RoleFlag.ABSTRACT);
  }

  private boolean isDestructive(RoleId id) {
    var role = board.roles.get(id);
    return role != null && role.is(RoleFlag.DESTRUCTIVE);
  }

  private void tell(RoleEvent event, NodeName node) {
    board.hooks.fire(event, node.text());
    for (var deployment : board.deployments.keySet()) {
      var committed = board.snapshot(deployment, SnapshotState.COMMITTED);
      if (committed != null) {
        committed.on(node).forEach(it -> board.hooks.fireIfAnswered(event, it));
      }
    }
  }

  /// Its noderoles go with it. A run of a jig on it is heard of no more. What was begun there is not forgotten: one
  /// of its name may be the same machine with the same disks, and what may run only once by then counts it.
  void delete(NodeName name) throws Refusal {
    var running = board.node(name).running;
    if (running != null && running.runsOnce()) {
      throw new Refusal(
          "cannot delete node %s: %s runs there, and may run only once: wait for its end".formatted(name, running));
    }
    for (var snapshot : board.snapshots.values()) {
      if (snapshot.state != SnapshotState.ARCHIVED) {
        checkRestsElsewhere(name, snapshot);
      }
    }
    noteRuns(it -> it.node().equals(name) && !isDestructive(it.role())); // of those that are it is known
    tell(RoleEvent.ON_NODE_DELETE, name);
    for (var snapshot : board.snapshots.values()) {
      for (var cell : snapshot.on(name)) {
        switch (snapshot.state) {
          case COMMITTED -> {
            board.spend(cell);
            board.retire(cell);
            snapshot.remove(cell);
          }
          case PROPOSED -> snapshot.remove(cell);
          case ARCHIVED -> snapshot.disown(cell);
        }
      }
    }
    board.past = board.past.with(board.node(name).node);
    board.nodes.remove(name);
  }

  private static void checkRestsElsewhere(NodeName name, SnapshotWork snapshot) throws Refusal {
    for (var cell : snapshot.cells()) {
      if (cell.id.node().equals(name)) {
        continue;
      }
      for (var parent : cell.parentIds) {
        if (parent.node().equals(name)) {
          throw new Refusal(
              "cannot delete node %s: %s in snapshot %s rests on %s"
                  .formatted(name, cell, snapshot.id, parent));
        }
      }
    }
  }

  void setAlive(NodeName name, boolean alive) throws Refusal {
    var node = board.node(name);
    if (node.node.alive() == alive) {
      return;
    }
    node.node = node.node.withAlive(alive);
    if (!alive) {
      runs.lose(node, "its node was lost");
      for (var cell : liveOn(name)) {
        if (cell.isActive() && cell.role.is(RoleFlag.SERVICE)) {
          runs.redo(cell);
        }
      }
    }
    tell(RoleEvent.ON_NODE_CHANGE, name);
  }

  void setAvailable(NodeName name, boolean available) throws Refusal {
    var node = board.node(name);
    if (node.node.available() != available) {
      node.node = node.node.withAvailable(available);
      tell(RoleEvent.ON_NODE_CHANGE, name);
    }
  }

  /// It was started anew and is alive: what can be done again is done again, in order.
  void restarted(NodeName name) throws Refusal {
    var node = board.node(name);
    node.node = node.node.withAlive(true);
    runs.lose(node, "its node was started anew");
    for (var cell : liveOn(name)) {
      var ended = cell.isActive() || cell.state == NodeRoleState.ERROR;
      if (ended && !cell.runsOnce()) {
        runs.redo(cell);
      }
    }
    tell(RoleEvent.ON_NODE_CHANGE, name);
  }

  /// Roles are destructive from now on: that they ran before counts. The number of a noderole's last run
  /// may be what an earlier binding left, so a person is asked rather once too often.
  void noteRuns(Set<RoleId> roles) {
    noteRuns(it -> roles.contains(it.role()));
  }

  private void noteRuns(Predicate<NodeRoleId> of) {
    for (var snapshot : board.snapshots.values()) {
      for (var bound : snapshot.freeze().nodeRoles().values()) {
        var role = bound.id().role();
        var node = of.test(bound.id()) ? board.nodes.get(bound.id().node()) : null;
        if (node != null && bound.run() > 0 && !node.done(role)) {
          node.note(role, new RoleNode.Once(bound.state() == NodeRoleState.ACTIVE));
        }
      }
    }
  }

  private List<Cell> liveOn(NodeName node) {
    var all = new ArrayList<Cell>();
    for (var deployment : board.deployments.keySet()) {
      var committed = board.snapshot(deployment, SnapshotState.COMMITTED);
      if (committed != null) {
        all.addAll(committed.on(node));
      }
    }
    all.sort(Cell::compare);
    return all;
  }

  /// Into another deployment. What it has committed must be in sight there, too.
  void move(NodeName name, DeploymentId deployment) throws Refusal {
    var node = board.node(name);
    board.deployment(deployment);
    var lineage = board.lineage(deployment);
    for (var snapshot : board.snapshots.values()) {
      if (snapshot.state != SnapshotState.ARCHIVED
          && !lineage.contains(snapshot.id.deployment())
          && !snapshot.on(name).isEmpty()) {
        throw new Refusal(
            "cannot move node %s to deployment %s: snapshot %s has roles on it"
                .formatted(name, deployment, snapshot.id));
      }
    }
    node.node = node.node.withDeployment(deployment);
    tell(RoleEvent.ON_NODE_CHANGE, name);
  }
}
