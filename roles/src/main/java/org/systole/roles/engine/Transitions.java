package org.systole.roles.engine;

import static org.systole.roles.model.NodeRoleState.ACTIVE;
import static org.systole.roles.model.NodeRoleState.BLOCKED;
import static org.systole.roles.model.NodeRoleState.ERROR;
import static org.systole.roles.model.NodeRoleState.PROPOSED;
import static org.systole.roles.model.NodeRoleState.TODO;
import static org.systole.roles.model.NodeRoleState.TRANSITION;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.NodeRoleState;

/// The states of a noderole: for each state and input the next state, or that nothing changes, or
/// that it cannot happen. A cell that is missing or double keeps the class from loading.
final class Transitions {
  /// What an input does.
  sealed interface Step {}

  /// Into a state, which may be the one it is in.
  record To(NodeRoleState state) implements Step {}

  /// It cannot happen: who asks for it is wrong.
  enum Never implements Step {
    IT
  }

  private static final EnumMap<NodeRoleState, EnumMap<Input, Step>> TABLE = table();

  private Transitions() {}

  static Step step(NodeRoleState state, Input input) {
    var row = TABLE.get(state);
    var step = row == null ? null : row.get(input);
    if (step == null) {
      throw new IllegalStateException(input + " in " + state + " is undecided");
    }
    return step;
  }

  private static EnumMap<NodeRoleState, EnumMap<Input, Step>> table() {
    var table = new Table();
    table.row(PROPOSED);
    table.to(TODO, Input.COMMITTED_READY);
    table.to(BLOCKED, Input.COMMITTED_BLOCKED);
    table.to(ACTIVE, Input.KEPT);
    table.to(TRANSITION, Input.KEPT_RUNNING);
    // What it rests on may come and go: it is looked at when its snapshot is committed.
    table.to(PROPOSED, Input.PARENTS_READY, Input.PARENT_DOWN, Input.PARENT_REDONE);
    table.never(Input.STARTED, Input.DONE_READY, Input.DONE_BLOCKED, Input.FAILED);
    table.never(Input.LOST_READY, Input.LOST_BLOCKED, Input.LOST_ONCE);
    table.never(Input.REDO_READY, Input.REDO_BLOCKED, Input.ACCEPTED, Input.CHECK_FAILED);

    table.row(TODO);
    table.to(TRANSITION, Input.STARTED);
    table.to(BLOCKED, Input.PARENT_DOWN, Input.PARENT_REDONE);
    table.to(TODO, Input.PARENTS_READY, Input.REDO_READY, Input.REDO_BLOCKED);
    table.committedBefore(TODO);
    table.notRunning();
    table.never(Input.ACCEPTED, Input.CHECK_FAILED);

    table.row(BLOCKED);
    table.to(TODO, Input.PARENTS_READY);
    table.to(BLOCKED, Input.PARENT_DOWN, Input.PARENT_REDONE, Input.REDO_READY, Input.REDO_BLOCKED);
    table.committedBefore(BLOCKED);
    table.never(Input.STARTED, Input.ACCEPTED, Input.CHECK_FAILED);
    table.notRunning();

    table.row(TRANSITION);
    table.to(ACTIVE, Input.DONE_READY);
    table.to(BLOCKED, Input.DONE_BLOCKED, Input.LOST_BLOCKED);
    table.to(ERROR, Input.FAILED, Input.LOST_ONCE);
    table.to(TODO, Input.LOST_READY);
    // It runs: what it rests on counts again when it ends.
    table.to(TRANSITION, Input.PARENTS_READY, Input.PARENT_DOWN, Input.PARENT_REDONE);
    table.committedBefore(TRANSITION);
    table.never(Input.STARTED, Input.REDO_READY, Input.REDO_BLOCKED, Input.ACCEPTED);
    table.never(Input.CHECK_FAILED);

    table.row(ACTIVE);
    table.to(BLOCKED, Input.PARENT_DOWN, Input.REDO_BLOCKED);
    // Another node does its part anew: what was built on it stands.
    table.to(ACTIVE, Input.PARENTS_READY, Input.PARENT_REDONE);
    table.to(TODO, Input.REDO_READY);
    table.to(ERROR, Input.CHECK_FAILED);
    table.committedBefore(ACTIVE);
    table.never(Input.STARTED, Input.ACCEPTED);
    table.notRunning();

    table.row(ERROR);
    table.to(TODO, Input.REDO_READY);
    table.to(BLOCKED, Input.REDO_BLOCKED, Input.PARENT_DOWN);
    table.to(ACTIVE, Input.ACCEPTED);
    table.to(ERROR, Input.PARENTS_READY, Input.PARENT_REDONE);
    table.committedBefore(ERROR);
    table.never(Input.STARTED, Input.CHECK_FAILED);
    table.notRunning();
    return table.whole();
  }

  private static final class Table {
    private final EnumMap<NodeRoleState, EnumMap<Input, Step>> rows =
        new EnumMap<>(NodeRoleState.class);
    private @Nullable NodeRoleState state;
    private Map<Input, Step> row = Map.of();

    void row(NodeRoleState of) {
      var fresh = new EnumMap<Input, Step>(Input.class);
      rows.put(of, fresh);
      state = of;
      row = fresh;
    }

    void to(NodeRoleState next, Input... inputs) {
      for (var input : inputs) {
        put(input, new To(next));
      }
    }

    void never(Input... inputs) {
      for (var input : inputs) {
        put(input, Never.IT);
      }
    }

    /// A snapshot may be committed anew for what was added to it: the rest stays.
    void committedBefore(NodeRoleState stays) {
      to(stays, Input.COMMITTED_READY, Input.COMMITTED_BLOCKED);
      never(Input.KEPT, Input.KEPT_RUNNING);
    }

    void notRunning() {
      never(Input.DONE_READY, Input.DONE_BLOCKED, Input.FAILED);
      never(Input.LOST_READY, Input.LOST_BLOCKED, Input.LOST_ONCE);
    }

    private void put(Input input, Step step) {
      if (row.put(input, step) != null) {
        throw new IllegalStateException(input + " in " + state + " is decided twice");
      }
    }

    EnumMap<NodeRoleState, EnumMap<Input, Step>> whole() {
      for (var of : NodeRoleState.values()) {
        var known = rows.get(of);
        for (var input : EnumSet.allOf(Input.class)) {
          if (known == null || !known.containsKey(input)) {
            throw new IllegalStateException(input + " in " + of + " is undecided");
          }
        }
      }
      return rows;
    }
  }
}
