package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What may be done with a snapshot.
public enum SnapshotState {
  /// People edit it; the annealer ignores it.
  PROPOSED("proposed"),
  /// The annealer works on it; people edit it no more.
  COMMITTED("committed"),
  /// Kept to look at, and to go back to.
  ARCHIVED("archived");

  private final String word;

  SnapshotState(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  public static @Nullable SnapshotState of(@Nullable String word) {
    for (var state : values()) {
      if (state.word.equals(word)) {
        return state;
      }
    }
    return null;
  }
}
