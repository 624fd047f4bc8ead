package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// How far a role is on a node.
public enum NodeRoleState {
  /// Its snapshot is not committed yet.
  PROPOSED("proposed"),
  /// All it rests on is done; its turn is to come.
  TODO("todo"),
  /// Something it rests on is not done.
  BLOCKED("blocked"),
  /// Its jig runs.
  TRANSITION("transition"),
  /// Done.
  ACTIVE("active"),
  /// Its jig failed, or nobody knows what it did; a person decides.
  ERROR("error");

  private final String word;

  NodeRoleState(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  public static @Nullable NodeRoleState of(@Nullable String word) {
    for (var state : values()) {
      if (state.word.equals(word)) {
        return state;
      }
    }
    return null;
  }
}
