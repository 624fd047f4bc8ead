package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// "First, then then" between two actions, or between all actions of a resource with some key.
public final class Ordering {
  public final int id;
  /// Bits of [Relation].
  public int flags;
  public @Nullable Resource firstResource;
  public @Nullable Action firstAction;
  public @Nullable String firstTask;
  public @Nullable Resource thenResource;
  public @Nullable Action thenAction;
  public @Nullable String thenTask;

  public Ordering(int id, int flags) {
    this.id = id;
    this.flags = flags;
  }
}
