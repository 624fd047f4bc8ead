package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.Same;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;

/// A snapshot while it is worked on. Of an archived one only what still runs is a cell.
final class SnapshotWork {
  private static final RoleId LEAST = new RoleId("A"); // no role sorts before it

  final SnapshotId id;
  SnapshotState state;
  final SortedMap<RoleId, Json.Obj> deploymentRoles;
  private final SortedMap<NodeRoleId, Cell> cells = new TreeMap<>();
  private final SortedMap<NodeRoleId, NodeRole> cellsFrozen = new TreeMap<>(); // of all cells
  private @Nullable Snapshot frozen; // as it was last asked for
  private final Map<RoleId, SortedMap<NodeName, Cell>> byRole = new HashMap<>();

  /// The noderoles of an archived snapshot as they were.
  private SortedMap<NodeRoleId, NodeRole> archived = new TreeMap<>();

  /// One that is there, without its cells.
  SnapshotWork(Snapshot from) {
    frozen = from;
    id = from.id();
    state = from.state();
    deploymentRoles = new TreeMap<>(from.deploymentRoles());
    if (state == SnapshotState.ARCHIVED) {
      archived = new TreeMap<>(from.nodeRoles());
    }
  }

  /// A new one that is proposed.
  SnapshotWork(SnapshotId id) {
    this.id = id;
    this.state = SnapshotState.PROPOSED;
    this.deploymentRoles = new TreeMap<>();
  }

  /// The same proposal under another number.
  SnapshotWork renumbered(SnapshotId now) {
    var same = new SnapshotWork(now);
    same.deploymentRoles.putAll(deploymentRoles);
    cells().forEach(same::add);
    return same;
  }

  void add(Cell cell) {
    cells.put(cell.id, cell);
    cellsFrozen.put(cell.id, cell.freeze());
    byRole.computeIfAbsent(cell.id.role(), _ -> new TreeMap<>()).put(cell.id.node(), cell);
  }

  void remove(Cell cell) {
    frozen = null;
    cells.remove(cell.id);
    cellsFrozen.remove(cell.id);
    byRole.getOrDefault(cell.id.role(), new TreeMap<>()).remove(cell.id.node());
  }

  @Nullable Cell get(NodeRoleId cell) {
    return cells.get(cell);
  }

  /// All cells; a copy, by node and role.
  List<Cell> cells() {
    return new ArrayList<>(cells.values());
  }

  /// The cells of a node; a copy.
  List<Cell> on(NodeName node) {
    var found = new ArrayList<Cell>();
    for (var cell : cells.tailMap(new NodeRoleId(LEAST, node)).values()) {
      if (!cell.id.node().equals(node)) {
        break;
      }
      found.add(cell);
    }
    return found;
  }

  /// The cells of a role by their nodes.
  SortedMap<NodeName, Cell> of(RoleId role) {
    return byRole.getOrDefault(role, Collections.emptySortedMap());
  }

  /// Freezes all; what runs on stays a cell.
  void archive() {
    frozen = null;
    for (var cell : cells()) {
      archived.put(cell.id, cell.freeze());
      if (cell.state != NodeRoleState.TRANSITION) {
        remove(cell);
      }
    }
    state = SnapshotState.ARCHIVED;
  }

  /// Of an archived snapshot: a run is no longer its own, or nobody will hear of it.
  void disown(Cell running) {
    remove(running);
    archived.computeIfPresent(running.id, (_, it) -> it.in(NodeRoleState.TODO));
  }

  /// Of an archived snapshot: a run has ended.
  void conclude(Cell ended) {
    remove(ended);
    frozen = null;
    archived.put(ended.id, ended.freeze());
  }

  /// Finds what is otherwise in the same snapshot of another document.
  ///
  /// @param changed takes the cells that are, with what is said of them there
  /// @return false if more differs than noderoles of a committed snapshot, without what they rest on
  boolean compare(Snapshot now, Map<Cell, NodeRole> changed) {
    if (state != SnapshotState.COMMITTED || now.state() != state) {
      return freeze() == now;
    }
    if (cells.size() != now.nodeRoles().size()
        || !Same.inAll(deploymentRoles, now.deploymentRoles())) {
      return false;
    }
    var others = now.nodeRoles().values().iterator();
    for (var cell : cells.values()) {
      var other = others.next();
      if (cell.freeze() != other) {
        if (!other.id().equals(cell.id) || !other.parents().equals(cell.parentIds)) {
          return false;
        }
        changed.put(cell, other);
      }
    }
    return true;
  }

  /// The same object as before where nothing has changed.
  Snapshot freeze() {
    if (frozen != null && state == SnapshotState.ARCHIVED && cells.isEmpty()) {
      return frozen;
    }
    var all = archived;
    if (!cells.isEmpty()) {
      all = archived.isEmpty() ? refrozen() : new TreeMap<>(archived);
      for (var cell : archived.isEmpty() ? List.<Cell>of() : cells.values()) {
        all.put(cell.id, cell.freeze());
      }
    }
    var before = frozen;
    if (before == null
        || before.state() != state
        || !Same.inAll(before.deploymentRoles(), deploymentRoles)
        || !Same.inAll(before.nodeRoles(), all)) {
      frozen = before = new Snapshot(id, state, deploymentRoles, all);
    }
    return before;
  }

  /// Of the cells, where there is nothing else.
  private SortedMap<NodeRoleId, NodeRole> refrozen() {
    var now = cells.values().iterator();
    for (var at : cellsFrozen.entrySet()) {
      at.setValue(now.next().freeze());
    }
    return cellsFrozen;
  }
}
