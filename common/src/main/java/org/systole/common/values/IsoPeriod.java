package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// A period between two moments, written as `START/END`, `START/DURATION` or `DURATION/END`; a
/// duration alone begins now.
public record IsoPeriod(IsoTime start, IsoTime end) {
  private static final String PERIOD = "parse_period";
  private static final String BOUNDS =
      " is invalid (must be between 0001-01-01T00:00:00 and 9999-12-31T23:59:59)";

  /// @throws IsoException if the text is no period
  public static IsoPeriod parse(String text, IsoTime now) {
    if (text.isEmpty()) {
      throw new IsoException(PERIOD, "No ISO 8601 time period given");
    }
    IsoDuration length = text.charAt(0) == 'P' ? IsoDuration.parse(text) : null;
    IsoTime start = length == null ? IsoTime.parse(text, now) : null;
    IsoTime end = null;
    var slash = text.indexOf('/');
    var rest = slash < 0 ? null : text.substring(slash + 1);
    if (rest == null) {
      if (length == null) {
        throw invalid(text, "it has no duration or ending time");
      }
      start = now;
    } else if (rest.startsWith("P")) {
      if (length != null) {
        throw invalid(text, "it has two durations");
      }
      length = IsoDuration.parse(rest);
    } else {
      end = IsoTime.parse(rest, now);
    }
    return checked(rest, start, length, end);
  }

  private static IsoPeriod checked(
      @Nullable String rest,
      @Nullable IsoTime start,
      @Nullable IsoDuration length,
      @Nullable IsoTime end) {
    if (start == null && end != null && length != null) {
      start = end.minus(length);
    } else if (end == null && start != null && length != null) {
      end = start.plus(length);
    }
    if (start == null || !start.isCommon()) {
      throw invalid(rest == null ? "(null)" : rest, "the start" + BOUNDS);
    }
    if (end == null || !end.isCommon()) {
      throw invalid(rest == null ? "(null)" : rest, "the end" + BOUNDS);
    }
    return new IsoPeriod(start, end);
  }

  private static IsoException invalid(String text, String why) {
    return new IsoException(
        PERIOD, "'" + text + "' is not a valid ISO 8601 time period because " + why);
  }
}
