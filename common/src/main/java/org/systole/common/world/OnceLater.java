package org.systole.common.world;

import java.time.Duration;

/// Does something a while after it was asked for, once, however often that is until then: as what has failed is tried again.
/// Lives on the world's loop.
public final class OnceLater {
  private final World world;
  private final Duration delay;
  private final Runnable task;
  private boolean coming;

  public OnceLater(World world, Duration delay, Runnable task) {
    this.world = world;
    this.delay = delay;
    this.task = task;
  }

  public void ask() {
    if (!coming) {
      coming = true;
      world.after(
          delay,
          () -> {
            coming = false;
            task.run();
          });
    }
  }
}
