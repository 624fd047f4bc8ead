package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// A resource's id, as in the CIB; for an instance of a clone with its number (`web:0`) where the
/// instances are told apart. Sorted as its text is.
///
/// @param text not empty, without control characters
public record ResourceId(String text) implements Comparable<ResourceId> {
  /// @throws IllegalArgumentException if the text can never be an id; what comes from outside goes
  ///     through [#of]
  public ResourceId {
    Names.check("resource id", text);
  }

  /// The id that a text is, null if there is none or it can never be one.
  public static @Nullable ResourceId of(@Nullable String text) {
    return Names.isName(text) ? new ResourceId(text) : null;
  }

  @Override
  public int compareTo(ResourceId other) {
    return text.compareTo(other.text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ResourceId it && it.text.equals(text);
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
