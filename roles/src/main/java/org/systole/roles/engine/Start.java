package org.systole.roles.engine;

import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.SnapshotId;

/// Something the annealer found due: a noderole that is to go into transition.
///
/// @param run the number of the run that this is
public record Start(NodeRoleId id, SnapshotId snapshot, Kind kind, int run) {
  /// What there is to do.
  public enum Kind {
    /// Its jig is to run.
    RUN,
    /// It may run once, and has: it becomes active by itself.
    DONE_BEFORE,
    /// It may run once, and nobody knows how that ended: a person is asked.
    ASK
  }

  @Override
  public String toString() {
    return switch (kind) {
      case RUN -> "run " + id + " (run " + run + ")";
      case DONE_BEFORE -> "no run of " + id + ": it was done before, and is done once";
      case ASK -> "no run of " + id + ": it was begun before, and is done once";
    };
  }
}
