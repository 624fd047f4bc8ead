package org.systole.cibd;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// Has a primary that goes on alone, of two nodes, begin later terms.
///
/// Of two nodes that went on apart fencing settles which one is right, and that one does not know how
/// many takeovers the other had made before it was fenced. So that its changes count for the later
/// ones when the other is back, even if it has been restarted by then itself, it begins new terms in
/// the first minutes: who goes on for longer has the latest.
final class Outlasting {
  private static final Duration FIRST = Duration.ofSeconds(20);
  private static final int TIMES = 5; // each after twice as long as the one before

  private final World world;
  private final Peers peers;
  private final BooleanSupplier isInOffice;
  private final Runnable renewal;
  private boolean begun;
  private int times;
  private World.@Nullable Timer timer;

  /// @param isInOffice whether this node is the primary, with quorum
  /// @param renewal begins a later term
  Outlasting(Node node, BooleanSupplier isInOffice, Runnable renewal) {
    this.world = node.world();
    this.peers = node.peers();
    this.isInOffice = isInOffice;
    this.renewal = renewal;
  }

  /// Something has changed that tells whether this node is alone.
  void changed() {
    if (peers.group().size() > 1) {
      begun = false;
      times = 0;
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
    } else if (!begun && isAlone()) {
      begun = true;
      wait(FIRST);
    }
  }

  private boolean isAlone() {
    return isInOffice.getAsBoolean() && peers.mayPart() && peers.group().size() == 1;
  }

  private void wait(Duration time) {
    timer =
        world.after(
            time,
            () -> {
              timer = null;
              if (isAlone()) {
                renewal.run();
              }
              if (++times < TIMES) {
                wait(time.multipliedBy(2));
              }
            });
  }
}
