package org.systole.pacemakerd.link;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// Nodes whose votes count, where `last_man_standing` has left others out.
///
/// @param since rises with each change: the number of the membership that made it, and which of its
///     changes it was
/// @param nodes sorted; null for all of the configuration
record Counted(long since, @Nullable List<NodeId> nodes) {
  private static final int STEPS = 64; // of a membership

  /// A change that a membership makes to what its members know.
  static Counted by(long membership, Electorate known, @Nullable List<NodeId> nodes) {
    return new Counted(Math.max(membership * STEPS, known.newest() + 1), nodes);
  }
}
