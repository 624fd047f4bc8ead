package org.systole.controld.transition;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.world.World;

/// A time in which a transition opens connections and begins nothing else. Each remote node that is
/// connected needs another plan, for what runs there is to be looked for; with a plan for each, hundreds of
/// nodes would cost the square. So those that the present plan connects come first, as far as that
/// does not take long.
final class Connecting {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final World world;
  private final Consumer<String> over;
  private World.@Nullable Timer end;
  private String why = "";

  /// @param over told why, when another plan is to be made now
  Connecting(World world, Consumer<String> over) {
    this.world = world;
    this.over = over;
  }

  /// A remote node was connected.
  ///
  /// @return whether others are still to be; else it is time for another plan
  boolean begin(GraphRun run, String reason) {
    if (end == null && run.hasConnectionsToOpen()) {
      why = reason;
      end = world.after(LONGEST, () -> over.accept(reason));
    }
    return end != null;
  }

  boolean isOn() {
    return end != null;
  }

  /// Ends it if all are connected, or have failed.
  ///
  /// @return whether it did
  boolean ends(GraphRun run) {
    if (end == null
        || run.hasConnectionsToOpen()
        || run.running().stream().anyMatch(GraphAction::opensConnection)) {
      return false;
    }
    over.accept(why);
    return true;
  }

  void stop() {
    if (end != null) {
      end.cancel();
      end = null;
    }
  }
}
