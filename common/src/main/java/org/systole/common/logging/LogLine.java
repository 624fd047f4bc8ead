package org.systole.common.logging;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Locale;
import org.systole.common.values.CalendarText;
import org.systole.common.world.Log.Level;

/// One line of the log.
///
/// @param millis when it was said, since 1970
/// @param part which part of the daemon said it, a class by its simple name
/// @param text the message, on one line
record LogLine(long millis, Level level, String part, String text) {
  /// Longer ones are cut; a CIB in a message must not fill the log.
  private static final int LENGTH_MAX = 16_000;

  private static final LocalZone ZONE = new LocalZone(System.getenv());

  static LogLine of(long millis, Level level, String part, String message) {
    return new LogLine(millis, level, part, onOneLine(message));
  }

  /// What the log says of itself, now.
  static LogLine own(Level level, String text) {
    return of(System.currentTimeMillis(), level, "Log", text);
  }

  private static String onOneLine(String message) {
    var kept =
        message.length() <= LENGTH_MAX
            ? message
            : "%s... (%d characters more)"
                .formatted(message.substring(0, LENGTH_MAX), message.length() - LENGTH_MAX);
    return kept.replace('\n', ' ').replace('\r', ' ');
  }

  /// As the file has it.
  ///
  /// @param origin node, daemon and process
  String withTime(String origin) {
    var time = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZONE.get());
    var head = CalendarText.withMillis(time) + ' ' + origin + " (" + part + ") ";
    return head + word() + ": " + text + '\n';
  }

  /// As the system's log has it, which adds time and process itself.
  String withoutTime(String node) {
    return node + " (" + part + ") " + word() + ": " + text + '\n';
  }

  /// Memory it takes while it waits, about.
  int size() {
    return 100 + text.length();
  }

  private String word() {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
