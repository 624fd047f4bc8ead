package org.systole.controld.transition;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.world.World;

/// A time in which a transition connects remote nodes and looks for what runs there, and begins nothing
/// else. Each node that is connected, and each resource that is found there, needs another plan; with a plan
/// for each, hundreds of nodes would cost the square. So what the present plan finds out comes
/// first, as far as that does not take long.
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

  /// A remote node was connected, or runs what it was not known to run.
  ///
  /// @return whether there is more to find out; else it is time for another plan
  boolean begin(GraphRun run, String reason) {
    if (end == null && (run.canFindOut() || looksFurther(run))) {
      why = reason;
      end = world.after(LONGEST, () -> over.accept(reason));
    }
    return end != null;
  }

  /// Whether a connection may be made once it is known that nobody has it, or something is looked for on a remote node. An abort
  /// would wait for the same, and then another plan for the connection.
  private static boolean looksFurther(GraphRun run) {
    return run.running().stream().anyMatch(it -> it.findsOut() && it.isProbe());
  }

  boolean isOn() {
    return end != null;
  }

  /// Ends it if nothing more is found out.
  ///
  /// @return whether it did
  boolean ends(GraphRun run) {
    if (end == null
        || run.canFindOut()
        || run.running().stream().anyMatch(GraphAction::findsOut)) {
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
