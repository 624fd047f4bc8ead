package org.systole.common.alerts;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Times as `strftime(3)` of the C library formats them in the C locale, with its flags, widths and
/// modifiers, and `%N` for the fraction of a second: `%6N` or `%06N` for microseconds.
final class TimeFormat {
  private static final int DIGITS = 9;
  private static final int WIDTH_MAX = 100; // a format must not make a text of any length
  private static final String FLAGS = "_-0^#";
  private static final String MODIFIERS = "EO"; // the C locale has nothing of its own for them

  private final String format;
  private final ZonedDateTime time;
  private int at;

  private TimeFormat(String format, ZonedDateTime time) {
    this.format = format;
    this.time = time;
  }

  /// What is no conversion stays as it is written.
  static String format(String format, ZonedDateTime time) {
    return new TimeFormat(format, time).all();
  }

  private String all() {
    var out = new StringBuilder();
    while (at < format.length()) {
      var c = format.charAt(at++);
      if (c == '%' && at < format.length()) {
        out.append(conversion());
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private String conversion() {
    var from = at;
    var flag = ' ';
    while (at < format.length() && FLAGS.indexOf(format.charAt(at)) >= 0) {
      flag = format.charAt(at++);
    }
    var width = 0;
    while (at < format.length() && Character.isDigit(format.charAt(at))) {
      width = Math.min(WIDTH_MAX, width * 10 + Character.digit(format.charAt(at++), 10));
    }
    if (at < format.length() && MODIFIERS.indexOf(format.charAt(at)) >= 0) {
      at++;
    }
    var text = at < format.length() ? field(format.charAt(at++), flag, width) : null;
    return text == null ? "%" + format.substring(from, at) : text;
  }

  private @Nullable String field(char name, char flag, int width) {
    if (name == 'N') {
      var digits = width == 0 ? DIGITS : Math.min(width, DIGITS);
      return "%09d".formatted(time.getNano()).substring(0, digits);
    }
    var number = number(name);
    if (number != null) {
      return number.shown(flag, width);
    }
    var text = text(name);
    if (text == null) {
      return null;
    }
    if (flag == '#' && (name == 'p' || name == 'Z')) {
      text = text.toLowerCase(Locale.ROOT);
    } else if (flag == '^' || flag == '#') {
      text = text.toUpperCase(Locale.ROOT);
    }
    return (flag == '0' ? "0" : " ").repeat(Math.max(0, width - text.length())) + text;
  }

  /// A number with the width and the padding it has unless the format says otherwise.
  private record Number(long value, int digits, char padding) {
    String shown(char flag, int width) {
      var text = Long.toString(value);
      var padded = flag == '_' ? ' ' : flag == '0' ? '0' : padding;
      var length = width > 0 ? width : flag == '-' ? 0 : digits;
      return String.valueOf(padded).repeat(Math.max(0, length - text.length())) + text;
    }
  }

  private @Nullable Number number(char name) {
    return switch (name) {
      case 'C' -> zeros(Math.floorDiv(time.getYear(), 100), 2);
      case 'd' -> zeros(time.getDayOfMonth(), 2);
      case 'e' -> blanks(time.getDayOfMonth());
      case 'g' -> zeros(Math.floorMod(time.get(IsoFields.WEEK_BASED_YEAR), 100), 2);
      case 'G' -> zeros(time.get(IsoFields.WEEK_BASED_YEAR), 1);
      case 'H' -> zeros(time.getHour(), 2);
      case 'I' -> zeros(time.get(ChronoField.CLOCK_HOUR_OF_AMPM), 2);
      case 'j' -> zeros(time.getDayOfYear(), 3);
      case 'k' -> blanks(time.getHour());
      case 'l' -> blanks(time.get(ChronoField.CLOCK_HOUR_OF_AMPM));
      case 'm' -> zeros(time.getMonthValue(), 2);
      case 'M' -> zeros(time.getMinute(), 2);
      case 's' -> zeros(time.toEpochSecond(), 1);
      case 'S' -> zeros(time.getSecond(), 2);
      case 'u' -> zeros(time.getDayOfWeek().getValue(), 1);
      case 'U' -> zeros(week(time.getDayOfWeek().getValue() % 7), 2);
      case 'V' -> zeros(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2);
      case 'w' -> zeros(time.getDayOfWeek().getValue() % 7, 1);
      case 'W' -> zeros(week(time.getDayOfWeek().getValue() - 1), 2);
      case 'y' -> zeros(Math.floorMod(time.getYear(), 100), 2);
      case 'Y' -> zeros(time.getYear(), 1);
      default -> null;
    };
  }

  /// The week of the year, counted from the first day of its kind; what is before that is week 0.
  ///
  /// @param daysIn how many days of the week have passed
  private int week(int daysIn) {
    return (time.getDayOfYear() + 6 - daysIn) / 7;
  }

  private static Number zeros(long value, int digits) {
    return new Number(value, digits, '0');
  }

  private static Number blanks(long value) {
    return new Number(value, 2, ' ');
  }

  private @Nullable String text(char name) {
    return switch (name) {
      case 'a' -> named("EEE");
      case 'A' -> named("EEEE");
      case 'b', 'h' -> named("MMM");
      case 'B' -> named("MMMM");
      case 'c' -> format("%a %b %e %H:%M:%S %Y", time);
      case 'D', 'x' -> format("%m/%d/%y", time);
      case 'F' -> format("%Y-%m-%d", time);
      case 'n' -> "\n";
      case 'p' -> time.getHour() < 12 ? "AM" : "PM";
      case 'P' -> time.getHour() < 12 ? "am" : "pm";
      case 'r' -> format("%I:%M:%S %p", time);
      case 'R' -> format("%H:%M", time);
      case 't' -> "\t";
      case 'T', 'X' -> format("%H:%M:%S", time);
      case 'z' -> named("xx");
      case 'Z' -> named("zzz");
      case '%' -> "%";
      default -> null;
    };
  }

  private String named(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time);
  }
}
