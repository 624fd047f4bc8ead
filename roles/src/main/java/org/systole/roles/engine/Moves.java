package org.systole.roles.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;

/// Moves live noderoles from state to state, and with them what rests on them. Roles are told after
/// all below is in its new state.
final class Moves {
  /// A noderole in its new state, with the children still to be seen to.
  private record Frame(
      Cell cell, boolean wasActive, boolean redo, boolean told, Iterator<Cell> children) {}

  private final Board board;

  Moves(Board board) {
    this.board = board;
  }

  void move(Cell cell, Input input) {
    move(cell, input, "");
  }

  /// @param cause why, if it ends in error
  void move(Cell cell, Input input, String cause) {
    var open = new ArrayDeque<Frame>();
    var first = enter(cell, input, cause, isRedo(input));
    if (first != null) {
      open.push(first);
    }
    while (!open.isEmpty()) {
      var frame = open.element();
      if (frame.children().hasNext()) {
        var child = frame.children().next();
        var next = enter(child, toChild(frame, child), "", frame.redo());
        if (next != null) {
          open.push(next);
        }
      } else {
        open.pop();
        if (frame.told()) {
          board.hooks.fire(RoleEvent.of(frame.cell().state), frame.cell());
        }
      }
    }
  }

  private static boolean isRedo(Input input) {
    return switch (input) {
      case REDO_READY, REDO_BLOCKED -> true;
      default -> false;
    };
  }

  /// @return null if the state is what it was
  private @Nullable Frame enter(Cell cell, Input input, String cause, boolean redo) {
    switch (Transitions.step(cell.state, input)) {
      case Transitions.Never _ ->
          throw new IllegalStateException(input + " for " + cell + ", which is " + cell.state);
      case Transitions.To(var state) -> {
        if (state == cell.state) {
          return null;
        }
        var wasActive = cell.isActive();
        set(cell, state, cause);
        var told = input != Input.KEPT && input != Input.KEPT_RUNNING;
        var felt = wasActive || cell.isActive() || state == NodeRoleState.ERROR;
        List<Cell> children = felt ? new ArrayList<>(cell.children) : List.of();
        return new Frame(cell, wasActive, redo, told, children.iterator());
      }
    }
  }

  private void set(Cell cell, NodeRoleState state, String cause) {
    var node = board.nodes.get(cell.id.node());
    if (node == null) {
      throw new IllegalStateException(cell + " is on no node");
    }
    node.leave(cell);
    cell.state = state;
    cell.cause = state == NodeRoleState.ERROR ? cause : "";
    node.enter(cell);
  }

  /// Counts the change with the child, and says what it is to the child.
  private static Input toChild(Frame frame, Cell child) {
    if (frame.cell().isActive()) {
      child.waiting--;
      return child.waiting == 0 ? Input.PARENTS_READY : Input.PARENT_REDONE; // waits as before
    }
    if (frame.wasActive()) {
      child.waiting++;
    }
    var near =
        child.id.node().equals(frame.cell().id.node()) || frame.cell().role.is(RoleFlag.SERVICE);
    return frame.redo() && !near ? Input.PARENT_REDONE : Input.PARENT_DOWN;
  }
}
