package org.systole.common.values;

import java.time.LocalDate;
import java.time.YearMonth;
import java.time.temporal.IsoFields;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads one date and time. Lenient where users have come to rely on it: space before numbers, a
/// missing minute or second, a space before the offset.
final class IsoReader {
  private static final String DATE = "parse_date";
  private static final String TIME = "parse_hms";

  private static final String NUMBER = "\\s*([+-]?\\d+)";
  private static final Pattern DASHED =
      Pattern.compile(NUMBER + "(?:-" + NUMBER + "(?:-" + NUMBER + ")?)?");
  private static final Pattern PACKED = Pattern.compile("\\s*(\\d{1,4}+)(\\d{1,2}+)(\\d{1,2}+)");
  private static final Pattern WEEK = Pattern.compile(NUMBER + "-W" + NUMBER + "-" + NUMBER);
  private static final Pattern CLOCK =
      Pattern.compile(NUMBER + "(?::" + NUMBER + "(?::" + NUMBER + ")?)?");
  private static final Pattern PACKED_CLOCK =
      Pattern.compile("\\s*(\\d{1,2}+)(?:(\\d{1,2}+)(\\d{1,2}+)?)?");
  private static final Pattern EPOCH = Pattern.compile("(?i)epoch(?:$|[/\\s].*)");
  private static final Pattern DATE_PART = Pattern.compile("[0-9W-]*");

  private final String text;
  private final IsoTime now;

  IsoReader(String text, IsoTime now) {
    this.text = text;
    this.now = now;
  }

  IsoTime read() {
    if (text.isEmpty()) {
      throw new IsoException(DATE, "No ISO 8601 date/time specification given");
    }
    if (text.charAt(0) == 'T') {
      return withTime(now, text.substring(1));
    }
    if (text.length() > 2 && text.charAt(2) == ':') {
      return withTime(now, text);
    }
    if (EPOCH.matcher(text).matches()) {
      return new IsoTime(1970, 1, 0, 0);
    }
    var date = date();
    var end = DATE_PART.matcher(text);
    var at = end.lookingAt() ? end.end() : 0;
    return at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == 'T')
        ? withTime(date, text.substring(at + 1))
        : date;
  }

  private IsoTime date() {
    var dashed = DASHED.matcher(text);
    var parts = dashed.lookingAt() ? parts(dashed) : 0;
    if (parts == 3) {
      return calendar(unsigned(dashed, 1), unsigned(dashed, 2), unsigned(dashed, 3));
    }
    if (parts == 1) {
      var packed = PACKED.matcher(text);
      if (packed.lookingAt()) {
        return calendar(unsigned(packed, 1), unsigned(packed, 2), unsigned(packed, 3));
      }
    }
    if (parts == 2) {
      return ordinal(unsigned(dashed, 1), unsigned(dashed, 2));
    }
    var week = WEEK.matcher(text);
    if (week.lookingAt()) {
      return week(unsigned(week, 1), unsigned(week, 2), unsigned(week, 3));
    }
    throw invalid("");
  }

  private IsoTime calendar(long year, long month, long day) {
    if (month < 1 || month > 12) {
      throw invalid(" because '" + month + "' is not a valid month");
    }
    checkYear(year);
    if (day < 1 || day > YearMonth.of((int) year, (int) month).lengthOfMonth()) {
      throw invalid(" because '" + day + "' is not a valid day of the month");
    }
    return of(LocalDate.of((int) year, (int) month, (int) day));
  }

  private IsoTime ordinal(long year, long day) {
    checkYear(year);
    if (day < 1 || day > IsoTime.daysIn(year)) {
      throw invalid(
          String.format(
              Locale.ROOT,
              " because '%d' is not a valid day of year %d (1-%d)",
              day,
              year,
              IsoTime.daysIn(year)));
    }
    return new IsoTime((int) year, (int) day, 0, 0);
  }

  private IsoTime week(long year, long week, long day) {
    checkYear(year);
    var weeks = IsoFields.WEEK_OF_WEEK_BASED_YEAR.rangeRefinedBy(LocalDate.of((int) year, 6, 1));
    if (week < 1 || week > weeks.getMaximum()) {
      throw invalid(
          String.format(
              Locale.ROOT,
              " because '%d' is not a valid week of year %d (1-%d)",
              week,
              year,
              weeks.getMaximum()));
    }
    if (day < 1 || day > 7) {
      throw invalid(" because '" + day + "' is not a valid day of the week");
    }
    // 4 January is always in the first week
    var first = LocalDate.of((int) year, 1, 4);
    var monday = first.minusDays(first.getDayOfWeek().getValue() - 1L);
    return of(monday.plusDays((week - 1) * 7 + day - 1));
  }

  private void checkYear(long year) {
    if (year < 1 || year > java.time.Year.MAX_VALUE) {
      throw invalid(" because '" + year + "' is not a valid year");
    }
  }

  private static IsoTime of(LocalDate date) {
    return date.getYear() < 1
        ? new IsoTime(1, 1, 0, 0)
        : new IsoTime(date.getYear(), date.getDayOfYear(), 0, 0);
  }

  private IsoTime withTime(IsoTime date, String time) {
    var seconds = clock(time);
    var offset = offset(offsetText(time));
    return seconds == 86_400
        ? new IsoTime(date.year(), date.day(), 0, offset).plusDays(1)
        : new IsoTime(date.year(), date.day(), seconds, offset);
  }

  private static int clock(String time) {
    var clock = CLOCK.matcher(time);
    var parts = clock.lookingAt() ? parts(clock) : 0;
    if (parts == 1) {
      clock = PACKED_CLOCK.matcher(time);
      parts = clock.lookingAt() ? parts(clock) : 0;
    }
    if (parts < 1) {
      throw new IsoException(TIME, "'" + time + "' is not a valid ISO 8601 time specification");
    }
    var hour = unsigned(clock, 1);
    var minute = parts > 1 ? unsigned(clock, 2) : 0;
    var second = parts > 2 ? unsigned(clock, 3) : 0;
    if (hour >= 24 && !(hour == 24 && minute == 0 && second == 0)) {
      throw invalidTime(time, hour, "hour");
    }
    if (minute >= 60) {
      throw invalidTime(time, minute, "minute");
    }
    if (second >= 60) {
      throw invalidTime(time, second, "second");
    }
    return (int) (hour * 3600 + minute * 60 + second);
  }

  private static @Nullable String offsetText(String time) {
    var utc = time.indexOf('Z');
    if (utc >= 0) {
      return "Z";
    }
    for (var at = 0; at < time.length(); at++) {
      var c = time.charAt(at);
      if (c == ' ' || c == '+' || c == '-') {
        return time.substring(at).stripLeading();
      }
    }
    return null;
  }

  private int offset(@Nullable String written) {
    if (written == null) {
      return now.offset();
    }
    if (written.isEmpty() || written.charAt(0) == 'Z') {
      return 0;
    }
    var sign = written.charAt(0);
    if (sign != '+' && sign != '-' && !Numbers.isDigit(sign)) {
      return 0;
    }
    var seconds = clock(Numbers.isDigit(sign) ? written : written.substring(1));
    return sign == '-' ? -seconds : seconds;
  }

  private static int parts(Matcher matcher) {
    var count = 0;
    for (var at = 1; at <= matcher.groupCount() && matcher.group(at) != null; at++) {
      count++;
    }
    return count;
  }

  /// A number as 32 bits without a sign: a negative one becomes absurdly large and is refused as
  /// such.
  private static long unsigned(Matcher matcher, int group) {
    return Numbers.scan(matcher.group(group), 0).value() & 0xFFFF_FFFFL;
  }

  private IsoException invalid(String why) {
    return new IsoException(
        DATE, "'" + text + "' is not a valid ISO 8601 date/time specification" + why);
  }

  private static IsoException invalidTime(String time, long value, String part) {
    return new IsoException(
        TIME,
        time
            + " is not a valid ISO 8601 time specification because "
            + value
            + " is not a valid "
            + part);
  }
}
