package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// What an operation of a resource is called: by a name that the cluster knows (a `Task`), or by one
/// that an agent's author thought of.
///
/// @param text not empty, without control characters
public record OperationName(String text) {
  /// @throws IllegalArgumentException if the text can never be a name; what comes from outside goes
  ///     through [#of]
  public OperationName {
    Names.check("operation name", text);
  }

  /// The name that a text is, null if there is none or it can never be one.
  public static @Nullable OperationName of(@Nullable String text) {
    return Names.isName(text) ? new OperationName(text) : null;
  }

  // Written out, as what the compiler has the JVM make at run time costs a command its start.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OperationName it && it.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
