package org.systole.tools.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/// The lines of a log that were written in the time of a report. A line without a time belongs to
/// the one before it. Of a file in which no line has a time, the last lines are taken.
final class LogExtract {
  private static final int LINES_MAX = 200_000;
  private static final int LAST_LINES = 5_000;
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  /// `Nov 23 03:09:03.853`, as in the log of the cluster and of the system.
  private static final Pattern WITHOUT_YEAR =
      Pattern.compile("([A-Z][a-z]{2}) {1,2}(\\d{1,2}) (\\d{2}):(\\d{2}):(\\d{2})\\b.*");

  /// `2026-11-23T03:09:03.853+01:00`, also without its fraction or its zone.
  private static final Pattern WITH_YEAR =
      Pattern.compile(
          "(\\d{4}-\\d{2}-\\d{2})[T ](\\d{2}:\\d{2}:\\d{2})(?:[.,]\\d+)?(Z|[+-]\\d{2}:?\\d{2})?.*");

  private final ReportScope scope;
  private final ZoneId zone;
  private final Instant now;

  LogExtract(ReportScope scope, ZoneId zone, Instant now) {
    this.scope = scope;
    this.zone = zone;
    this.now = now;
  }

  /// @param file may be compressed by gzip
  /// @param how it is opened
  /// @throws IOException if it cannot be read
  List<String> of(Path file, OpenOption... how) throws IOException {
    try (var in = Files.newInputStream(file, how);
        var lines = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
        var reader = new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8))) {
      return of(reader);
    }
  }

  private List<String> of(BufferedReader reader) throws IOException {
    var found = new ArrayDeque<String>();
    var last = new ArrayDeque<String>();
    var inTime = false;
    var timed = false;
    for (var line = reader.readLine(); line != null; line = reader.readLine()) {
      var time = time(line);
      if (time != null) {
        timed = true;
        inTime = scope.covers(time);
        last.clear();
      }
      if (inTime) {
        add(found, line, LINES_MAX);
      } else if (!timed) {
        add(last, line, LAST_LINES);
      }
    }
    return List.copyOf(timed ? found : last);
  }

  private static void add(ArrayDeque<String> lines, String line, int limit) {
    if (lines.size() == limit) {
      lines.removeFirst();
    }
    lines.addLast(line);
  }

  /// When a line was written; null if it does not say so.
  @Nullable Instant time(String line) {
    var with = WITH_YEAR.matcher(line);
    var without = WITHOUT_YEAR.matcher(line);
    try {
      if (with.matches()) {
        return withYear(with.group(1) + "T" + with.group(2), with.group(3));
      }
      var month = without.matches() ? MONTHS.indexOf(without.group(1)) + 1 : 0;
      return month == 0
          ? null
          : withoutYear(
              Month.of(month),
              Integer.parseInt(without.group(2)),
              LocalTime.of(
                  Integer.parseInt(without.group(3)),
                  Integer.parseInt(without.group(4)),
                  Integer.parseInt(without.group(5))));
    } catch (DateTimeException e) {
      return null;
    }
  }

  private Instant withYear(String time, @Nullable String offset) {
    if (offset == null) {
      return LocalDateTime.parse(time).atZone(zone).toInstant();
    }
    var colon = offset.length() == 5 ? offset.substring(0, 3) + ":" + offset.substring(3) : offset;
    return OffsetDateTime.parse(time + colon).toInstant();
  }

  /// A log is of the past: what would be in the future was a year ago.
  private Instant withoutYear(Month month, int day, LocalTime time) {
    var year = Year.from(now.atZone(zone));
    var latest = now.plus(1, ChronoUnit.DAYS);
    var thisYear = at(year, month, day, time);
    return thisYear == null || thisYear.isAfter(latest)
        ? Objects.requireNonNullElse(at(year.minusYears(1), month, day, time), now)
        : thisYear;
  }

  private @Nullable Instant at(Year year, Month month, int day, LocalTime time) {
    return day > month.length(year.isLeap())
        ? null
        : year.atMonth(month).atDay(day).atTime(time).atZone(zone).toInstant();
  }
}
