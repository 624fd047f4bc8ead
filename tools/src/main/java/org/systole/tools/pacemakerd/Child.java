package org.systole.tools.pacemakerd;

import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes.Running;
import org.systole.common.world.World;

/// One of the supervised daemons.
final class Child {
  private final String name;
  private @Nullable Running running;
  private World.@Nullable Timer deadline;
  private long startedNanos;
  private int restarts;

  Child(String name) {
    this.name = name;
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
  }

  /// @return how long it ran
  long ended(long now) {
    running = null;
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
    return now - startedNanos;
  }

  int countRestart() {
    return ++restarts;
  }

  void terminate(World.Timer killAfter) {
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
