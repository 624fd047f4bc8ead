package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One running program of a simulated node. A restart is another process with another number.
final class SimProcess {
  /// What is told when a process ends.
  interface Watcher {
    void ended(int status, int signal);
  }

  private final SimNode node;
  private final String name;
  private final long pid;
  private final List<Watcher> watchers = new ArrayList<>();
  private final List<Runnable> parked = new ArrayList<>();
  private boolean alive = true;
  private boolean stopped;
  private @Nullable Runnable onTerminate;

  SimProcess(SimNode node, String name, long pid) {
    this.node = node;
    this.name = name;
    this.pid = pid;
  }

  SimNode node() {
    return node;
  }

  String name() {
    return name;
  }

  long pid() {
    return pid;
  }

  boolean isAlive() {
    return alive;
  }

  /// Stopped by a signal, alone or with its whole node: nothing in it happens, nothing is lost.
  boolean isStopped() {
    return stopped || node.isPaused();
  }

  void stop() {
    stopped = true;
  }

  /// Stopped for so long.
  void stop(long nanos) {
    stop();
    node.cluster().queue().after(nanos, this::goOn);
  }

  void goOn() {
    stopped = false;
    unpark();
  }

  /// Keeps what would have happened until the process goes on.
  void park(Runnable event) {
    parked.add(event);
  }

  void unpark() {
    if (!isStopped()) {
      node.cluster().checks().roles().runs().wentOn(node);
      var waiting = List.copyOf(parked);
      parked.clear();
      waiting.forEach(Runnable::run);
    }
  }

  void onEnd(Watcher watcher) {
    watchers.add(watcher);
  }

  /// What SIGTERM does; without it the process ends at once.
  void onTerminate(Runnable task) {
    onTerminate = task;
  }

  /// SIGTERM.
  void terminate() {
    var task = onTerminate;
    if (task == null) {
      end(0, node.agents().isAgent(this) ? 15 : 0);
    } else if (alive) {
      node.cluster().queue().after(0, this, task);
    }
  }

  /// Runs code of the process. What it throws is a bug: the process dies of it.
  void enter(Runnable task) {
    if (!alive) {
      return;
    }
    try {
      task.run();
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      node.cluster().bug(this, e);
      end(1, 0);
    }
  }

  /// Ends the process; nothing in it happens any more.
  void end(int status, int signal) {
    if (!alive) {
      return;
    }
    alive = false;
    parked.clear();
    for (var watcher : List.copyOf(watchers)) {
      watcher.ended(status, signal);
    }
    node.forget(this);
  }

  @Override
  public String toString() {
    return name + "[" + pid + "] on " + node.name();
  }
}
