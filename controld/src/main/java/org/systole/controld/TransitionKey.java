package org.systole.controld;

import org.jspecify.annotations.Nullable;

/// What an action is known by from the graph to its record in the CIB: `12:3:0:UUID`.
///
/// @param action the action's number in its graph
/// @param transition the number of the transition; -1 if no transition asked for it
/// @param expectedRc the result that counts as success
/// @param engine who runs the transitions: a DC in one term
record TransitionKey(int action, int transition, int expectedRc, String engine) {
  /// What an operation nobody planned is given as engine.
  static final String NO_ENGINE = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

  static @Nullable TransitionKey parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    var parts = text.split(":", 4);
    if (parts.length != 4) {
      return null;
    }
    try {
      return new TransitionKey(
          Integer.parseInt(parts[0]),
          Integer.parseInt(parts[1]),
          Integer.parseInt(parts[2]),
          parts[3]);
    } catch (NumberFormatException _) {
      return null;
    }
  }

  static int expectedRc(@Nullable String text) {
    var key = parse(text);
    return key == null ? 0 : key.expectedRc();
  }

  @Override
  public String toString() {
    return "%d:%d:%d:%-36s".formatted(action, transition, expectedRc, engine);
  }
}
