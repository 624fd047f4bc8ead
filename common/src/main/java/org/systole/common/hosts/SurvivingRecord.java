package org.systole.common.hosts;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;

/// What survives of a host, as the text of its node attribute ([HostStatus#RECORD]): the state, then `NAME=VALUE` for the
/// rest, `held` last because its value may have blanks. Plans and the decider both read it here: what is no record for one
/// of them must be no proof for the other. Immutable.
///
/// @param state the name of a state, such as `FENCED`
/// @param since seconds since 1970
/// @param attempts how many recoveries were begun
/// @param begun whether the power operation may have been begun; what is not known may have been
/// @param reason why it is fenced, by its name; null if it is not
/// @param held why a person wants it left alone; null if nobody does
/// @param alive of a suspect host: whether the last look at it that could tell saw life
public record SurvivingRecord(
    String state,
    long since,
    int attempts,
    boolean begun,
    @Nullable String reason,
    @Nullable String held,
    boolean alive) {
  private static final int ATTEMPTS_MAX = 1_000_000;
  private static final String HELD = " held=";

  /// What a text says; null if it can be no record.
  public static @Nullable SurvivingRecord of(String text) {
    var at = text.indexOf(HELD);
    var words = (at < 0 ? text : text.substring(0, at)).split(" ", -1);
    Map<String, String> values = new HashMap<>();
    for (var word : words) {
      var equals = word.indexOf('=');
      if (equals > 0) {
        values.put(word.substring(0, equals), word.substring(equals + 1));
      }
    }
    var state = words[0];
    var attempts = Numbers.parse(values.get("attempts"), -1);
    if (state.isEmpty() || state.indexOf('=') >= 0 || attempts < 0 || attempts > ATTEMPTS_MAX) {
      return null;
    }
    return new SurvivingRecord(
        state,
        Numbers.parse(values.get("since"), 0),
        (int) attempts,
        !"false".equals(values.get("begun")),
        values.get("reason"),
        at < 0 ? null : text.substring(at + HELD.length()),
        "true".equals(values.get("alive")));
  }

  /// The text, as [#of] reads it.
  public String text() {
    var text = new StringBuilder(state);
    text.append(" since=").append(since).append(" attempts=").append(attempts).append(" begun=").append(begun);
    if (reason != null) {
      text.append(" reason=").append(reason);
    }
    if (alive) { // told only where it is so: a build that does not know it writes the same text otherwise
      text.append(" alive=true");
    }
    return held == null ? text.toString() : text.append(HELD).append(held).toString();
  }
}
