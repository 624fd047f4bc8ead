package org.systole.controld.transition;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.fsm.Input;

/// Asks for another plan, after the `transition-delay` if there is one, so that one plan serves all
/// events within it. Events that go on and on do not put it off for more than a few such times.
///
/// Where plan after plan ends at once, because what it begins with is refused and nothing changes by
/// that, the next one waits, longer each time. What changes meanwhile is planned for at once.
final class Replanning {
  private static final int DELAYS_MAX = 5;
  private static final Duration AT_ONCE = Duration.ofMillis(20);
  private static final int IN_VAIN_MAX = 20;
  private static final Duration PAUSE = Duration.ofMillis(25); // doubled each time
  private static final int DOUBLED_MAX = 7;

  private final World world;
  private final Consumer<Input> inputs;
  private Duration delay = Duration.ZERO;
  private World.@Nullable Timer coming;
  private long asked; // when the first of those asked that are waited with
  private int inVain; // transitions in a row that ended at once

  Replanning(World world, Consumer<Input> inputs) {
    this.world = world;
    this.inputs = inputs;
  }

  void delay(Duration duration) {
    delay = duration;
  }

  void ask(String why) {
    ask(delay, why);
  }

  /// A transition came to its end.
  void progress() {
    inVain = 0;
  }

  /// Asks for a plan after a transition of which something failed.
  ///
  /// @param lasted how long it did
  void askAfterFailure(Duration lasted, String why) {
    inVain = lasted.compareTo(AT_ONCE) < 0 ? inVain + 1 : 0;
    if (inVain <= IN_VAIN_MAX) {
      ask(why);
      return;
    }
    var pause = PAUSE.multipliedBy(1L << Math.min(inVain - IN_VAIN_MAX - 1, DOUBLED_MAX));
    world
        .log()
        .warning(
            "%d transitions in a row ended at once: %s. The next plan is made in %d ms, or when something changes"
                .formatted(inVain, why, pause.toMillis()));
    ask(pause.compareTo(delay) > 0 ? pause : delay, why);
  }

  private void ask(Duration wait, String why) {
    if (wait.isZero()) {
      cancel();
      inputs.accept(new Input.ScheduleNeeded(why));
      return;
    }
    if (coming == null) {
      asked = world.nanoTime();
    } else {
      coming.cancel();
    }
    var left = asked + wait.toNanos() * DELAYS_MAX - world.nanoTime();
    coming =
        world.after(
            Duration.ofNanos(Math.clamp(left, 0, wait.toNanos())),
            () -> {
              coming = null;
              inputs.accept(new Input.ScheduleNeeded(why));
            });
  }

  void cancel() {
    if (coming != null) {
      coming.cancel();
      coming = null;
    }
  }
}
