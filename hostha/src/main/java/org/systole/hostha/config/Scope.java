package org.systole.hostha.config;

import java.util.Locale;

/// What a setting can be set for, from the whole to the part. The narrowest that says something
/// counts.
public enum Scope {
  CLUSTER(0),
  ZONE(1),
  PARTITION(2),
  HOST(3);

  private final int depth;

  Scope(int depth) {
    this.depth = depth;
  }

  /// Whether this is at most as narrow as another one.
  public boolean reaches(Scope other) {
    return depth <= other.depth;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
