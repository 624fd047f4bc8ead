package org.systole.scheduler.graph;

import org.jspecify.annotations.Nullable;

/// Integers as a graph holds them.
final class Numbers {
  private Numbers() {}

  static int parse(@Nullable String text, String what) {
    try {
      return Integer.parseInt(text == null ? "" : text.strip());
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(what + " is not a number: " + text);
    }
  }

  static int parse(@Nullable String text, int otherwise) {
    try {
      return text == null ? otherwise : Integer.parseInt(text.strip());
    } catch (NumberFormatException _) {
      return otherwise;
    }
  }
}
