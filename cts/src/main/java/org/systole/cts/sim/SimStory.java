package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// What is done to a cluster from outside, step by step, as a [SimScript] would have it done again.
///
/// Only the outermost deed is told: what it does by others, and what the cluster does to itself,
/// such as fencing, comes of it when it is done again.
final class SimStory {
  /// @param at nanoseconds of virtual time
  /// @param step as a script has it
  record Deed(long at, String step) {}

  private final SimQueue queue;
  private final List<Deed> deeds = new ArrayList<>();
  private Consumer<String> listener = _ -> {};
  private boolean telling;

  SimStory(SimQueue queue) {
    this.queue = queue;
  }

  void begin() {
    telling = true;
  }

  void end() {
    telling = false;
  }

  /// Does something and keeps it, if it is told and nothing in the cluster does it.
  void deed(String step, Runnable task) {
    if (!telling || queue.isInProcess()) {
      task.run();
      return;
    }
    deeds.add(new Deed(queue.now(), step));
    telling = false;
    try {
      task.run();
    } finally {
      telling = true;
    }
    listener.accept(step);
  }

  /// Has somebody told of each deed as it has been done.
  void listen(Consumer<String> told) {
    listener = told;
  }

  List<Deed> deeds() {
    return List.copyOf(deeds);
  }

  /// The deeds as the lines of a script.
  static List<String> script(List<Deed> deeds) {
    var lines = new ArrayList<String>();
    var at = -1L;
    for (var deed : deeds) {
      if (deed.at() != at) {
        at = deed.at();
        lines.add("at " + Duration.ofNanos(at));
      }
      lines.add(deed.step());
    }
    return lines;
  }
}
