package org.systole.common.world;

import java.time.Duration;

/// Delays as numbers. What people configure and clients ask for may be longer than a clock can count;
/// it is a hundred years then, and no daemon ends for it.
public final class Delays {
  private static final Duration MAX = Duration.ofDays(36_500);
  private static final Duration MOMENT = Duration.ofMillis(1);

  private Delays() {}

  /// A delay in nanoseconds, from 0 to a hundred years: a clock of 64 bits can be that far ahead.
  public static long nanos(Duration delay) {
    if (delay.isNegative()) {
      return 0;
    }
    return delay.compareTo(MAX) > 0 ? MAX.toNanos() : delay.toNanos();
  }

  /// What is left of a limit for the next of several steps; a moment where nothing is.
  public static Duration left(Duration limit, long usedNanos) {
    var left = limit.minusNanos(usedNanos);
    return left.isPositive() ? left : MOMENT;
  }
}
