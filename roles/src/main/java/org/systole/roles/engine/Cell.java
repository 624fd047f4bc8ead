package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleFlag;

/// A noderole while it is worked on.
final class Cell {
  final NodeRoleId id;
  final Role role;
  final int cohort;
  final SortedSet<NodeRoleId> parentIds;
  NodeRoleState state;
  Json.Obj user;
  Json.Obj system;
  Json.Obj wall;
  int run;
  String cause;

  /// What it rests on and what rests on it, by their ids: the order of events must not depend on how
  /// a board came to be. Of committed snapshots only.
  final List<Cell> parents = new ArrayList<>();

  final SortedSet<Cell> children = new TreeSet<>(Comparator.comparing((Cell it) -> it.id));

  /// How many of its parents are not active.
  int waiting;

  private NodeRole frozen; // as it was last asked for

  Cell(NodeRole from, Role role, int cohort) {
    this.frozen = from;
    this.id = from.id();
    this.role = role;
    this.cohort = cohort;
    this.parentIds = new TreeSet<>(from.parents());
    this.state = from.state();
    this.user = from.user();
    this.system = from.system();
    this.wall = from.wall();
    this.run = from.run();
    this.cause = from.cause();
  }

  /// Becomes what another document says of it; what it rests on is the same.
  void take(NodeRole now) {
    frozen = now;
    state = now.state();
    user = now.user();
    system = now.system();
    wall = now.wall();
    run = now.run();
    cause = now.cause();
  }

  boolean isActive() {
    return state == NodeRoleState.ACTIVE;
  }

  boolean runsOnce() {
    return role.is(RoleFlag.DESTRUCTIVE);
  }

  /// In the order in which a node's roles have their turns.
  static int compare(Cell one, Cell other) {
    var byCohort = Integer.compare(one.cohort, other.cohort);
    return byCohort != 0 ? byCohort : one.id.compareTo(other.id);
  }

  /// The same object as before where nothing has changed: whoever writes it down knows it by that.
  NodeRole freeze() {
    var same =
        frozen.state() == state
            && frozen.user() == user
            && frozen.system() == system
            && frozen.wall() == wall
            && frozen.run() == run
            && frozen.cause().equals(cause)
            && frozen.parents().size() == parentIds.size(); // parents are only ever added
    if (!same) {
      frozen = new NodeRole(id, state, parentIds, user, system, wall, run, cause);
    }
    return frozen;
  }

  @Override
  public String toString() {
    return id.toString();
  }
}
