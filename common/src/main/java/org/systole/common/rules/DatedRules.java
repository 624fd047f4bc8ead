package org.systole.common.rules;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Has what depends on rules about the time of day read again as time passes. Without such rules
/// nothing is done. Lives on the daemon's loop.
public final class DatedRules {
  /// How late a rule that begins or ends to hold may take effect.
  public static final Duration INTERVAL = Duration.ofSeconds(10);

  private final World world;
  private final Runnable readAgain;
  private World.@Nullable Timer timer;

  /// @param readAgain called after each interval; it ends with [#watch]
  public DatedRules(World world, Runnable readAgain) {
    this.world = world;
    this.readAgain = readAgain;
  }

  /// Whether anything in this configuration depends on the time, wherever: sets of options and rules
  /// may be referred to from elsewhere.
  public static boolean among(Element cib) {
    var configuration = cib.first("configuration");
    return configuration != null
        && configuration.find(it -> it.is("date_expression")) != null;
  }

  /// Goes by this CIB from now on.
  public void watch(Element cib) {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    if (among(cib)) {
      timer = world.after(INTERVAL, readAgain);
    }
  }
}
