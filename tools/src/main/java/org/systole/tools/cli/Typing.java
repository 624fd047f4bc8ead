package org.systole.tools.cli;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What may have been meant by a word that was mistyped.
public final class Typing {
  private static final int SLIPS_MAX = 2; // letters that are otherwise

  private Typing() {}

  /// What differs by a slip of the hand; null if there is none.
  public static @Nullable String near(String name, Collection<String> known) {
    String found = null;
    var least = SLIPS_MAX + 1;
    for (var it : known) {
      var far = distance(name.toLowerCase(Locale.ROOT), it.toLowerCase(Locale.ROOT));
      if (far < least && far < it.length()) {
        least = far;
        found = it;
      }
    }
    return found;
  }

  /// How many letters have to be put in, taken out or changed.
  private static int distance(String one, String other) {
    var row = new int[other.length() + 1];
    for (var at = 0; at <= other.length(); at++) {
      row[at] = at;
    }
    for (var i = 1; i <= one.length(); i++) {
      var corner = row[0];
      row[0] = i;
      for (var j = 1; j <= other.length(); j++) {
        var same = one.charAt(i - 1) == other.charAt(j - 1);
        var next = Math.min(corner + (same ? 0 : 1), 1 + Math.min(row[j], row[j - 1]));
        corner = row[j];
        row[j] = next;
      }
    }
    return row[other.length()];
  }
}
