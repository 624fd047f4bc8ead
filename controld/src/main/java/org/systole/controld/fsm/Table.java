package org.systole.controld.fsm;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A total, immutable transition table: every input is decided in every state.
public final class Table {
  /// The outcome of one input: nothing has happened yet.
  ///
  /// @param ignored why nothing is to be done, null if something is
  public record Step(State next, List<Effect> effects, @Nullable String ignored) {}

  private record Cell(
      State next, Function<Input, List<Effect>> effects, @Nullable String ignored) {}

  private final Map<State, Map<Class<?>, Cell>> cells;

  private Table(Map<State, Map<Class<?>, Cell>> cells) {
    this.cells = cells;
  }

  public Step step(State state, Input input) {
    var cell = cells.getOrDefault(state, Map.of()).get(input.getClass());
    if (cell == null) {
      throw new AssertionError("no cell for %s in %s".formatted(input, state)); // see build()
    }
    return new Step(cell.next(), cell.effects().apply(input), cell.ignored());
  }

  /// Collects rows and refuses gaps and contradictions.
  static final class Builder {
    private static final List<Class<?>> INPUTS = List.of(Input.class.getPermittedSubclasses());

    private final Map<State, Map<Class<?>, Cell>> cells = new EnumMap<>(State.class);

    <I extends Input> Builder row(
        Class<I> input, Set<State> from, State to, Function<? super I, List<Effect>> effects) {
      for (var state : from) {
        put(state, input, new Cell(to, it -> effects.apply(input.cast(it)), null));
      }
      return this;
    }

    /// Effects without a change of state.
    <I extends Input> Builder stay(
        Class<I> input, Set<State> in, Function<? super I, List<Effect>> effects) {
      for (var state : in) {
        row(input, Set.of(state), state, effects);
      }
      return this;
    }

    Builder ignore(Class<? extends Input> input, Set<State> from, String reason) {
      if (reason.isBlank()) {
        throw new IllegalArgumentException("ignoring an input takes a reason");
      }
      for (var state : from) {
        put(state, input, new Cell(state, _ -> List.of(), reason));
      }
      return this;
    }

    Table build() {
      for (var state : State.values()) {
        for (var input : INPUTS) {
          if (!cells.getOrDefault(state, Map.of()).containsKey(input)) {
            throw new IllegalStateException(
                "%s in %s is undecided".formatted(input.getSimpleName(), state));
          }
        }
      }
      return new Table(cells);
    }

    private void put(State state, Class<?> input, Cell cell) {
      var before = cells.computeIfAbsent(state, _ -> new HashMap<>()).putIfAbsent(input, cell);
      if (before != null) {
        throw new IllegalStateException(
            "%s in %s is decided twice".formatted(input.getSimpleName(), state));
      }
    }
  }
}
