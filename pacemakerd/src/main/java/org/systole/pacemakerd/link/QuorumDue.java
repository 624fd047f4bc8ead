package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// Whether members that have the votes for quorum, and do not have it, are about to: they wait for claims that others may
/// still have, or their leader has been silent for a moment.
///
/// Until then they may begin nothing. But they need not stop what runs there either, as a side must that has lost its
/// quorum: who else may get it waits for their own claims. It lasts no longer than every claim does and a member may be
/// silent, and two rounds: one may have to end before that begins which brings the quorum. By then they have it, or
/// another membership tells what they have.
final class QuorumDue {
  private final World world;
  private final Supplier<LinkTiming> timing;
  private World.@Nullable Timer timer; // while it is due

  QuorumDue(World world, Supplier<LinkTiming> timing) {
    this.world = world;
    this.timing = timing;
  }

  private static Duration longest(LinkTiming it) {
    return it.token().plus(it.round().multipliedBy(2));
  }

  boolean is() {
    return timer != null;
  }

  /// There is a new membership, or the quorum has come or is gone.
  ///
  /// @param over called if the quorum has not come in time
  void changed(QuorumState state, boolean quorate, Runnable over) {
    end();
    var votes = state.quorumVotes() > 0 && state.totalVotes() >= state.quorumVotes();
    if (votes && !state.waiting() && !quorate) {
      timer =
          world.after(
              longest(timing.get()),
              () -> {
                timer = null;
                over.run();
              });
    }
  }

  private void end() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
