package org.systole.attrd;

import java.time.Duration;
import org.systole.common.world.World;

/// Runs a task soon after it is asked for: once for all requests that came meanwhile, and not
/// within a moment of the last [#pause].
final class Pace {
  private final World world;
  private final Duration gap;
  private final Runnable task;
  private boolean coming;
  private long notBefore;

  Pace(World world, Duration gap, Runnable task) {
    this.world = world;
    this.gap = gap;
    this.task = task;
  }

  void soon() {
    if (coming) {
      return;
    }
    coming = true;
    Runnable now =
        () -> {
          coming = false;
          task.run();
        };
    var early = notBefore - world.nanoTime();
    if (early > 0) {
      world.after(Duration.ofNanos(early), now);
    } else {
      world.post(now);
    }
  }

  /// The gap begins here.
  void pause() {
    notBefore = world.nanoTime() + gap.toNanos();
  }
}
