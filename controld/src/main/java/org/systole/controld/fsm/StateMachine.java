package org.systole.controld.fsm;

import org.systole.common.world.World;

/// Holds the controller's state and applies [Transitions] to its inputs, one after the other.
public final class StateMachine {
  /// Carries out the effects.
  public interface Host {
    /// An input has come; it is processed later.
    void offered(Input input);

    /// Checks an input that is about to be processed.
    ///
    /// @return whether the input is still valid; if not it is dropped
    boolean holds(Input input);

    void carryOut(Effect effect);

    /// An input has been processed.
    void stepped(State now);
  }

  private final World world;
  private final Host host;
  private State state = State.STARTING;

  public StateMachine(World world, Host host) {
    this.world = world;
    this.host = host;
  }

  public State state() {
    return state;
  }

  /// Gives the state machine an input; it is processed after those given before.
  public void offer(Input input) {
    host.offered(input);
    world.post(() -> step(input));
  }

  private void step(Input input) {
    if (!host.holds(input)) {
      return;
    }
    var step = Transitions.TABLE.step(state, input);
    if (step.ignored() != null) {
      world.log().debug("%s ignored in %s: %s".formatted(input, state.text(), step.ignored()));
      return;
    }
    if (step.next() != state) {
      world.log().info("%s -> %s (%s)".formatted(state.text(), step.next().text(), name(input)));
    }
    state = step.next(); // before the effects: one of them may offer the next input
    step.effects().forEach(host::carryOut);
    host.stepped(state);
  }

  private static String name(Input input) {
    return input instanceof Input.Planned ? "Planned" : input.toString();
  }
}
