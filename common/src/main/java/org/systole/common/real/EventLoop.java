package org.systole.common.real;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// A daemon's one thread: what others post and what falls due, one at a time.
///
/// Other threads that post to a full mailbox wait; the loop itself may go further, up to a limit
/// that
/// only a runaway reaches.
final class EventLoop {
  private static final int MAILBOX = 1 << 14;
  private static final int RUNAWAY = 1 << 20;

  private record Due(long atNanos, long order, Runnable task) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Deque<Runnable> mailbox = new ArrayDeque<>();
  private final TreeSet<Due> timers =
      new TreeSet<>(
          (a, b) -> {
            var byTime = Long.signum(a.atNanos - b.atNanos);
            return byTime != 0 ? byTime : Comparator.<Long>naturalOrder().compare(a.order, b.order);
          });
  private long lastOrder;
  private volatile @Nullable Thread thread;

  void post(Runnable task) {
    lock.lock();
    try {
      if (Thread.currentThread() == thread) {
        if (mailbox.size() >= RUNAWAY) {
          throw new IllegalStateException("the mailbox holds " + mailbox.size() + " tasks");
        }
      } else {
        while (mailbox.size() >= MAILBOX) {
          room.awaitUninterruptibly();
        }
      }
      mailbox.add(task);
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  World.Timer after(long delayNanos, Runnable task) {
    lock.lock();
    try {
      var due = new Due(System.nanoTime() + Math.max(0, delayNanos), ++lastOrder, task);
      timers.add(due);
      work.signal();
      return () -> cancel(due);
    } finally {
      lock.unlock();
    }
  }

  private void cancel(Due due) {
    lock.lock();
    try {
      timers.remove(due);
    } finally {
      lock.unlock();
    }
  }

  /// Runs until the process ends; returns only by the exception of a task.
  void run() throws InterruptedException {
    thread = Thread.currentThread();
    while (true) {
      next().run();
    }
  }

  private Runnable next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        var wait = Long.MAX_VALUE;
        if (!timers.isEmpty()) {
          wait = timers.first().atNanos - System.nanoTime();
          if (wait <= 0) {
            return timers.removeFirst().task;
          }
        }
        var task = mailbox.poll();
        if (task != null) {
          room.signal();
          return task;
        }
        if (wait == Long.MAX_VALUE) {
          work.await();
        } else {
          work.await(wait, TimeUnit.NANOSECONDS);
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
