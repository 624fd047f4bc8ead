package org.systole.scheduler.operations;

/// Milliseconds as whole seconds.
public final class Seconds {
  private Seconds() {}

  /// Rounded to the nearest second, but at least one unless there is no time at all.
  public static long of(long ms) {
    return ms == 0 ? 0 : Math.max(1, (ms + 500) / 1000);
  }
}
