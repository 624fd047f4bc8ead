package org.systole.pacemakerd;

import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes.Running;
import org.systole.common.world.World;

/// One of the supervised daemons.
final class Child {
  private final String name;
  private @Nullable Running running;
  private World.@Nullable Timer deadline;
  private long startedNanos;
  private boolean started;
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
    started = true;
    if (liveness != null) {
      liveness.begin();
    }
  }

  /// @return how long it ran
  long ended(long now) {
    running = null;
    if (liveness != null) {
      liveness.end();
    }
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
    return now - startedNanos;
  }

  int countRestart() {
    return ++restarts;
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

  void kill() {
    if (running != null) {
      running.kill();
    }
  }
}
