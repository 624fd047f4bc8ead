package org.systole.hostha;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// What is due later, in the order of its time, then in that it was asked for in.
///
/// What is due soon stands in a ring of slots, each for a short time, so that setting a timer and
/// cancelling it cost the same however many there are; what is due later waits in a heap for its slot.
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

  private static final int SLOTS = 4096;
  private static final long SLOT_MS = 16;
  private static final Comparator<Timer> ORDER =
      Comparator.comparingLong((Timer it) -> it.due).thenComparingLong(it -> it.number);

  private final List<PriorityQueue<Timer>> ring = new ArrayList<>();
  private final BitSet filled = new BitSet(SLOTS);
  private final PriorityQueue<Timer> far = new PriorityQueue<>(ORDER);
  private long first; // the number of the first slot that may hold something
  private long number;

  Timers() {
    for (var at = 0; at < SLOTS; at++) {
      ring.add(new PriorityQueue<>(2, ORDER));
    }
  }

  Timer at(long due, Runnable what) {
    var timer = new Timer(due, ++number, what);
    add(timer);
    return timer;
  }

  private void add(Timer timer) {
    var slot = Math.max(first, Math.floorDiv(timer.due, SLOT_MS));
    if (slot >= first + SLOTS) {
      far.add(timer);
      return;
    }
    var at = Math.floorMod(slot, SLOTS);
    ring.get(at).add(timer);
    filled.set(at);
  }

  /// The slot with what is due next; null if nothing is.
  private @Nullable PriorityQueue<Timer> nearest() {
    if (filled.isEmpty()) {
      if (far.isEmpty()) {
        return null;
      }
      first = Math.max(first, Math.floorDiv(far.element().due, SLOT_MS));
      bringNear();
    }
    var from = Math.floorMod(first, SLOTS);
    var at = filled.nextSetBit(from);
    if (at < 0) {
      at = filled.nextSetBit(0);
    }
    if (at != from) {
      first += Math.floorMod(at - from, SLOTS);
      bringNear();
    }
    return ring.get(at);
  }

  /// Takes what has its slot in the ring now out of the heap.
  private void bringNear() {
    while (!far.isEmpty() && Math.floorDiv(far.element().due, SLOT_MS) < first + SLOTS) {
      add(far.remove());
    }
  }

  private void removeFirst(PriorityQueue<Timer> slot) {
    slot.remove();
    if (slot.isEmpty()) {
      filled.clear(Math.floorMod(first, SLOTS));
    }
  }

  /// Does the next thing that is due.
  ///
  /// @return whether there was one
  boolean fire(long now) {
    for (var slot = nearest(); slot != null && slot.element().due <= now; slot = nearest()) {
      var what = slot.element().what;
      removeFirst(slot);
      if (what != null) {
        what.run();
        return true;
      }
    }
    return false;
  }

  /// When something is due next; [Long#MAX_VALUE] if nothing is.
  long next() {
    for (var slot = nearest(); slot != null; slot = nearest()) {
      if (slot.element().what != null) {
        return slot.element().due;
      }
      removeFirst(slot);
    }
    return Long.MAX_VALUE;
  }
}
