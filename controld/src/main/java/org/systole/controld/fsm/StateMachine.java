package org.systole.controld.fsm;

import org.systole.common.world.World;

/// Where this controller is in [Transitions], and what it is told: each input is worked off after
/// those before it.
public final class StateMachine {
  /// Who carries out what the machine wants done.
  public interface Host {
    /// An input has come; it may be worked off later.
    void offered(Input input);

    /// Takes note of an input that is about to be worked off.
    ///
    /// @return whether it still says how things are; one that does not is dropped
    boolean holds(Input input);

    void carryOut(Effect effect);

    /// An input has been worked off.
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

  /// Tells the state machine something; it is worked off after what was told before.
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
