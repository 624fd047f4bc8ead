package org.systole.tools.report;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a report is about.
///
/// @param from when the problem began
/// @param to when it had ended
/// @param logs files with lines of a log, beside the cluster's own
/// @param searchLogs whether the cluster's own log and the journal are wanted
/// @param masked patterns for the names of values that are not to be shown
/// @param notable patterns for lines of the log that are put together on a page of their own
record ReportScope(
    Instant from,
    Instant to,
    List<String> logs,
    boolean searchLogs,
    List<String> masked,
    List<String> notable) {
  private static final Pattern DATE =
      Pattern.compile("(?:(\\d{4})-(\\d{1,2})-(\\d{1,2}))?[ T]*(?:(\\d{1,2}):(\\d{2})(?::(\\d{2}))?)?");

  boolean covers(Instant time) {
    return !time.isBefore(from) && !time.isAfter(to);
  }

  /// A time as a user writes it: a date, a time of today, both, or seconds since 1970.
  ///
  /// @return null if it is none
  static @Nullable Instant time(String text, Instant now, ZoneId zone) {
    if (text.matches("@?\\d{6,12}")) {
      return Instant.ofEpochSecond(Long.parseLong(text.replace("@", "")));
    }
    var found = DATE.matcher(text.strip());
    if (!found.matches() || text.isBlank()) {
      return null;
    }
    try {
      var date =
          found.group(1) == null
              ? LocalDate.ofInstant(now, zone)
              : LocalDate.of(number(found.group(1)), number(found.group(2)), number(found.group(3)));
      var time =
          found.group(4) == null
              ? LocalTime.MIDNIGHT
              : LocalTime.of(number(found.group(4)), number(found.group(5)), number(found.group(6)));
      return LocalDateTime.of(date, time).atZone(zone).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static int number(@Nullable String digits) {
    return digits == null ? 0 : Integer.parseInt(digits);
  }
}
