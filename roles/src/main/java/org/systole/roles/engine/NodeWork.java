package org.systole.roles.engine;

import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;

/// A node while it is worked on: what has its turn, what runs, what failed.
final class NodeWork {
  RoleNode node;
  final TreeSet<Cell> todo = new TreeSet<>(Cell::compare);
  final TreeSet<Cell> errors = new TreeSet<>(Cell::compare);

  /// The noderole whose jig runs, which may be of an archived snapshot.
  @Nullable Cell running;

  NodeWork(RoleNode node) {
    this.node = node;
  }

  /// Takes note of a live noderole's state.
  void enter(Cell cell) {
    switch (cell.state) {
      case TODO -> todo.add(cell);
      case ERROR -> errors.add(cell);
      case TRANSITION -> running = cell;
      case PROPOSED, BLOCKED, ACTIVE -> {}
    }
  }

  /// Takes the note back.
  void leave(Cell cell) {
    switch (cell.state) {
      case TODO -> todo.remove(cell);
      case ERROR -> errors.remove(cell);
      case TRANSITION -> running = running == cell ? null : running;
      case PROPOSED, BLOCKED, ACTIVE -> {}
    }
  }

  boolean begun(RoleId role) {
    return node.once().containsKey(role);
  }

  boolean done(RoleId role) {
    var once = node.once().get(role);
    return once != null && once.done();
  }

  /// Keeps what is known of a destructive role's run.
  void note(RoleId role, RoleNode.@Nullable Once known) {
    var once = new TreeMap<>(node.once());
    if (known == null) {
      once.remove(role);
    } else {
      once.put(role, known);
    }
    node = node.withOnce(once);
  }
}
