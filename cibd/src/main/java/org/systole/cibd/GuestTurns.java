package org.systole.cibd;

import java.time.Duration;
import org.systole.common.world.World;

/// Serves the requests of guests (users that are not privileged) one at a time. After each comes a
/// pause as long as it took, for all other work. So a guest delays others by one request at most,
/// and guests take turns.
final class GuestTurns {
  private static final int OF_ONE_MAX = 500;
  private static final int MOST = 2_000;

  private final World world;
  private final FairQueue<Runnable> waiting = new FairQueue<>(OF_ONE_MAX, MOST);
  private boolean coming;

  GuestTurns(World world) {
    this.world = world;
  }

  /// @return false if too much waits already
  boolean add(String user, Runnable request) {
    if (!waiting.add(user, request)) {
      return false;
    }
    if (!coming) {
      coming = true;
      world.post(this::next);
    }
    return true;
  }

  private void next() {
    var request = waiting.next();
    if (request == null) {
      coming = false;
      return;
    }
    var began = world.nanoTime();
    request.run();
    world.after(Duration.ofNanos(world.nanoTime() - began), this::next);
  }
}
