package org.systole.pacemakerd.jgroups;

import java.util.BitSet;

/// Which of a sender's messages have been taken: each number counts once, and one that is far
/// behind the highest does not count at all.
///
/// Safe for use by several threads.
final class ReplayWindow {
  static final int WIDTH = 1 << 16;

  private final BitSet taken = new BitSet(WIDTH);
  private long highest = -1;

  /// @return false if the number was taken before or is too old to know
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
