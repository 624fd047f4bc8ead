package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// What nodes and resources can be called. Pacemaker permits nearly everything, so only what would
/// make a log or a listing lie is refused.
final class Names {
  private Names() {}

  static boolean isName(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return false;
    }
    for (var at = 0; at < text.length(); at++) {
      if (Character.isISOControl(text.charAt(at))) {
        return false;
      }
    }
    return true;
  }

  static void check(String kind, @Nullable String text) {
    if (!isName(text)) {
      throw new IllegalArgumentException(
          text == null || text.isEmpty()
              ? "an empty " + kind
              : "a control character in a " + kind + " of " + text.length() + " characters");
    }
  }
}
