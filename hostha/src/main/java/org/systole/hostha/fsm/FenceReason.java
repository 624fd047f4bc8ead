package org.systole.hostha.fsm;

import org.jspecify.annotations.Nullable;

/// Why a host is fenced.
public enum FenceReason {
  FAILED_RECOVERY("failure of recovery operation"),
  TOO_MANY_ATTEMPTS("maximum number of recovery attempts exceeded"),
  A_PERSON("a person's order");

  private final String text;

  FenceReason(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  /// The reason of a name, null if there is none.
  public static @Nullable FenceReason of(@Nullable String name) {
    for (var reason : values()) {
      if (reason.name().equals(name)) {
        return reason;
      }
    }
    return null;
  }
}
