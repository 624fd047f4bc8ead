package org.systole.controld.transition;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.fsm.Input;

/// Asks for another plan, after the `transition-delay` if there is one, so that one plan serves all
/// events within it.
final class Replanning {
  private final World world;
  private final Consumer<Input> inputs;
  private Duration delay = Duration.ZERO;
  private World.@Nullable Timer coming;

  Replanning(World world, Consumer<Input> inputs) {
    this.world = world;
    this.inputs = inputs;
  }

  void delay(Duration duration) {
    delay = duration;
  }

  void ask(String why) {
    if (delay.isZero()) {
      inputs.accept(new Input.ScheduleNeeded(why));
      return;
    }
    cancel();
    coming =
        world.after(
            delay,
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
