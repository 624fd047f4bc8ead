package org.systole.schedulerd.model;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/// "First, then then" between two actions, or between all actions of a resource with some key.
public final class Ordering {
  public final int id;
  public final EnumSet<RelationFlag> flags;
  public @Nullable Resource firstResource;
  public @Nullable Action firstAction;
  public @Nullable String firstTask;
  public @Nullable Resource thenResource;
  public @Nullable Action thenAction;
  public @Nullable String thenTask;

  public Ordering(int id, EnumSet<RelationFlag> flags) {
    this.id = id;
    this.flags = flags;
  }
}
