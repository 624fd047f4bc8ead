package org.systole.common.values;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// A node's name, as in the cluster configuration file and as `uname` in the CIB. Sorted as its text
/// is.
///
/// @param text not empty, without control characters
public record NodeName(String text) implements Comparable<NodeName> {
  /// For where names that differ in case only are one node's.
  public static final Comparator<NodeName> IGNORING_CASE =
      (one, other) -> one.text.compareToIgnoreCase(other.text);

  /// @throws IllegalArgumentException if the text can never be a name; what comes from outside goes
  ///     through [#of]
  public NodeName {
    Names.check("node name", text);
  }

  /// The name that a text is, null if there is none or it can never be one.
  public static @Nullable NodeName of(@Nullable String text) {
    return Names.isName(text) ? new NodeName(text) : null;
  }

  public boolean equalsIgnoreCase(NodeName other) {
    return text.equalsIgnoreCase(other.text);
  }

  @Override
  public int compareTo(NodeName other) {
    return text.compareTo(other.text);
  }

  // Written out, as what the compiler has the JVM make at run time costs a command its start.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeName it && it.text.equals(text);
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
