package org.systole.pacemakerd.link;

import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;

/// Whether this node has what its cluster has acknowledged, as its CIB manager says, see
/// [org.systole.common.cluster.LinkMessage.InStep].
///
/// Whose votes count changes only where all members have it. A change that was acknowledged is with most of the votes that
/// counted then; of those that are to count it may be with none that the next side with quorum has. So before the votes
/// change, everything acknowledged is with everybody whose vote is to count.
final class InStep {
  private long reached;
  private @Nullable Epoch waitsIn;
  private Runnable waiting = () -> {};

  /// The CIB manager says so of a membership.
  void reached(long membership) {
    reached = membership;
    if (waitsIn != null && isAt(waitsIn)) {
      waitsIn = null;
      waiting.run();
    }
  }

  /// Whether it holds in a membership. Where a member speaks an earlier level nobody says so, and
  /// the votes change at once.
  boolean isAt(Epoch membership) {
    return membership.level() < Levels.STATE_BEFORE_VOTES || reached == membership.number();
  }

  /// Runs a task once it holds in a membership; the task of another call before it is dropped.
  void when(@Nullable Epoch membership, Runnable task) {
    if (membership == null) {
      return;
    }
    if (isAt(membership)) {
      task.run();
    } else {
      waitsIn = membership;
      waiting = task;
    }
  }
}
