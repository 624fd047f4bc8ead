package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What roles, jigs and deployments can be called.
final class Words {
  private static final int LENGTH_MAX = 64;

  private Words() {}

  static boolean isWord(@Nullable String text) {
    if (text == null || text.isEmpty() || text.length() > LENGTH_MAX || !isLetter(text.charAt(0))) {
      return false;
    }
    for (var at = 1; at < text.length(); at++) {
      var c = text.charAt(at);
      if (!isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }
}
