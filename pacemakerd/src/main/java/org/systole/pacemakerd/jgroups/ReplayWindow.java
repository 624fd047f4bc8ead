package org.systole.pacemakerd.jgroups;

import java.util.BitSet;

/// The numbers of a sender's messages that were accepted: each is accepted once, and one that is
/// far behind the highest is refused.
///
/// Safe for use by several threads.
final class ReplayWindow {
  static final int WIDTH = 1 << 16;

  private final BitSet taken = new BitSet(WIDTH);
  private long highest = -1;

  /// @return false if the number was accepted before or is too old to tell
  synchronized boolean take(long number) {
    if (number < 0 || number <= highest - WIDTH) {
      return false;
    }
    if (number > highest) {
      forget(highest + 1, number);
      highest = number;
    } else if (taken.get((int) (number % WIDTH))) {
      return false;
    }
    taken.set((int) (number % WIDTH));
    return true;
  }

  /// The places of numbers that fell out of the window are those of the new ones.
  private void forget(long from, long to) {
    if (to - from >= WIDTH) {
      taken.clear();
      return;
    }
    for (var number = from; number <= to; number++) {
      taken.clear((int) (number % WIDTH));
    }
  }
}
