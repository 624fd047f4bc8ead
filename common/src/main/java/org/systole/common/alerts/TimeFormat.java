package org.systole.common.alerts;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Times as `date(1)` formats them, with `%N` for the fraction of a second: `%6N` or `%06N` for
/// microseconds.
final class TimeFormat {
  private static final int DIGITS = 9;

  private TimeFormat() {}

  static String format(String format, ZonedDateTime time) {
    var out = new StringBuilder();
    var at = 0;
    while (at < format.length()) {
      var c = format.charAt(at++);
      if (c != '%' || at == format.length()) {
        out.append(c);
        continue;
      }
      var from = at;
      while (at < format.length() && Character.isDigit(format.charAt(at))) {
        at++;
      }
      var width = at > from ? Integer.parseInt(format.substring(from, Math.min(at, from + 4))) : 0;
      if (at == format.length()) {
        out.append('%').append(format, from, at);
      } else {
        out.append(field(format.charAt(at++), width, time));
      }
    }
    return out.toString();
  }

  private static String field(char name, int width, ZonedDateTime time) {
    return switch (name) {
      case 'N' -> {
        var nanos = "%09d".formatted(time.getNano());
        yield nanos.substring(0, width == 0 ? DIGITS : Math.min(width, DIGITS));
      }
      case 's' -> String.valueOf(time.toEpochSecond());
      case '%' -> "%";
      case 'n' -> "\n";
      case 't' -> "\t";
      default -> {
        var pattern = pattern(name);
        yield pattern.isEmpty()
            ? "%" + name
            : DateTimeFormatter.ofPattern(pattern, Locale.ROOT).format(time);
      }
    };
  }

  private static String pattern(char name) {
    return switch (name) {
      case 'Y' -> "yyyy";
      case 'y' -> "yy";
      case 'm' -> "MM";
      case 'd' -> "dd";
      case 'j' -> "DDD";
      case 'H' -> "HH";
      case 'I' -> "hh";
      case 'M' -> "mm";
      case 'S' -> "ss";
      case 'p' -> "a";
      case 'a' -> "EEE";
      case 'A' -> "EEEE";
      case 'b', 'h' -> "MMM";
      case 'B' -> "MMMM";
      case 'F' -> "yyyy-MM-dd";
      case 'T' -> "HH:mm:ss";
      case 'R' -> "HH:mm";
      case 'D' -> "MM/dd/yy";
      case 'z' -> "xx";
      case 'Z' -> "zzz";
      default -> "";
    };
  }
}
