package org.systole.common.values;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The roles a resource can have, in rising order.
public enum Role {
  UNKNOWN("Unknown"),
  STOPPED("Stopped"),
  STARTED("Started"),
  UNPROMOTED("Unpromoted"),
  PROMOTED("Promoted");

  private final String word;

  Role(String word) {
    this.word = word;
  }

  /// The role of that name in any case, the older names Slave and Master included; [#UNKNOWN] if
  /// there is no text or it names no role.
  public static Role parse(@Nullable String text) {
    if (text == null) {
      return UNKNOWN;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "stopped" -> STOPPED;
      case "started" -> STARTED;
      case "unpromoted", "slave" -> UNPROMOTED;
      case "promoted", "master" -> PROMOTED;
      default -> UNKNOWN;
    };
  }

  /// As written in the configuration and in status displays.
  public String word() {
    return word;
  }
}
