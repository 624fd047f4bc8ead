package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// A range of whole numbers, both ends included: `5`, `3-6`, `3-` or `-6`.
///
/// @param low the lowest member, -1 if the range is open below
/// @param high the highest member, -1 if the range is open above
public record Range(long low, long high) {

  /// The range a text stands for, null if it is none.
  public static @Nullable Range parse(String text) {
    var dash = text.indexOf('-');
    var first = dash < 0 ? text : text.substring(0, dash);
    var last = dash < 0 ? first : text.substring(dash + 1);
    if (first.isEmpty() && last.isEmpty()) {
      return null;
    }
    var low = end(first);
    var high = end(last);
    return low == null || high == null ? null : new Range(low, high);
  }

  private static @Nullable Long end(String text) {
    if (text.isEmpty()) {
      return -1L;
    }
    var scan = Numbers.scan(text, -1);
    return scan.valid() && !scan.clipped() && scan.rest().isEmpty() ? scan.value() : null;
  }

  public boolean contains(long value) {
    return !isAbove(value) && !isBelow(value);
  }

  /// Whether the range begins after this value.
  public boolean isAbove(long value) {
    return low != -1 && value < low;
  }

  /// Whether the range ends before this value.
  public boolean isBelow(long value) {
    return high != -1 && value > high;
  }
}
