package org.systole.common.values;

import java.util.Locale;

/// An ISO 8601 duration such as `P1Y2M3DT4H5M6S`; any part may be negative. Weeks are kept as days,
/// hours and minutes as seconds.
public record IsoDuration(int years, int months, int days, int seconds) {
  private static final String DURATION = "crm_time_parse_duration";
  private static final String PART = "parse_duration_element";

  /// Reads a duration; what follows white space or a slash is not looked at. The order of the parts
  /// is free, and `M` means minutes once a `T` has been seen.
  ///
  /// @throws IsoException if the text does not begin with a duration
  public static IsoDuration parse(String text) {
    if (text.isEmpty()) {
      throw new IsoException(DURATION, "No ISO 8601 time duration given");
    }
    if (text.charAt(0) != 'P') {
      throw bad(DURATION, text, "time duration because it does not start with a 'P'");
    }
    if (text.length() == 1 || Numbers.isSpace(text.charAt(1))) {
      throw bad(DURATION, text, "time duration because nothing follows 'P'");
    }
    return new Reader(text).read();
  }

  private static IsoException bad(String step, String text, String why) {
    return new IsoException(step, "'" + text + "' is not a valid ISO 8601 " + why);
  }

  /// The length in seconds, a year counted as 365 days and a month as 30.
  public long toSeconds() {
    return seconds + 86_400L * (365L * years + 30L * months + days);
  }

  public boolean isNegative() {
    return toSeconds() < 0;
  }

  /// For people: `1 year  2 months  3 days 3725 seconds (1 hour 2 minutes 5 seconds)`.
  @Override
  public String toString() {
    var out = new StringBuilder();
    part(out, 4, years, "year");
    part(out, 2, months, "month");
    part(out, 2, days, "day");
    if (out.isEmpty() || seconds != 0) {
      out.append(seconds).append(" second").append(plural(seconds));
    }
    if (Math.abs((long) seconds) >= 60) {
      out.append(" (").append(clock()).append(')');
    }
    return out.toString();
  }

  private static void part(StringBuilder out, int width, int value, String name) {
    if (value != 0) {
      out.append(String.format(Locale.ROOT, "%" + width + "d %s%s ", value, name, plural(value)));
    }
  }

  private String clock() {
    var left = Math.abs((long) seconds);
    var out = new StringBuilder();
    clockPart(out, left / 3600, "hour", plural(left / 3600));
    clockPart(out, left / 60 % 60, "minute", plural(left / 60 % 60));
    clockPart(out, left % 60, "second", plural(seconds));
    return out.toString();
  }

  private static void clockPart(StringBuilder out, long value, String name, String ending) {
    if (value != 0) {
      out.append(out.isEmpty() ? "" : " ").append(value).append(' ').append(name).append(ending);
    }
  }

  private static String plural(long value) {
    return value == 1 ? "" : "s";
  }

  /// Collects the parts of one text.
  private static final class Reader {
    private final String text;
    private int at = 1;
    private int years;
    private int months;
    private long days;
    private long seconds;
    private boolean any;

    Reader(String text) {
      this.text = text;
    }

    IsoDuration read() {
      var time = false;
      while (at < text.length() && text.charAt(at) != '/' && !Numbers.isSpace(text.charAt(at))) {
        if (text.charAt(at) == 'T') {
          time = true;
          at++;
        } else {
          part(time);
        }
      }
      if (!any) {
        throw bad(DURATION, text, "time duration because no amounts and units given");
      }
      return new IsoDuration(years, months, (int) days, (int) seconds);
    }

    private void part(boolean time) {
      var start = at;
      var value = number();
      if (at == text.length()) {
        throw bad(PART, text, "duration because no units after " + text.substring(start));
      }
      var unit = text.charAt(at++);
      switch (unit) {
        case 'Y' -> years = value;
        case 'M' -> {
          if (time) {
            seconds = bounded(seconds + value * 60L);
          } else {
            months = value;
          }
        }
        case 'W' -> days = bounded(days + value * 7L);
        case 'D' -> days = bounded(days + value);
        case 'H' -> seconds = bounded(seconds + value * 3600L);
        case 'S' -> seconds = bounded(seconds + value);
        default -> throw bad(PART, text, "duration because '" + unit + "' is not a valid time unit");
      }
      any = true;
    }

    private int number() {
      var start = at;
      var sign = text.charAt(at);
      if (sign == '-' || sign == '+' || sign == ':') {
        at++;
      }
      var digits = at;
      var value = 0L;
      while (at < text.length() && at < digits + 10 && Numbers.isDigit(text.charAt(at))) {
        value = value * 10 + text.charAt(at++) - '0';
      }
      if (at == digits || value > Integer.MAX_VALUE) {
        throw bad(PART, text, "duration because no valid integer at '" + text.substring(start) + "'");
      }
      return (int) (sign == '-' ? -value : value);
    }

    private long bounded(long value) {
      if (value != (int) value) {
        throw new IsoException(
            PART,
            "'"
                + text
                + "' could not be parsed as an ISO 8601 duration because the parsed value for one or"
                + " more time units is too large");
      }
      return value;
    }
  }
}
