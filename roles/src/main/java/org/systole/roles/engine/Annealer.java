package org.systole.roles.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.RolesDocument;

/// Finds what is due. A noderole is, if
///
/// 1. it is to be done: all it rests on is active
/// 2. its role's jig is active
/// 3. its snapshot is committed
/// 4. its node is alive, and its administrator has made it available
/// 5. no other noderole of the node is in transition
/// 6. no noderole of the node is in error
///
/// Of several on one node the one has its turn that stands highest in the roles' graph, then the
/// first by name. A pure function, linear in the size of the document.
///
/// What the join gate waits for, and all that requires, has its turn before everything else, and of
/// what is in error it waits only for its like: a name server that is out must not keep a node shut
/// whose storage is back.
public final class Annealer {
  private Annealer() {}

  /// What is due, at most one for each node, by their names.
  public static List<Start> plan(RolesDocument document) {
    return plan(new Board(document, Hooks.none()));
  }

  static List<Start> plan(Board board) {
    var due = new ArrayList<Start>();
    for (var node : board.nodes.values()) {
      var gate = next(board, node, true);
      var next = gate == null ? next(board, node, false) : gate;
      if (next != null) {
        due.add(next);
      }
    }
    return due;
  }

  /// @param gate whether it is to be one of the gate, or another one
  private static @Nullable Start next(Board board, NodeWork node, boolean gate) {
    if (mayWork(node) && !isHeldUp(board, node, gate)) {
      for (var cell : node.todo) {
        var start = board.isOfGate(cell) == gate ? start(board, node, cell) : null;
        if (start != null) {
          return start;
        }
      }
    }
    return null;
  }

  private static boolean isHeldUp(Board board, NodeWork node, boolean gate) {
    return node.errors.stream().anyMatch(it -> !gate || board.isOfGate(it));
  }

  private static boolean mayWork(NodeWork node) {
    return node.node.alive()
        && node.node.available()
        && node.running == null;
  }

  /// What is due for a noderole now, whoever's turn it is; null if nothing is.
  static @Nullable Start due(Board board, Cell cell) {
    var node = board.nodes.get(cell.id.node());
    return node == null
            || !mayWork(node)
            || isHeldUp(board, node, board.isOfGate(cell))
            || !node.todo.contains(cell)
        ? null
        : start(board, node, cell);
  }

  private static @Nullable Start start(Board board, NodeWork node, Cell cell) {
    var snapshot = board.liveIn.get(cell.id);
    if (snapshot == null || !board.isActive(cell.role.jig())) {
      return null;
    }
    var kind = Start.Kind.RUN;
    if (cell.runsOnce() && node.begun(cell.id.role())) {
      kind = node.done(cell.id.role()) ? Start.Kind.DONE_BEFORE : Start.Kind.ASK;
    }
    return new Start(
        cell.id, snapshot.id, kind, kind == Start.Kind.RUN ? cell.run + 1 : cell.run);
  }
}
