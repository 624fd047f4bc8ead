package org.systole.controld;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.systole.common.world.World;

/// The daemons of this node that a controller cannot work without: whether they are there, and how
/// long a lost one is waited for. The supervisor restarts it within a second or two.
final class Neighbours {
  static final String CIB = "the CIB manager";
  static final String EXECUTOR = "the executor";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final World world;
  private final Consumer<String> broken;
  private final Map<String, Boolean> there = new TreeMap<>();
  private final Map<String, World.Timer> timers = new TreeMap<>();

  /// @param broken called with what is missing once a lost daemon has not come back
  Neighbours(World world, Consumer<String> broken) {
    this.world = world;
    this.broken = broken;
  }

  boolean isThere(String who) {
    return there.getOrDefault(who, false);
  }

  void ready(String who) {
    there.put(who, true);
    var timer = timers.remove(who);
    if (timer != null) {
      timer.cancel();
      world.log().notice("Back: " + who);
    }
  }

  void lost(String who, String why) {
    there.put(who, false);
    if (timers.containsKey(who)) {
      return;
    }
    world.log().warning("Lost %s (%s); waiting for it to come back".formatted(who, why));
    timers.put(
        who,
        world.after(
            PATIENCE,
            () -> {
              timers.remove(who);
              broken.accept("%s did not come back: %s".formatted(who, why));
            }));
  }
}
