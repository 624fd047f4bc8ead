package org.systole.common.real;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// What clients may take of a daemon: how many connections, and how much memory for frames that are
/// arriving or wait for the loop. The cluster's own users have a share that guests cannot use up.
///
/// Safe for use by several threads.
final class Guests {
  static final int PER_USER = 200;
  static final int ALL = 800;
  private static final int UNIT = 1 << 10;
  private static final int GUEST_UNITS = 64 << 10; // 64 MiB for all guests together
  private static final long QUEUED_MAX = 128L << 20;
  private static final int OWN_UNITS = 160 << 10;

  private final Map<String, Integer> connections = new TreeMap<>();
  private final Semaphore guestMemory = new Semaphore(GUEST_UNITS, true);
  private final Semaphore ownMemory = new Semaphore(OWN_UNITS, true);
  private final AtomicLong queued = new AtomicLong();
  private int all;

  /// @return whether a guest may have one more connection
  synchronized boolean enter(String user) {
    var his = connections.getOrDefault(user, 0);
    if (his >= PER_USER || all >= ALL) {
      return false;
    }
    connections.put(user, his + 1);
    all++;
    return true;
  }

  synchronized void leave(String user) {
    connections.computeIfPresent(user, (_, n) -> n > 1 ? n - 1 : null);
    all--;
  }

  /// @return whether there is memory for a frame now
  boolean reserve(boolean guest, int bytes) {
    return memory(guest).tryAcquire(units(bytes));
  }

  void release(boolean guest, int bytes) {
    memory(guest).release(units(bytes));
  }

  /// Counts what is queued for guests that have not read it.
  ///
  /// @return false if that is too much
  boolean queue(int bytes) {
    return queued.addAndGet(bytes) <= QUEUED_MAX;
  }

  void unqueue(long bytes) {
    queued.addAndGet(-bytes);
  }

  private Semaphore memory(boolean guest) {
    return guest ? guestMemory : ownMemory;
  }

  private static int units(int bytes) {
    return (bytes + UNIT - 1) / UNIT;
  }
}
