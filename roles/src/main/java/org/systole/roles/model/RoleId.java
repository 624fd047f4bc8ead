package org.systole.roles.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a role is called, or something that roles provide.
///
/// @param text up to 64 letters, digits, `_`, `.` and `-`, a letter first
public record RoleId(String text) implements Comparable<RoleId> {
  /// @throws IllegalArgumentException if the text can be none; what comes from outside goes through
  ///     [#of]
  public RoleId {
    if (!Words.isWord(text)) {
      throw new IllegalArgumentException("no role's id: " + text);
    }
  }

  /// The role's id that a text is, null if it can be none.
  public static @Nullable RoleId of(@Nullable String text) {
    return Words.isWord(text) ? new RoleId(text) : null;
  }

  /// The ids among some texts.
  public static List<RoleId> known(List<String> texts) {
    return texts.stream().filter(Words::isWord).map(RoleId::new).toList();
  }

  @Override
  public int compareTo(RoleId other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
