package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// A cluster node's number: `nodeid` in the cluster configuration file, and as text the node's `id`
/// in the CIB. Sorted as numbers are.
///
/// @param number above 0
public record NodeId(int number) implements Comparable<NodeId> {
  /// @throws IllegalArgumentException if the number can never be an id; what comes from outside
  ///     goes through [#of]
  public NodeId {
    if (number <= 0) {
      throw new IllegalArgumentException("no node id: " + number);
    }
  }

  /// The id that a number is, null if it can never be one.
  public static @Nullable NodeId of(int number) {
    return number > 0 ? new NodeId(number) : null;
  }

  /// The id that a text is, null if there is none or it is no cluster node's: a remote node's id in
  /// the CIB is its name.
  public static @Nullable NodeId of(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      var id = of(Integer.parseInt(text));
      return id != null && id.toString().equals(text) ? id : null;
    } catch (NumberFormatException _) {
      return null;
    }
  }

  @Override
  public int compareTo(NodeId other) {
    return Integer.compare(number, other.number);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeId it && it.number == number;
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public String toString() {
    return Integer.toString(number);
  }
}
