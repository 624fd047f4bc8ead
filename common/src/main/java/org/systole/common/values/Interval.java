package org.systole.common.values;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Intervals and timeouts: a number with a unit (`10s`, `1min`, `500ms`, `2h`; seconds if there is
/// none) or an ISO 8601 duration (`PT5M`). All values are in milliseconds.
public final class Interval {
  /// The longest interval, about 49 days.
  public static final long MAX_MS = 0xFFFF_FFFFL;

  private Interval() {}

  /// The milliseconds a number with a unit stands for, null if the text is none. May be negative,
  /// and is cut off at 64 bits. Fractions are dropped.
  public static @Nullable Long readMs(String text) {
    var scan = Numbers.scan(text, 0);
    if (!scan.valid()) {
      return null;
    }
    var rest = scan.rest();
    var at = 0;
    while (at < rest.length() && (Numbers.isDigit(rest.charAt(at)) || rest.charAt(at) == '.')) {
      at++;
    }
    while (at < rest.length() && Numbers.isSpace(rest.charAt(at))) {
      at++;
    }
    var microseconds = unit(rest.substring(at).toLowerCase(Locale.ROOT));
    if (microseconds == 0) {
      return null;
    }
    var factor = Math.max(microseconds / 1000, 1);
    var divisor = microseconds < 1000 ? 1000 / microseconds : 1;
    if (scan.value() > Long.MAX_VALUE / factor) {
      return Long.MAX_VALUE;
    }
    return scan.value() < Long.MIN_VALUE / factor
        ? Long.MIN_VALUE
        : scan.value() * factor / divisor;
  }

  /// Microseconds in a unit, 0 if it is not known. Only the beginning counts, as users rely on it
  /// (`minutes`, `seconds`, `hours`).
  private static long unit(String name) {
    if (name.isEmpty() || name.startsWith("s")) {
      return 1_000_000;
    }
    if (name.startsWith("ms")) {
      return 1_000;
    }
    if (name.startsWith("us")) {
      return 1;
    }
    if (name.startsWith("m")) {
      return 60_000_000;
    }
    return name.startsWith("h") ? 3_600_000_000L : 0;
  }

  /// The interval a text stands for, cut off at [#MAX_MS]; null if it is invalid or negative.
  public static @Nullable Long read(String text) {
    Long ms;
    if (text.startsWith("P")) {
      try {
        ms = Math.min(IsoDuration.parse(text).toSeconds(), MAX_MS / 1000) * 1000;
      } catch (IsoException e) {
        return null;
      }
    } else {
      ms = readMs(text);
    }
    return ms == null || ms < 0 ? null : Long.valueOf(Math.min(ms, MAX_MS));
  }

  /// The interval a text stands for, 0 if there is none or it is invalid.
  public static long parse(@Nullable String text) {
    return parse(text, 0);
  }

  public static long parse(@Nullable String text, long otherwise) {
    var ms = text == null ? null : read(text);
    return ms != null ? ms : otherwise;
  }

  /// For people, in the form of `1d2h3m4.500s`, `20ms` or `0s`.
  public static String format(long ms) {
    if (ms == 0) {
      return "0s";
    }
    var out = new StringBuilder();
    var left = unit(ms, 86_400_000, "d", out);
    left = unit(left, 3_600_000, "h", out);
    left = unit(left, 60_000, "m", out);
    if (left >= 1000) {
      out.append(left / 1000);
      if (left % 1000 > 0) {
        out.append(String.format(Locale.ROOT, ".%03d", left % 1000));
      }
      out.append('s');
    } else if (left > 0) {
      out.append(left).append("ms");
    }
    return out.toString();
  }

  private static long unit(long ms, long size, String name, StringBuilder out) {
    if (ms >= size) {
      out.append(ms / size).append(name);
    }
    return ms % size;
  }
}
