package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What a jig is called: a way to carry out roles.
///
/// @param text up to 64 letters, digits, `_`, `.` and `-`, a letter first
public record JigId(String text) implements Comparable<JigId> {
  /// @throws IllegalArgumentException if the text can be none; what comes from outside goes through
  ///     [#of]
  public JigId {
    if (!Words.isWord(text)) {
      throw new IllegalArgumentException("no jig's id: " + text);
    }
  }

  /// The jig's id that a text is, null if it can be none.
  public static @Nullable JigId of(@Nullable String text) {
    return Words.isWord(text) ? new JigId(text) : null;
  }

  @Override
  public int compareTo(JigId other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
