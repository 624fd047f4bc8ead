package org.systole.pacemakerd.jgroups;

import java.util.concurrent.TimeUnit;
import org.jgroups.util.ThreadFactory;
import org.jgroups.util.ThreadPool;
import org.jgroups.util.TimeScheduler3;

/// The transport's timer, by which what is done again and again is done at common ticks: each
/// protocol has an interval of its own, and to wake up for each of them is most of what a node at rest
/// does. A task that is due between two ticks runs at the earlier one, so never later than it asked for.
/// What is done once, or more often than there are ticks, is done when it is due.
final class SharedTicks extends TimeScheduler3 {
  private static final long TICK_MILLIS = 350;

  private volatile long tickNanos;

  /// @param intervalMillis of what must not be done more often: one of its tasks runs at each tick, or
  ///     at every nth
  SharedTicks(ThreadPool pool, ThreadFactory threads, long intervalMillis) {
    super(pool, threads, false);
    interval(intervalMillis);
  }

  /// Goes by another interval from now on. What is already waiting keeps its time.
  void interval(long millis) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(millis) / Math.ceilDiv(millis, TICK_MILLIS);
  }

  @Override
  protected Task scheduleRecurring(
      Runnable work, TaskType type, long initialDelay, long delay, TimeUnit unit, boolean canBlock) {
    return (Task) doSchedule(new Ticking(work, type, initialDelay, delay, unit, canBlock), initialDelay);
  }

  /// When a task is due that was put off at a time for some while.
  static long due(long at, long delay, long tick) {
    return delay < tick ? at + delay : Math.floorDiv(at + delay, tick) * tick;
  }

  private final class Ticking extends RecurringTask {
    private long from;
    private long wait;
    private long due;

    Ticking(Runnable work, TaskType type, long initialDelay, long delay, TimeUnit unit, boolean canBlock) {
      super(work, type, initialDelay, delay, unit, canBlock);
    }

    /// The queue asks first when it takes the task in, from the thread that set its times. From then on
    /// the answer must not change but by the time that passes: the queue is sorted by it.
    @Override
    public long getDelay(TimeUnit unit) {
      if (from != creation_time || wait != delay) {
        from = creation_time;
        wait = delay;
        due = due(from, wait, tickNanos);
      }
      return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
  }
}
