package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What a deployment is called.
///
/// @param text up to 64 letters, digits, `_`, `.` and `-`, a letter first
public record DeploymentId(String text) implements Comparable<DeploymentId> {
  /// The root of all deployments: new nodes come here.
  public static final DeploymentId SYSTEM = new DeploymentId("system");

  /// @throws IllegalArgumentException if the text can be none; what comes from outside goes through
  ///     [#of]
  public DeploymentId {
    if (!Words.isWord(text)) {
      throw new IllegalArgumentException("no deployment's id: " + text);
    }
  }

  /// The deployment's id that a text is, null if it can be none.
  public static @Nullable DeploymentId of(@Nullable String text) {
    return Words.isWord(text) ? new DeploymentId(text) : null;
  }

  @Override
  public int compareTo(DeploymentId other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
