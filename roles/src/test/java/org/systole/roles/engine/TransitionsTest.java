package org.systole.roles.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.roles.model.NodeRoleState;

/// The whole table, as it is meant: a letter for the next state, `.` for the same one, `-` for what
/// cannot happen.
final class TransitionsTest {
  @Test
  void eachStateAndInputIsDecided() {
    for (var state : NodeRoleState.values()) {
      for (var input : Input.values()) {
        assertNotNull(Transitions.step(state, input));
      }
    }
  }

  @Test
  void theTableIsTheOneThatIsMeant() {
    var lines = new ArrayList<String>();
    for (var input : Input.values()) {
      var line = new StringBuilder("%-18s".formatted(input));
      for (var state : NodeRoleState.values()) {
        line.append(
            switch (Transitions.step(state, input)) {
              case Transitions.Never _ -> " -";
              case Transitions.To(var next) -> next == state ? " ." : " " + letter(next);
            });
      }
      lines.add(line.toString());
    }
    assertEquals(
        List.of(
            // from:            P T B R A E   (R: in transition)
            "COMMITTED_READY    T . . . . .",
            "COMMITTED_BLOCKED  B . . . . .",
            "KEPT               A - - - - -",
            "KEPT_RUNNING       R - - - - -",
            "PARENTS_READY      . . T . . .",
            "PARENT_DOWN        . B . . B B",
            "PARENT_REDONE      . B . . . .",
            "STARTED            - R - - - -",
            "DONE_READY         - - - A - -",
            "DONE_BLOCKED       - - - B - -",
            "FAILED             - - - E - -",
            "LOST_READY         - - - T - -",
            "LOST_BLOCKED       - - - B - -",
            "LOST_ONCE          - - - E - -",
            "REDO_READY         - . . - T T",
            "REDO_BLOCKED       - . . - B B",
            "ACCEPTED           - - - - - A",
            "CHECK_FAILED       - - - - E -"),
        lines);
  }

  private static char letter(NodeRoleState state) {
    return state == NodeRoleState.TRANSITION ? 'R' : state.name().charAt(0);
  }
}
