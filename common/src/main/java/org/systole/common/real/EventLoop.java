package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;

/// A daemon's one thread: what others post, what falls due, and what its sockets have, one at a
/// time.
///
/// It also reads and writes the sockets itself: a request that has to wake two more threads on its
/// way costs several times as much. Other threads that post to a full mailbox wait; the loop itself
/// may go further, up to a limit that only a runaway reaches.
final class EventLoop {
  private static final int MAILBOX = 1 << 14;
  private static final int RUNAWAY = 1 << 20;
  private static final int TURN = 64; // tasks between two looks at the sockets

  /// What is done when a channel is ready.
  interface Ready {
    void ready();
  }

  private record Due(long atNanos, long order, Runnable task) {}

  private final Selector selector;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Deque<Runnable> mailbox = new ArrayDeque<>();
  private final TreeSet<Due> timers =
      new TreeSet<>(
          (a, b) -> {
            var byTime = Long.signum(a.atNanos - b.atNanos);
            return byTime != 0 ? byTime : Comparator.<Long>naturalOrder().compare(a.order, b.order);
          });
  private final List<Runnable> endOfTurn = new ArrayList<>();
  private @Nullable ByteBuffer readBuffer;
  private @Nullable ByteBuffer writeBuffer;
  private long lastOrder;
  private boolean asleep; // in the selector, or about to be
  private volatile @Nullable Thread thread;

  EventLoop() {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new CannotStart("Cannot watch sockets: " + CannotStart.reason(e));
    }
  }

  /// Whether the caller is the loop.
  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  void post(Runnable task) {
    lock.lock();
    try {
      if (isCurrent()) {
        if (mailbox.size() >= RUNAWAY) {
          throw new IllegalStateException("the mailbox holds " + mailbox.size() + " tasks");
        }
      } else {
        while (mailbox.size() >= MAILBOX) {
          room.awaitUninterruptibly();
        }
      }
      mailbox.add(task);
      wake();
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    if (asleep) {
      asleep = false;
      selector.wakeup();
    }
  }

  World.Timer after(long delayNanos, Runnable task) {
    lock.lock();
    try {
      var due = new Due(System.nanoTime() + Math.max(0, delayNanos), ++lastOrder, task);
      timers.add(due);
      if (timers.first() == due) {
        wake();
      }
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

  /// Runs a task before the loop next waits: what a turn has to write goes out together. Called in
  /// the loop.
  void atEndOfTurn(Runnable task) {
    endOfTurn.add(task);
  }

  /// Does at once what the turn has to do at its end.
  void endTurn() {
    while (!endOfTurn.isEmpty()) {
      var tasks = List.copyOf(endOfTurn);
      endOfTurn.clear();
      tasks.forEach(Runnable::run);
    }
  }

  /// What a socket is read into; good until the next one is read.
  ByteBuffer readBuffer(int size) {
    var buffer = readBuffer;
    if (buffer == null || buffer.capacity() < size) {
      buffer = ByteBuffer.allocateDirect(size);
      readBuffer = buffer;
    }
    return buffer.clear();
  }

  /// What is put together to be written; good until the next one is.
  ByteBuffer writeBuffer(int size) {
    var buffer = writeBuffer;
    if (buffer == null || buffer.capacity() < size) {
      buffer = ByteBuffer.allocateDirect(size);
      writeBuffer = buffer;
    }
    return buffer.clear();
  }

  /// Watches a channel that does not block, in the loop or before it runs.
  SelectionKey watch(SelectableChannel channel, int operations, Ready ready) throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, operations, ready);
  }

  /// Runs until the process ends; returns only by the exception of a task.
  void run() throws InterruptedException, IOException {
    thread = Thread.currentThread();
    while (true) {
      for (var count = 0; count < TURN; count++) {
        var task = next();
        if (task == null) {
          break;
        }
        task.run();
      }
      endTurn();
      look(patience());
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      if (!timers.isEmpty() && timers.first().atNanos - System.nanoTime() <= 0) {
        return timers.removeFirst().task;
      }
      var task = mailbox.poll();
      if (task != null) {
        room.signal();
      }
      return task;
    } finally {
      lock.unlock();
    }
  }

  /// How long the loop may wait for its sockets, in milliseconds; 0 for not at all, -1 for as long
  /// as it takes.
  private long patience() {
    lock.lock();
    try {
      if (!mailbox.isEmpty()) {
        return 0;
      }
      asleep = true;
      if (timers.isEmpty()) {
        return -1;
      }
      var left = timers.first().atNanos - System.nanoTime();
      asleep = left > 0;
      return left <= 0 ? 0 : (left + 999_999) / 1_000_000;
    } finally {
      lock.unlock();
    }
  }

  private void look(long patienceMillis) throws IOException {
    if (patienceMillis == 0) {
      selector.selectNow();
    } else {
      selector.select(patienceMillis < 0 ? 0 : patienceMillis);
      lock.lock();
      try {
        asleep = false;
      } finally {
        lock.unlock();
      }
    }
    var keys = selector.selectedKeys();
    if (keys.isEmpty()) {
      return;
    }
    var ready = List.copyOf(keys);
    keys.clear();
    for (var key : ready) {
      if (key.isValid()) {
        ((Ready) key.attachment()).ready();
      }
    }
  }
}
