package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// A node's id in the CIB: the `id` of its `node_state`, `on_node_uuid` in a transition graph. A
/// cluster node's is its number, a remote node's is its name. Sorted as its text is.
///
/// @param text not empty, without control characters
public record CibNodeId(String text) implements Comparable<CibNodeId> {
  /// @throws IllegalArgumentException if the text can never be an id; what comes from outside goes
  ///     through [#of]
  public CibNodeId {
    Names.check("node id", text);
  }

  /// The id that a text is, null if there is none or it can never be one.
  public static @Nullable CibNodeId of(@Nullable String text) {
    return Names.isName(text) ? new CibNodeId(text) : null;
  }

  /// The id of a cluster node.
  public static CibNodeId of(NodeId id) {
    return new CibNodeId(id.toString());
  }

  /// The id of a remote node.
  public static CibNodeId ofRemote(NodeName name) {
    return new CibNodeId(name.text());
  }

  /// The cluster node's number, null for a remote node.
  public @Nullable NodeId number() {
    return NodeId.of(text);
  }

  @Override
  public int compareTo(CibNodeId other) {
    return text.compareTo(other.text);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CibNodeId it && it.text.equals(text);
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
