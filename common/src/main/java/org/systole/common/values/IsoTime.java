package org.systole.common.values;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.IsoFields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A moment to the second as a calendar shows it, with the offset from UTC it was given in.
///
/// Two moments are compared by [#compareTo]; equality also asks for the same way of writing.
///
/// @param year 1 or later
/// @param day the day of the year, from 1; adding years keeps it, so that in a year of 365 days it
///     may be 366, which means the first day of the next
/// @param seconds since midnight; 86400 is midnight at the end of the day
/// @param offset seconds east of UTC
public record IsoTime(int year, int day, int seconds, int offset) implements Comparable<IsoTime> {
  private static final int DAY = 86_400;

  /// How a moment is written.
  public enum Style {
    CALENDAR,
    ORDINAL,
    WEEK
  }

  public static IsoTime of(Instant instant, ZoneId zone) {
    var time = instant.atZone(zone);
    return new IsoTime(
        time.getYear(),
        time.getDayOfYear(),
        time.toLocalTime().toSecondOfDay(),
        time.getOffset().getTotalSeconds());
  }

  public static IsoTime ofEpochSecond(long seconds) {
    return of(Instant.ofEpochSecond(seconds), java.time.ZoneOffset.UTC);
  }

  /// Reads a date, a time or both: calendar (`2024-02-29`, `20240229`), ordinal (`2024-060`) and
  /// week (`2024-W09-4`) dates, or `epoch`; times after `T` or a space, with `Z` or an offset.
  ///
  /// @param now gives the date to a time without one, and the offset to a time without one
  /// @throws IsoException if the text is none of these
  public static IsoTime parse(String text, IsoTime now) {
    return new IsoReader(text, now).read();
  }

  /// As [#parse], null instead of an error.
  public static @Nullable IsoTime tryParse(String text, IsoTime now) {
    try {
      return parse(text, now);
    } catch (IsoException e) {
      return null;
    }
  }

  static boolean isLeap(long year) {
    return java.time.Year.isLeap(year);
  }

  static int daysIn(long year) {
    return isLeap(year) ? 366 : 365;
  }

  /// The date, whatever the offset.
  public LocalDate date() {
    return LocalDate.of(year, 1, 1).plusDays(day - 1L);
  }

  public int month() {
    return date().getMonthValue();
  }

  public int dayOfMonth() {
    return date().getDayOfMonth();
  }

  /// 1 for Monday.
  public int weekday() {
    return date().getDayOfWeek().getValue();
  }

  public int week() {
    return date().get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
  }

  public int weekYear() {
    return date().get(IsoFields.WEEK_BASED_YEAR);
  }

  public int hour() {
    return seconds / 3600;
  }

  public int minute() {
    return seconds / 60 % 60;
  }

  public int second() {
    return seconds % 60;
  }

  public long epochSecond() {
    return date().toEpochDay() * DAY + seconds - offset;
  }

  /// Seconds since the first moment of year 1.
  public long secondsSinceYearOne() {
    return epochSecond() + 62_135_596_800L;
  }

  public Instant toInstant() {
    return Instant.ofEpochSecond(epochSecond());
  }

  public IsoTime toUtc() {
    return offset == 0 ? this : new IsoTime(year, day, seconds, 0).plusSeconds(-offset);
  }

  /// Whether the moment lies in the years 1 to 9999 that can be written with four digits.
  public boolean isCommon() {
    return year >= 1 && year <= 9999 && day >= 1 && day <= daysIn(year) && seconds < DAY;
  }

  public IsoTime plusSeconds(long more) {
    var days = more / DAY;
    var sum = seconds + more % DAY;
    if (sum > DAY) {
      days++;
      sum -= DAY;
    } else if (sum < 0) {
      days--;
      sum += DAY;
    }
    return new IsoTime(year, day, (int) sum, offset).plusDays(days);
  }

  /// Stops at the first day of year 1, and at the last that can be held.
  public IsoTime plusDays(long more) {
    if (more == 0) {
      return this;
    }
    try {
      var date = date().plusDays(more);
      return date.getYear() < 1
          ? new IsoTime(1, 1, seconds, offset)
          : new IsoTime(date.getYear(), date.getDayOfYear(), seconds, offset);
    } catch (DateTimeException e) {
      return more < 0
          ? new IsoTime(1, 1, seconds, offset)
          : new IsoTime(
              java.time.Year.MAX_VALUE, daysIn(java.time.Year.MAX_VALUE), seconds, offset);
    }
  }

  /// Keeps the day of the month unless the month is too short for it.
  public IsoTime plusMonths(int more) {
    if (more == 0) {
      return this;
    }
    try {
      var date = date().plusMonths(more);
      return date.getYear() < 1
          ? new IsoTime(1, 1, seconds, offset)
          : new IsoTime(date.getYear(), date.getDayOfYear(), seconds, offset);
    } catch (DateTimeException e) {
      return more < 0 ? new IsoTime(1, 1, seconds, offset) : this;
    }
  }

  /// Keeps the day of the year.
  public IsoTime plusYears(int more) {
    var sum = Math.clamp((long) year + more, 1, java.time.Year.MAX_VALUE);
    return new IsoTime(sum, day, seconds, offset);
  }

  /// Adds years, then months, days and seconds.
  public IsoTime plus(IsoDuration duration) {
    return plusYears(duration.years())
        .plusMonths(duration.months())
        .plusDays(duration.days())
        .plusSeconds(duration.seconds());
  }

  /// Takes away years, then months, days and seconds.
  public IsoTime minus(IsoDuration duration) {
    return plusYears(-duration.years())
        .plusMonths(-duration.months())
        .plusDays(-(long) duration.days())
        .plusSeconds(-(long) duration.seconds());
  }

  @Override
  public int compareTo(IsoTime other) {
    return Long.compare(epochSecond(), other.epochSecond());
  }

  public boolean isBefore(IsoTime other) {
    return compareTo(other) < 0;
  }

  public boolean isAfter(IsoTime other) {
    return compareTo(other) > 0;
  }

  /// As `2024-02-29 12:00:00Z`, in UTC.
  @Override
  public String toString() {
    return format(Style.CALENDAR, false);
  }

  /// @param local keep the offset (`2024-02-29 12:00:00 +02:00`) instead of converting to UTC
  public String format(Style style, boolean local) {
    var shown = local ? this : toUtc();
    return shown.formatDate(style) + ' ' + shown.formatTime() + shown.formatOffset();
  }

  public String formatDate(Style style) {
    return switch (style) {
      case CALENDAR ->
          String.format(Locale.ROOT, "%04d-%02d-%02d", date().getYear(), month(), dayOfMonth());
      case ORDINAL -> String.format(Locale.ROOT, "%d-%03d", year, day);
      case WEEK -> String.format(Locale.ROOT, "%d-W%02d-%d", weekYear(), week(), weekday());
    };
  }

  public String formatTime() {
    return String.format(Locale.ROOT, "%02d:%02d:%02d", hour(), minute(), second());
  }

  /// `Z`, or the offset after a space.
  public String formatOffset() {
    if (offset == 0) {
      return "Z";
    }
    var size = Math.abs(offset);
    return String.format(
        Locale.ROOT, " %c%02d:%02d", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
  }
}
