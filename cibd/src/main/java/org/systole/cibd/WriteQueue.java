package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.systole.common.world.World;

/// The requests that the primary has to carry out. The cluster's own go first, in their order.
/// Those of users with limited rights get at most half of the time, shared between the users, so
/// that they cannot stop the cluster.
final class WriteQueue {
  private static final int MOST = 20_000;
  private static final int OF_GUESTS_MAX = 10_000;
  private static final int OF_ONE_GUEST_MAX = 1_000;
  private static final int BATCH_MAX = 500;
  private static final int BATCH_OF_GUESTS_MAX = 50;
  private static final Duration SLICE = Duration.ofMillis(100); // then no guest's is begun

  private final World world;
  private final Runnable flush;
  private final ArrayDeque<Writes.Forwarded> own = new ArrayDeque<>();
  private final FairQueue<Writes.Forwarded> guests =
      new FairQueue<>(OF_ONE_GUEST_MAX, OF_GUESTS_MAX);
  private boolean posted;
  private boolean pausing; // for as long as guests have been served

  /// @param flush to be called when there is something to be carried out
  WriteQueue(World world, Runnable flush) {
    this.world = world;
    this.flush = flush;
  }

  void clear() {
    own.clear();
    guests.clear();
  }

  /// @return false if too much waits already
  boolean add(Writes.Forwarded it) {
    var taken =
        it.ask().groups() == null
            ? own.size() < MOST && own.add(it)
            : guests.add(it.from() + " " + it.ask().update().user(), it);
    if (taken) {
      post();
    }
    return taken;
  }

  /// What kept requests waiting may be over.
  void goOn() {
    if (!own.isEmpty() || !guests.isEmpty()) {
      post();
    }
  }

  private void post() {
    if (!posted) {
      posted = true;
      world.post(
          () -> {
            posted = false;
            flush.run();
          });
    }
  }

  /// The requests to carry out now, as one change. The iterator must be read to its end; the rest
  /// comes with the next flush.
  Iterator<Writes.Forwarded> take() {
    return new Turn();
  }

  private final class Turn implements Iterator<Writes.Forwarded> {
    private int left = Math.min(own.size(), BATCH_MAX);
    private int ofGuests = pausing ? BATCH_OF_GUESTS_MAX : 0;
    private long began = -1;

    @Override
    public boolean hasNext() {
      if (left > 0 || mayServeGuest()) {
        return true;
      }
      end();
      return false;
    }

    private boolean mayServeGuest() {
      return !guests.isEmpty()
          && ofGuests < BATCH_OF_GUESTS_MAX
          && (ofGuests == 0 || world.nanoTime() - began < SLICE.toNanos());
    }

    @Override
    public Writes.Forwarded next() {
      if (left > 0) {
        left--;
        return own.remove();
      }
      if (ofGuests++ == 0) {
        began = world.nanoTime();
      }
      var next = guests.next();
      if (next == null) {
        throw new NoSuchElementException();
      }
      return next;
    }

    private void end() {
      if (!own.isEmpty()) {
        post();
      }
      if (began != -1 && !pausing) {
        pausing = true;
        var pause = Duration.ofNanos(world.nanoTime() - began);
        world.after(
            pause,
            () -> {
              pausing = false;
              if (!guests.isEmpty()) {
                post();
              }
            });
      }
    }
  }
}
