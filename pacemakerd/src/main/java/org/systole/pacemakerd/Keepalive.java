package org.systole.pacemakerd;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// Tells the machine's service manager that the supervisor's loop still comes round, where the
/// service manager wants to hear that (`WatchdogSec=` of systemd): it kills a process that is silent
/// for longer, and starts it anew. The signs of life come from the loop that the node's membership
/// rests on, so a supervisor whose loop stands still gives none.
final class Keepalive {
  /// How long the process may be silent, in microseconds.
  static final String INTERVAL = "WATCHDOG_USEC";

  /// The process it is meant for; any, if it is not there.
  static final String PROCESS = "WATCHDOG_PID";

  private static final int SIGNS = 3; // in an interval: one may be late, and one be lost

  private final World world;
  private final Duration pause;

  private Keepalive(World world, Duration pause) {
    this.world = world;
    this.pause = pause;
  }

  /// Gives signs of life from now on until the process ends, if anybody waits for them.
  ///
  /// @param environment as this process has inherited it
  /// @param process the number of this process
  static void begin(World world, Map<String, String> environment, long process) {
    var interval = interval(environment, process);
    if (interval != null) {
      world
          .log()
          .info(
              "The service manager waits %d s for a sign of life".formatted(interval.toSeconds()));
      new Keepalive(world, interval.dividedBy(SIGNS)).give();
    }
  }

  /// @return null if nobody waits for signs of life of this process
  private static @Nullable Duration interval(Map<String, String> environment, long process) {
    var microseconds = number(environment.get(INTERVAL));
    var meant = environment.get(PROCESS);
    var ours = meant == null || number(meant) == process;
    return microseconds > 0 && ours ? Duration.ofMillis(Math.max(1, microseconds / 1000)) : null;
  }

  private static long number(@Nullable String text) {
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private void give() {
    world.tellServiceManager("WATCHDOG=1");
    world.after(pause, this::give);
  }
}
