package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.Deployment;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Past;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Same;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;

/// A roles document laid out for work: noderoles know their parents and children, nodes what has
/// its turn. It is made in time linear in the document's size; what is done on it costs what it
/// touches.
///
/// A change that is refused half-way leaves it spoiled: [RoleEngine] throws it away then. Not safe
/// for use by several threads.
final class Board {
  static final JigId NOOP = new JigId("noop");

  private final String domain;
  final SortedMap<JigId, Boolean> jigs;
  final SortedMap<RoleId, Role> roles;
  final SortedMap<DeploymentId, Deployment> deployments;
  final SortedMap<NodeName, NodeWork> nodes = new TreeMap<>();
  final SortedMap<SnapshotId, SnapshotWork> snapshots = new TreeMap<>();
  final Map<NodeRoleId, Cell> live = new HashMap<>();
  final Map<NodeRoleId, SnapshotWork> liveIn = new HashMap<>();
  final Hooks hooks;
  final Moves moves = new Moves(this);
  private final RoleGraph graph;
  private Set<RoleId> gate = Set.of(); // the roles that the join gate waits for, and all that they require
  Past past;

  /// @param document one that fits together
  Board(RolesDocument document, Hooks hooks) {
    this.hooks = hooks;
    domain = document.domain();
    past = document.past();
    jigs = new TreeMap<>(document.jigs());
    roles = new TreeMap<>(document.roles());
    deployments = new TreeMap<>(document.deployments());
    graph = new RoleGraph(roles);
    document.nodes().forEach((name, node) -> nodes.put(name, new NodeWork(node)));
    document.snapshots().values().forEach(this::lay);
    live.values().forEach(this::link);
  }

  private void lay(Snapshot snapshot) {
    var work = new SnapshotWork(snapshot);
    snapshots.put(work.id, work);
    for (var noderole : snapshot.nodeRoles().values()) {
      var archived = snapshot.state() == SnapshotState.ARCHIVED;
      if (archived && noderole.state() != NodeRoleState.TRANSITION) {
        continue;
      }
      var role = roles.get(noderole.id().role());
      var node = nodes.get(noderole.id().node());
      if (role != null && node != null) {
        var cell = cell(noderole, role);
        work.add(cell);
        if (snapshot.state() != SnapshotState.PROPOSED) {
          node.enter(cell);
        }
        if (snapshot.state() == SnapshotState.COMMITTED) {
          live.put(cell.id, cell);
          liveIn.put(cell.id, work);
        }
      }
    }
  }

  Cell cell(NodeRole noderole, Role role) {
    return new Cell(noderole, role, graph.cohort(role.id()));
  }

  /// Goes over to a document that differs from this board in its nodes' states and in what became of
  /// committed noderoles.
  ///
  /// @return false if it differs in more; then nothing was done
  boolean follow(RolesDocument next) {
    if (!next.domain().equals(domain)
        || !Same.inAll(roles, next.roles())
        || !Same.inAll(deployments, next.deployments())
        || !next.nodes().keySet().equals(nodes.keySet())
        || snapshots.size() != next.snapshots().size()) {
      return false;
    }
    var changed = new LinkedHashMap<Cell, NodeRole>();
    for (var snapshot : next.snapshots().values()) {
      var work = snapshots.get(snapshot.id());
      if (work == null || !work.compare(snapshot, changed)) {
        return false;
      }
    }
    past = next.past();
    jigs.clear();
    jigs.putAll(next.jigs());
    next.nodes().values().forEach(it -> work(it.name()).node = it);
    changed.keySet().forEach(it -> work(it.id.node()).leave(it));
    changed.forEach(
        (cell, now) -> {
          var was = cell.isActive();
          cell.take(now);
          var more = (was ? 1 : 0) - (cell.isActive() ? 1 : 0);
          cell.children.forEach(it -> it.waiting += more);
        });
    changed.keySet().forEach(it -> work(it.id.node()).enter(it));
    return true;
  }

  private NodeWork work(NodeName name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  /// Makes a live cell known to those it rests on.
  void link(Cell cell) {
    cell.waiting = 0;
    for (var id : cell.parentIds) {
      var parent = live.get(id);
      if (parent == null) {
        throw new IllegalStateException(cell + " rests on " + id + ", which is not committed");
      }
      cell.parents.add(parent);
      parent.children.add(cell);
      cell.waiting += parent.isActive() ? 0 : 1;
    }
  }

  void unlink(Cell cell) {
    cell.parents.forEach(it -> it.children.remove(cell));
    cell.parents.clear();
  }

  /// Makes a cell one of the live ones; [#link] is to follow.
  void enliven(Cell cell, SnapshotWork snapshot) {
    live.put(cell.id, cell);
    liveIn.put(cell.id, snapshot);
    var node = nodes.get(cell.id.node());
    if (node != null) {
      node.enter(cell);
    }
  }

  /// Takes a cell out of the live ones, and out of what its node waits for.
  void retire(Cell cell) {
    unlink(cell);
    live.remove(cell.id);
    liveIn.remove(cell.id);
    var node = nodes.get(cell.id.node());
    if (node != null) {
      node.leave(cell);
    }
  }

  /// A noderole goes for good: the numbers of its runs are used up.
  void spend(Cell cell) {
    past = past.withSpent(Math.max(past.spent(), cell.run));
  }

  /// A noderole is bound in a document that took the place of a lost one: that may have had it run.
  void askOfLost(Cell cell) {
    var node = nodes.get(cell.id.node());
    if (past.isUnknown() && node != null && cell.runsOnce() && !node.begun(cell.id.role())) {
      node.note(cell.id.role(), new RoleNode.Once(false));
    }
  }

  /// The number that runs of a new noderole begin above.
  int spent() {
    return past.spent();
  }

  RoleGraph graph() {
    return graph;
  }

  /// @param waitedFor the roles that the join gate waits for
  void gate(Set<RoleId> waitedFor) {
    gate = new TreeSet<>(graph.withRequired(waitedFor));
  }

  /// Whether the join gate waits for its role, directly or not.
  boolean isOfGate(Cell cell) {
    return gate.contains(cell.id.role());
  }

  String domain() {
    return domain;
  }

  boolean isActive(JigId jig) {
    return jigs.getOrDefault(jig, jig.equals(NOOP));
  }

  @Nullable SnapshotWork snapshot(DeploymentId deployment, SnapshotState state) {
    for (var snapshot : history(deployment)) {
      if (snapshot.state == state) {
        return snapshot;
      }
    }
    return null;
  }

  /// A deployment's snapshots, oldest first.
  List<SnapshotWork> history(DeploymentId deployment) {
    return new ArrayList<>(
        snapshots
            .subMap(
                new SnapshotId(deployment, 1), new SnapshotId(deployment, Integer.MAX_VALUE))
            .values());
  }

  /// A deployment and all above it, nearest first.
  List<DeploymentId> lineage(DeploymentId deployment) {
    var lineage = new ArrayList<DeploymentId>();
    @Nullable DeploymentId at = deployment;
    while (at != null) {
      lineage.add(at);
      var known = deployments.get(at);
      at = known == null ? null : known.parent();
    }
    return lineage;
  }

  NodeWork node(NodeName name) throws Refusal {
    var node = nodes.get(name);
    if (node == null) {
      throw new Refusal("there is no node " + name);
    }
    return node;
  }

  Role role(RoleId id) throws Refusal {
    var role = roles.get(id);
    if (role == null) {
      throw new Refusal("there is no role " + id);
    }
    return role;
  }

  Deployment deployment(DeploymentId id) throws Refusal {
    var deployment = deployments.get(id);
    if (deployment == null) {
      throw new Refusal("there is no deployment " + id);
    }
    return deployment;
  }

  SnapshotWork proposed(DeploymentId deployment) throws Refusal {
    deployment(deployment);
    var snapshot = snapshot(deployment, SnapshotState.PROPOSED);
    if (snapshot == null) {
      throw new Refusal(
          "deployment " + deployment + " has no proposed snapshot: propose one, then edit it");
    }
    return snapshot;
  }

  Cell live(NodeRoleId id) throws Refusal {
    var cell = live.get(id);
    if (cell == null) {
      throw new Refusal("there is no committed noderole " + id);
    }
    return cell;
  }

  RolesDocument document() {
    var nodesNow = new TreeMap<NodeName, RoleNode>();
    nodes.forEach((name, work) -> nodesNow.put(name, work.node));
    var snapshotsNow = new TreeMap<SnapshotId, Snapshot>();
    snapshots.forEach((id, work) -> snapshotsNow.put(id, work.freeze()));
    return new RolesDocument(domain, jigs, roles, nodesNow, deployments, snapshotsNow, past);
  }
}
