package org.systole.hostha.fsm;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A total, immutable transition table: every event is decided in every state.
public final class Table {
  /// What follows from an event in a state.
  ///
  /// @param telling what people are told; null for nothing
  /// @param ignored why nothing is to be done, null if something is
  public record Step(
      HostState next, List<Deed> deeds, @Nullable Telling telling, @Nullable String ignored) {}

  private final Map<HostState, Map<HostEvent, Step>> cells;

  private Table(Map<HostState, Map<HostEvent, Step>> cells) {
    this.cells = cells;
  }

  public Step step(HostState state, HostEvent event) {
    var step = cells.getOrDefault(state, Map.of()).get(event);
    if (step == null) {
      throw new AssertionError("no cell for %s in %s".formatted(event, state)); // see build()
    }
    return step;
  }

  /// Collects rows and refuses gaps and contradictions.
  static final class Builder {
    private final Map<HostState, Map<HostEvent, Step>> cells = new EnumMap<>(HostState.class);

    Builder row(HostEvent event, Set<HostState> from, HostState to, Deed... deeds) {
      return put(event, from, to, null, deeds);
    }

    Builder row(
        HostEvent event, Set<HostState> from, HostState to, Telling telling, Deed... deeds) {
      return put(event, from, to, telling, deeds);
    }

    /// Deeds without a change of state.
    Builder stay(HostEvent event, Set<HostState> in, Deed... deeds) {
      in.forEach(state -> put(event, Set.of(state), state, null, deeds));
      return this;
    }

    Builder ignore(HostEvent event, Set<HostState> in, String reason) {
      if (reason.isBlank()) {
        throw new IllegalArgumentException("ignoring an event takes a reason");
      }
      in.forEach(state -> cell(state, event, new Step(state, List.of(), null, reason)));
      return this;
    }

    Table build() {
      for (var state : HostState.values()) {
        for (var event : HostEvent.values()) {
          if (!cells.getOrDefault(state, Map.of()).containsKey(event)) {
            throw new IllegalStateException(event.text() + " in " + state + " is undecided");
          }
        }
      }
      return new Table(cells);
    }

    private Builder put(
        HostEvent event,
        Set<HostState> from,
        HostState to,
        @Nullable Telling telling,
        Deed... deeds) {
      from.forEach(state -> cell(state, event, new Step(to, List.of(deeds), telling, null)));
      return this;
    }

    private void cell(HostState state, HostEvent event, Step step) {
      var row = cells.computeIfAbsent(state, _ -> new EnumMap<>(HostEvent.class));
      if (row.putIfAbsent(event, step) != null) {
        throw new IllegalStateException(event.text() + " in " + state + " is decided twice");
      }
    }
  }
}
