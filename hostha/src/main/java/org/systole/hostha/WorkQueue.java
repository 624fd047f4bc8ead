package org.systole.hostha;

import java.util.LinkedHashSet;
import java.util.Set;

/// The hosts that wait for one kind of work, first come first served, and how many are worked on.
final class WorkQueue {
  private final WorkKind kind;
  private final Set<Host> waiting = new LinkedHashSet<>();
  private int running;
  private long refused;
  private boolean full;

  WorkQueue(WorkKind kind) {
    this.kind = kind;
  }

  WorkKind kind() {
    return kind;
  }

  boolean contains(Host host) {
    return waiting.contains(host);
  }

  boolean hasRoom(int limit) {
    return waiting.size() < limit;
  }

  /// @return false if it does not take it
  boolean offer(Host host, int limit) {
    if (waiting.contains(host)) {
      return true;
    }
    if (!hasRoom(limit)) {
      refused++;
      return false;
    }
    waiting.add(host);
    return true;
  }

  void remove(Host host) {
    waiting.remove(host);
  }

  Host take() {
    var host = waiting.iterator().next();
    waiting.remove(host);
    return host;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  int waiting() {
    return waiting.size();
  }

  int running() {
    return running;
  }

  void begun() {
    running++;
  }

  void ended() {
    running--;
  }

  long refused() {
    return refused;
  }

  /// Remembers whether it is full.
  ///
  /// @return whether that is new
  boolean noteFull(boolean now) {
    var changed = now != full;
    full = now;
    return changed;
  }
}
