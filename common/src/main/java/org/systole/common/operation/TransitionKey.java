package org.systole.common.operation;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;

/// What an action is known by from the graph to its record in the CIB: `12:3:0:UUID`.
///
/// @param action the action's number in its graph
/// @param transition the number of the transition; -1 if no transition asked for it
/// @param expectedRc the exit code that counts as success
/// @param engine identifies what runs the transitions, a DC in one term; 36 characters
public record TransitionKey(int action, int transition, int expectedRc, String engine) {
  /// The engine in the key of an operation that was not planned.
  public static final String NO_ENGINE = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

  /// What stands for an exit code where none is expected.
  public static final int NOT_KNOWN = -1;

  private static final int NO_TRANSITION = -1;
  private static final int ENGINE_LENGTH = 36;

  /// The key of an operation that was not planned.
  public static TransitionKey unplanned(int number, int expectedRc) {
    return new TransitionKey(number, NO_TRANSITION, expectedRc, NO_ENGINE);
  }

  /// Reads a key. Of the engine only the first 36 characters count.
  ///
  /// @return null if the text is no key
  public static @Nullable TransitionKey parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    var numbers = new int[3];
    var rest = text;
    for (var at = 0; at < numbers.length; at++) {
      var scan = Numbers.scan(rest, 0);
      if (!scan.valid() || !scan.rest().startsWith(":")) {
        return null;
      }
      numbers[at] = Math.clamp(scan.value(), Integer.MIN_VALUE, Integer.MAX_VALUE);
      rest = scan.rest().substring(1);
    }
    var engine = firstWord(rest);
    return engine.isEmpty() ? null : new TransitionKey(numbers[0], numbers[1], numbers[2], engine);
  }

  /// Reads the key in a `transition-magic`: `STATUS:RC;KEY`.
  ///
  /// @return null if there is none in it
  public static @Nullable TransitionKey ofMagic(@Nullable String magic) {
    var semicolon = magic == null ? -1 : magic.indexOf(';');
    return magic == null || semicolon < 0 ? null : parse(magic.substring(semicolon + 1));
  }

  /// The exit code that counts as success, as the key says: OK where there is no key,
  /// [#NOT_KNOWN] if it is none.
  public static int expectedRc(@Nullable String key) {
    if (key == null || key.isEmpty()) {
      return OcfCode.OK.number();
    }
    var parsed = parse(key);
    return parsed == null ? NOT_KNOWN : parsed.expectedRc();
  }

  private static String firstWord(String text) {
    var stripped = text.stripLeading();
    var end = 0;
    while (end < stripped.length()
        && end < ENGINE_LENGTH
        && !Character.isWhitespace(stripped.charAt(end))) {
      end++;
    }
    return stripped.substring(0, end);
  }

  /// Whether a transition asked for it.
  public boolean isPlanned() {
    return transition != NO_TRANSITION;
  }

  /// The `transition-magic` of a result.
  public static String magic(ExecStatus status, int rc, String key) {
    return status.code() + ":" + rc + ";" + key;
  }

  @Override
  public String toString() {
    var padding = " ".repeat(Math.max(0, ENGINE_LENGTH - engine.length()));
    return action + ":" + transition + ":" + expectedRc + ":" + engine + padding;
  }
}
