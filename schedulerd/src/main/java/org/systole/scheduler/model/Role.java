package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// What a resource is, or should be, on a node. The order matters: a later role is a higher one.
public enum Role {
  UNKNOWN("Unknown"),
  STOPPED("Stopped"),
  STARTED("Started"),
  UNPROMOTED("Unpromoted"),
  PROMOTED("Promoted");

  private final String text;

  Role(String text) {
    this.text = text;
  }

  /// The role as a CIB and the tools write it.
  public String text() {
    return text;
  }

  public boolean above(Role other) {
    return compareTo(other) > 0;
  }

  public boolean below(Role other) {
    return compareTo(other) < 0;
  }

  /// Reads a role, the old names `Slave` and `Master` included; [#UNKNOWN] if it is none.
  public static Role parse(@Nullable String text) {
    if (text == null) {
      return UNKNOWN;
    }
    for (var role : values()) {
      if (role.text.equalsIgnoreCase(text)) {
        return role;
      }
    }
    if ("Slave".equalsIgnoreCase(text)) {
      return UNPROMOTED;
    }
    return "Master".equalsIgnoreCase(text) ? PROMOTED : UNKNOWN;
  }

  @Override
  public String toString() {
    return text;
  }
}
