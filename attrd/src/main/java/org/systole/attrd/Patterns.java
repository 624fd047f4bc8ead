package org.systole.attrd;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;

/// The regular expressions attributes are picked by.
final class Patterns {
  private static final String[] CLASSES = {
    "alpha", "Alpha", "digit", "Digit", "alnum", "Alnum", "upper", "Upper", "lower", "Lower",
    "space", "Space", "punct", "Punct", "xdigit", "XDigit", "blank", "Blank", "cntrl", "Cntrl",
    "print", "Print", "graph", "Graph"
  };

  private Patterns() {}

  /// Compiles an extended regular expression; null if it is none.
  static @Nullable Pattern compile(String extended) {
    var text = extended;
    for (var at = 0; at < CLASSES.length; at += 2) {
      text = text.replace("[:" + CLASSES[at] + ":]", "\\p{" + CLASSES[at + 1] + "}");
    }
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  /// What finds the attributes that hold these failures.
  static String failures(AttrMessage.ClearFailures failures) {
    var all = "^(fail-count|last-failure)-";
    if (failures.resource().isEmpty()) {
      return all;
    }
    var one = all + Pattern.quote(failures.resource()) + "#";
    return failures.operation().isEmpty()
        ? one + ".+_[0-9]+$"
        : one + Pattern.quote(failures.operation()) + "_" + failures.intervalMillis() + "$";
  }
}
