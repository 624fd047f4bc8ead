package org.systole.pacemakerd;

import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes.Running;
import org.systole.common.world.World;

/// One of the supervised daemons.
final class Child {
  private final String name;
  private @Nullable Running running;
  private World.@Nullable Timer deadline;
  private World.@Nullable Timer retry;
  private long startedNanos;
  private long endedNanos;
  private boolean started;
  private boolean startedBefore;
  private int failedStarts; // in a row
  private int restarts;
  private @Nullable Liveness liveness;

  Child(String name) {
    this.name = name;
  }

  void watchedBy(Liveness it) {
    liveness = it;
  }

  /// Runs `task` as soon as the daemon answers.
  void whenAlive(Runnable task) {
    if (liveness != null) {
      liveness.whenAlive(task);
    }
  }

  String name() {
    return name;
  }

  boolean isRunning() {
    return running != null;
  }

  void started(Running it, long now) {
    running = it;
    startedNanos = now;
    retryBy(null);
    startedBefore = started;
    started = true;
    if (liveness != null) {
      liveness.begin();
    }
  }

  /// Notes that the daemon could not be started.
  ///
  /// @return how often in a row by now
  int notStarted() {
    started = startedBefore;
    stopWatching();
    return ++failedStarts;
  }

  /// The timer that tries to start it again; there is one at most.
  void retryBy(World.@Nullable Timer timer) {
    if (retry != null) {
      retry.cancel();
    }
    retry = timer;
  }

  /// @return how long it ran
  long ended(long now) {
    failedStarts = 0;
    endedNanos = now;
    stopWatching();
    return now - startedNanos;
  }

  private void stopWatching() {
    running = null;
    if (liveness != null) {
      liveness.end();
    }
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  /// How long the daemon has been away; zero while it runs.
  long awayNanos(long now) {
    return running != null || !started ? 0 : now - endedNanos;
  }

  /// @param anew whether those before do not count
  int countRestart(boolean anew) {
    restarts = anew ? 1 : restarts + 1;
    return restarts;
  }

  boolean wasStartedBefore() {
    return started;
  }

  void terminate(World.Timer killAfter) {
    if (deadline != null) {
      deadline.cancel();
    }
    deadline = killAfter;
    if (running != null) {
      running.terminate();
    }
  }

  void tell(String line) {
    if (running != null) {
      running.tell(line);
    }
  }

  void kill() {
    if (running != null) {
      running.kill();
    }
  }
}
