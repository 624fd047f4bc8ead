package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is still to happen, in order of virtual time; what falls on the same moment happens in the
/// order it was asked for.
final class SimQueue {
  /// More events at one moment than this are an endless loop.
  private static final int AT_ONE_MOMENT_MAX = 200_000;

  final class Event {
    private long at;
    private long sequence;
    private final @Nullable SimProcess process;
    private @Nullable Runnable task; // null once it is cancelled: what it holds is garbage then
    private boolean queued;

    private Event(long at, long sequence, @Nullable SimProcess process, Runnable task) {
      this.at = at;
      this.sequence = sequence;
      this.process = process;
      this.task = task;
    }

    void cancel() {
      if (task != null && queued) {
        events.cancelled++;
      }
      task = null;
    }
  }

  private final Heap events = new Heap();
  private final List<Event> strikes = new ArrayList<>();
  private long now;
  private long lastSequence;
  private int atThisMoment;
  private long handled;
  private boolean inProcess;

  /// Nanoseconds of virtual time since the beginning.
  long now() {
    return now;
  }

  /// How many events have happened.
  long handled() {
    return handled;
  }

  /// How many events are kept, those among them that are cancelled.
  int kept() {
    return events.size;
  }

  /// Has something happen outside all processes.
  Event after(long delayNanos, Runnable task) {
    return add(now + Math.max(0, delayNanos), null, task);
  }

  /// Has something happen inside a process, unless that has died by then.
  Event after(long delayNanos, SimProcess process, Runnable task) {
    return add(now + Math.max(0, delayNanos), process, task);
  }

  /// As [#after], at a moment; one that has passed means now.
  Event at(long atNanos, SimProcess process, Runnable task) {
    return add(Math.max(now, atNanos), process, task);
  }

  /// As [#after], for what a fault does so much later that the cluster may have been cleaned up by then.
  void strike(long delayNanos, Runnable task) {
    strikes.add(after(delayNanos, task));
  }

  /// The faults end: what was still to strike does not.
  void strikeNoMore() {
    strikes.forEach(Event::cancel);
    strikes.clear();
  }

  private Event add(long at, @Nullable SimProcess process, Runnable task) {
    var event = new Event(at, ++lastSequence, process, task);
    events.add(event);
    return event;
  }

  /// Has an event happen now whose process stood still when it was due. It is the same one: what happens before it
  /// in the process may cancel it.
  private void again(Event event) {
    if (event.task != null) {
      event.at = now;
      event.sequence = ++lastSequence;
      events.add(event);
    }
  }

  /// Lets the next event happen if it is due by `until`; false if there is none.
  boolean step(long until) {
    while (true) {
      var next = events.peek();
      if (next == null || next.at > until) {
        now = Math.max(now, until);
        return false;
      }
      events.removeFirst();
      if (next.task == null) {
        events.cancelled--;
        continue;
      }
      advance(next.at);
      run(next);
      return true;
    }
  }

  private void advance(long to) {
    atThisMoment = to > now ? 0 : atThisMoment + 1;
    if (atThisMoment > AT_ONE_MOMENT_MAX) {
      throw new IllegalStateException(
          "the cluster does not get past " + now + " ns: an endless loop without time passing");
    }
    now = to;
    handled++;
  }

  /// Whether what happens now happens inside a process.
  boolean isInProcess() {
    return inProcess;
  }

  private void run(Event event) {
    inProcess = event.process != null;
    try {
      runIt(event);
    } finally {
      inProcess = false;
    }
  }

  private void runIt(Event event) {
    var process = event.process;
    var task = event.task;
    if (task == null) {
      return;
    }
    if (process == null) {
      task.run();
    } else if (process.isStopped()) {
      process.park(() -> again(event));
    } else {
      process.enter(task);
    }
  }

  /// Events, the next one first. Each has four below it: half as deep as with two, and it is gone
  /// through for each event twice. Most timers are cancelled long before they are due: once these are
  /// more than the others they are taken out.
  private static final class Heap {
    private static final int BELOW = 4;
    private static final int FEW = 256;

    private @Nullable Event[] events = new @Nullable Event[FEW];
    private long[] at = new long[FEW]; // when each is due: read far more often than the rest of it
    private int size;
    private int cancelled;

    @Nullable Event peek() {
      return events[0];
    }

    private Event event(int index) {
      var event = events[index];
      if (event == null) {
        throw new IllegalStateException("no event at " + index + " of " + size);
      }
      return event;
    }

    private boolean isBefore(long due, Event event, int other) {
      return due != at[other] ? due < at[other] : event.sequence < event(other).sequence;
    }

    private void put(int index, long due, Event event) {
      at[index] = due;
      events[index] = event;
    }

    void add(Event event) {
      if (cancelled > FEW && cancelled > size / 2) {
        weed();
      }
      if (size == events.length) {
        events = Arrays.copyOf(events, 2 * size);
        at = Arrays.copyOf(at, 2 * size);
      }
      event.queued = true;
      var due = event.at;
      var index = size++;
      while (index > 0) {
        var above = (index - 1) / BELOW;
        if (!isBefore(due, event, above)) {
          break;
        }
        put(index, at[above], event(above));
        index = above;
      }
      put(index, due, event);
    }

    /// There has to be one.
    void removeFirst() {
      event(0).queued = false;
      var last = event(--size);
      events[size] = null;
      if (size > 0) {
        sink(0, at[size], last);
      }
    }

    /// Puts an event in a free place, or below it where what is there comes first.
    private void sink(int from, long due, Event event) {
      var index = from;
      for (var first = BELOW * index + 1; first < size; first = BELOW * index + 1) {
        var least = first;
        for (var each = first + 1; each < Math.min(first + BELOW, size); each++) {
          if (isBefore(at[each], event(each), least)) {
            least = each;
          }
        }
        if (isBefore(due, event, least)) {
          break;
        }
        put(index, at[least], event(least));
        index = least;
      }
      put(index, due, event);
    }

    private void weed() {
      var kept = 0;
      for (var index = 0; index < size; index++) {
        var event = event(index);
        if (event.task != null) {
          put(kept++, at[index], event);
        }
      }
      Arrays.fill(events, kept, size, null);
      size = kept;
      cancelled = 0;
      for (var index = (size - 2) / BELOW; index >= 0 && size > 1; index--) {
        sink(index, at[index], event(index));
      }
    }
  }
}
