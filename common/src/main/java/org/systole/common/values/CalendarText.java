package org.systole.common.values;

import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Moments for people, in the manner of `ctime`: `Fri Jul  3 13:51:00 2012`; and of logs.
///
/// Written by hand because every program that shows a time would pay for the JDK's formatters,
/// which look up names in the data of languages and take longer to load than the rest of a status.
public final class CalendarText {
  private static final int YEAR_MAX = 9999;
  private static final String DAYS = "MonTueWedThuFriSatSun";
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  // Beyond four digits, which no sane clock shows.
  private static final class FarAway {
    static final DateTimeFormatter DAY_OF_WEEK =
        DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT);
    static final DateTimeFormatter DATE =
        DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss yyyy", Locale.ROOT);
  }

  private CalendarText() {}

  /// As `Fri Jul  3 13:51:00 2012`.
  public static String withDayOfWeek(LocalDateTime time) {
    if (isFarAway(time)) {
      return FarAway.DAY_OF_WEEK.format(time);
    }
    var text = new StringBuilder(24);
    name(text, DAYS, time.getDayOfWeek().getValue()).append(' ');
    return date(text, time).toString();
  }

  /// As `Jul  3 13:51:00 2012`.
  public static String date(LocalDateTime time) {
    return isFarAway(time)
        ? FarAway.DATE.format(time)
        : date(new StringBuilder(20), time).toString();
  }

  /// As logs have it: `Jul 03 13:51:00.120`.
  public static String withMillis(LocalDateTime time) {
    var text = name(new StringBuilder(19), MONTHS, time.getMonthValue());
    two(text.append(' '), time.getDayOfMonth());
    clock(text, time);
    var millis = time.getNano() / 1_000_000;
    return two(text.append('.').append((char) ('0' + millis / 100)), millis % 100).toString();
  }

  private static boolean isFarAway(LocalDateTime time) {
    return time.getYear() < 1 || time.getYear() > YEAR_MAX;
  }

  private static StringBuilder date(StringBuilder text, LocalDateTime time) {
    name(text, MONTHS, time.getMonthValue());
    text.append(time.getDayOfMonth() < 10 ? "  " : " ").append(time.getDayOfMonth());
    clock(text, time);
    two(text.append(' '), time.getYear() / 100);
    return two(text, time.getYear() % 100);
  }

  private static void clock(StringBuilder text, LocalDateTime time) {
    two(text.append(' '), time.getHour());
    two(text.append(':'), time.getMinute());
    two(text.append(':'), time.getSecond());
  }

  private static StringBuilder name(StringBuilder text, String names, int number) {
    return text.append(names, 3 * (number - 1), 3 * number);
  }

  private static StringBuilder two(StringBuilder text, int number) {
    return text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }
}
