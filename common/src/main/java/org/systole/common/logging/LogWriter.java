package org.systole.common.logging;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.systole.common.world.Log.Level;

/// Brings lines to one target on a thread of its own, so that a target that stalls or fails holds
/// nobody up.
///
/// Lines wait in a queue with a limit. What finds it full is dropped; once the target takes lines
/// again it is told how many. Lines below a warning are dropped earlier than others. Safe for use by
/// several threads.
final class LogWriter {
  static final int LINES_MAX = 4096;
  private static final int BYTES_MAX = 4 << 20;
  private static final int BATCH = 256;
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofSeconds(60);

  private final LogTarget target;
  private final Watcher watcher;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<LogLine> waiting = new ArrayDeque<>();
  private int waitingBytes;
  private long dropped;
  private boolean busy;
  private String trouble = "";

  /// Who is told how a writer fares.
  interface Watcher {
    /// Told once when the target begins to fail or to lag behind, on any thread.
    void inTrouble(String why);

    /// Told now and then when nothing came for a while, on the writer's thread.
    void idle();
  }

  private LogWriter(LogTarget target, Watcher watcher) {
    this.target = target;
    this.watcher = watcher;
  }

  static LogWriter start(String name, LogTarget target, Watcher watcher) {
    var writer = new LogWriter(target, watcher);
    Thread.ofPlatform().daemon().name("log-" + name).start(writer::run);
    return writer;
  }

  /// Takes a line, or drops it. Returns at once.
  void offer(LogLine line) {
    var begins = false;
    lock.lock();
    try {
      if (isRoomFor(line)) {
        waiting.add(line);
        waitingBytes += line.size();
        changed.signalAll();
      } else {
        begins = dropped++ == 0;
      }
    } finally {
      lock.unlock();
    }
    if (begins) {
      watcher.inTrouble(target.what() + " takes no lines; they are being dropped");
    }
  }

  private boolean isRoomFor(LogLine line) {
    var max = line.level().compareTo(Level.WARNING) <= 0 ? LINES_MAX : LINES_MAX / 4 * 3;
    return waiting.size() < max && waitingBytes + line.size() <= BYTES_MAX;
  }

  /// Waits until all that was offered is written, but not longer than `limit`.
  ///
  /// @return whether it is
  boolean drain(Duration limit) {
    var left = limit.toNanos();
    lock.lock();
    try {
      while (!waiting.isEmpty() || busy) {
        if (left <= 0) {
          return false;
        }
        left = changed.awaitNanos(left);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (true) {
        var batch = take();
        if (batch.isEmpty()) {
          idle();
        } else {
          write(batch);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The next lines; none if nothing came for a while.
  private List<LogLine> take() throws InterruptedException {
    lock.lock();
    try {
      busy = false;
      changed.signalAll();
      var left = IDLE.toNanos();
      while (waiting.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
      }
      var batch = new ArrayList<LogLine>(Math.min(BATCH, waiting.size() + 1));
      while (!waiting.isEmpty() && batch.size() < BATCH) {
        var line = waiting.removeFirst();
        waitingBytes -= line.size();
        batch.add(line);
      }
      if (waiting.isEmpty() && dropped > 0) {
        batch.add(lost(dropped));
        dropped = 0;
      }
      busy = !batch.isEmpty();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private static LogLine lost(long count) {
    return LogLine.own(
        Level.WARNING,
        "%d lines are missing here: they came while the log took none".formatted(count));
  }

  /// Lines that could not be written wait, and others behind them.
  private void write(List<LogLine> batch) throws InterruptedException {
    while (true) {
      try {
        target.write(batch);
        trouble = "";
        return;
      } catch (IOException | RuntimeException e) { // whatever it is, the log must not fall silent
        fails(e);
        TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
      }
    }
  }

  private void idle() {
    watcher.idle();
    try {
      target.idle();
    } catch (IOException | RuntimeException e) {
      fails(e);
    }
  }

  private void fails(Exception e) {
    var why = LogFile.reason(e);
    if (!why.equals(trouble)) {
      trouble = why;
      watcher.inTrouble("Cannot write to " + target.what() + ": " + why);
    }
  }
}
