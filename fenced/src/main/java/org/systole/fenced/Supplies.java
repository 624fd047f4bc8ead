package org.systole.fenced;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.systole.common.operation.Task;

/// What an operation has done to the power supplies of a target that has several. Each is switched
/// by a device of its own, and the target runs on until all of them are off.
final class Supplies {
  private enum State {
    /// It was ordered off, and the result is not known.
    MAY_BE_OFF("may be off"),
    OFF("is off"),
    ON("is on");

    private final String words;

    State(String words) {
      this.words = words;
    }
  }

  private final Map<String, State> states = new LinkedHashMap<>();

  /// It may be off from now on.
  void beingSwitchedOff(String device) {
    states.put(device, State.MAY_BE_OFF);
  }

  void switched(String device, String action) {
    if (states.containsKey(device)) {
      states.put(device, Task.ON.is(action) ? State.ON : State.OFF);
    }
  }

  /// Those that are not known to be on again, in the order in which they were switched off.
  List<String> notOn() {
    return states.keySet().stream().filter(it -> states.get(it) != State.ON).toList();
  }

  /// What became of those that are not known to be on again; empty if they all are.
  String words(Predicate<String> counts) {
    return states.entrySet().stream()
        .filter(it -> it.getValue() != State.ON && counts.test(it.getKey()))
        .map(it -> it.getKey() + " " + it.getValue().words)
        .collect(Collectors.joining(", "));
  }
}
