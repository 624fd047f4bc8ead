package org.systole.common.world;

/// Names by which the lines of one affair are found in the logs of all daemons, see [Log#about].
public final class Affair {
  private static final int SHORT = 8; // characters of a long id: enough to tell it by

  private Affair() {}

  /// @param transition its number as the DC counts
  /// @param term who carries it out: a DC in one term
  public static String ofTransition(int transition, String term) {
    return "transition=" + transition(transition, term);
  }

  /// A transition without the word.
  public static String transition(int transition, String term) {
    return transition + "-" + shortened(term);
  }

  /// @param key what an action is known by, `12:3:0:TERM`; of another form, it belongs to nothing
  public static String ofTransitionKey(String key) {
    var parts = key.split(":", 4);
    return parts.length == 4 && !parts[1].startsWith("-")
        ? "transition=" + parts[1] + "-" + shortened(parts[3])
        : "";
  }

  /// @param id the request's id
  public static String ofFencing(String id) {
    return "fencing=" + shortened(id);
  }

  private static String shortened(String id) {
    return id.length() <= SHORT ? id : id.substring(0, SHORT);
  }
}
