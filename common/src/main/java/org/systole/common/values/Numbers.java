package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// Whole numbers as configurations write them: leading space and a sign are allowed, reading stops
/// at the first character that is no digit, and a number too large for 64 bits becomes the nearest
/// bound.
public final class Numbers {
  private static final int PLAIN_MAX = 18; // digits that fit 64 bits whatever they are

  /// @param value the number, `otherwise` if the text holds none
  /// @param valid whether the text began with a number
  /// @param clipped whether the number was outside 64 bits
  /// @param rest what follows the number
  public record Scan(long value, boolean valid, boolean clipped, String rest) {}

  private Numbers() {}

  public static Scan scan(String text, long otherwise) {
    var at = 0;
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    var negative = at < text.length() && text.charAt(at) == '-';
    if (at < text.length() && (negative || text.charAt(at) == '+')) {
      at++;
    }
    var digits = at;
    var value = 0L;
    var clipped = false;
    for (; at < text.length() && isDigit(text.charAt(at)); at++) {
      var digit = text.charAt(at) - '0';
      if (clipped || value < (Long.MIN_VALUE + digit) / 10) {
        clipped = true;
      } else {
        value = value * 10 - digit; // kept negative: the range below zero is the larger one
      }
    }
    if (at == digits) {
      return new Scan(otherwise, false, false, text);
    }
    clipped |= !negative && value == Long.MIN_VALUE;
    var bound = negative ? Long.MIN_VALUE : Long.MAX_VALUE;
    return new Scan(clipped ? bound : negative ? value : -value, true, clipped, text.substring(at));
  }

  /// What a text of nothing but digits says, as nearly all do; -1 for any other, and for many digits.
  private static long digits(String text) {
    if (text.isEmpty() || text.length() > PLAIN_MAX) {
      return -1;
    }
    var value = 0L;
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      if (!isDigit(c)) {
        return -1;
      }
      value = 10 * value + c - '0';
    }
    return value;
  }

  /// The number the text begins with, or `otherwise` if there is no text or no number.
  public static long parse(@Nullable String text, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    var plain = digits(text);
    return plain >= 0 ? plain : scan(text, otherwise).value();
  }

  /// As [#parse(String, long)], bounded to an `int`.
  public static int parseInt(@Nullable String text, int otherwise) {
    return Math.clamp(parse(text, otherwise), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /// The number the text begins with, or `otherwise` if there is none of at most 64 bits.
  public static long whole(@Nullable String text, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    var plain = digits(text);
    if (plain >= 0) {
      return plain;
    }
    var scan = scan(text, otherwise);
    return scan.clipped() ? otherwise : scan.value();
  }

  /// As [#whole], and `otherwise` for what is no `int` either: nothing is bounded.
  public static int integer(@Nullable String text, int otherwise) {
    var value = whole(text, otherwise);
    return value == (int) value ? (int) value : otherwise;
  }

  /// As [#whole], and `otherwise` for what does not fit 32 bits without a sign.
  public static long unsigned(@Nullable String text, long otherwise) {
    var value = whole(text, otherwise);
    return value >= 0 && value <= 0xffff_ffffL ? value : otherwise;
  }

  /// Whether the text begins with a number of at most 64 bits.
  public static boolean isNumber(@Nullable String text) {
    if (text == null) {
      return false;
    }
    var scan = scan(text, 0);
    return scan.valid() && !scan.clipped();
  }

  /// The floating-point number the text begins with, null if there is none.
  public static @Nullable Double parseDouble(@Nullable String text) {
    if (text == null) {
      return null;
    }
    var matcher = DECIMAL.matcher(text);
    if (!matcher.lookingAt()) {
      return null;
    }
    var value = Double.parseDouble(matcher.group(1));
    return Double.isInfinite(value) ? null : value;
  }

  /// The number before a percent sign, null if there is no sign behind it or it is below zero. A sign alone is 0.
  public static @Nullable Double percentage(String text) {
    if (text.startsWith("%")) {
      return 0.0;
    }
    var matcher = DECIMAL.matcher(text);
    if (!matcher.lookingAt() || !text.startsWith("%", matcher.end())) {
      return null;
    }
    var value = Double.parseDouble(matcher.group(1));
    return value >= 0 ? value : null;
  }

  private static final java.util.regex.Pattern DECIMAL =
      java.util.regex.Pattern.compile("\\s*([+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)");

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isSpace(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }
}
