package org.systole.hostha;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What is due later, in the order of its time, then in that it was asked for in.
final class Timers {
  /// Something due later.
  static final class Timer {
    private final long due;
    private final long number;
    private @Nullable Runnable what;

    private Timer(long due, long number, Runnable what) {
      this.due = due;
      this.number = number;
      this.what = what;
    }

    void cancel() {
      what = null;
    }

    /// Whether it will fire at that time.
    boolean isFor(long time) {
      return what != null && due == time;
    }
  }

  private final PriorityQueue<Timer> all =
      new PriorityQueue<>(
          Comparator.comparingLong((Timer it) -> it.due).thenComparingLong(it -> it.number));
  private long number;

  Timer at(long due, Runnable what) {
    var timer = new Timer(due, ++number, what);
    all.add(timer);
    return timer;
  }

  /// Does the next thing that is due.
  ///
  /// @return whether there was one
  boolean fire(long now) {
    while (!all.isEmpty() && all.element().due <= now) {
      var what = all.remove().what;
      if (what != null) {
        what.run();
        return true;
      }
    }
    return false;
  }

  /// When something is due next; [Long#MAX_VALUE] if nothing is.
  long next() {
    while (!all.isEmpty() && all.element().what == null) {
      all.remove();
    }
    return all.isEmpty() ? Long.MAX_VALUE : all.element().due;
  }
}
