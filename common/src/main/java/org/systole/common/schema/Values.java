package org.systole.common.schema;

import org.jspecify.annotations.Nullable;

/// The data types of attributes.
final class Values {
  /// Longer numbers are refused, whatever their value.
  private static final int DIGITS_MAX = 24;

  private Values() {}

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }

  static String trim(String value) {
    var from = 0;
    var to = value.length();
    while (from < to && isSpace(value.charAt(from))) {
      from++;
    }
    while (to > from && isSpace(value.charAt(to - 1))) {
      to--;
    }
    return value.substring(from, to);
  }

  /// Without white space at the ends, and with one space for each run of it inside.
  static String collapse(String value) {
    var trimmed = trim(value);
    for (var at = 0; at < trimmed.length(); at++) {
      if (isSpace(trimmed.charAt(at))) {
        return trimmed.replaceAll("[ \t\n\r]+", " ");
      }
    }
    return trimmed;
  }

  /// Whether it is a name of XML without colon, as ids are.
  static boolean isName(String value) {
    for (var at = 0; at < value.length(); ) {
      var c = value.codePointAt(at);
      if (at == 0 ? !isNameStart(c) : !isNamePart(c)) {
        return false;
      }
      at += Character.charCount(c);
    }
    return !value.isEmpty();
  }

  private static boolean isNameStart(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '_'
        || c > 127 && NameChars.start(c);
  }

  private static boolean isNamePart(int c) {
    return isNameStart(c)
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '.'
        || c > 127 && NameChars.part(c);
  }

  static boolean isBoolean(String value) {
    return switch (value) {
      case "true", "false", "0", "1" -> true;
      default -> false;
    };
  }

  static boolean isScore(String value) {
    return switch (collapse(value)) {
      case "INFINITY", "+INFINITY", "-INFINITY" -> true;
      default -> isInteger(value, null, null);
    };
  }

  static boolean isInteger(String value, @Nullable Integer least, @Nullable Integer most) {
    var text = trim(value);
    var signed = text.startsWith("-") || text.startsWith("+");
    var digits = signed ? text.substring(1) : text;
    for (var at = 0; at < digits.length(); at++) {
      if (digits.charAt(at) < '0' || digits.charAt(at) > '9') {
        return false;
      }
    }
    if (digits.isEmpty()) {
      return false;
    }
    var from = 0;
    while (from < digits.length() && digits.charAt(from) == '0') {
      from++;
    }
    var size = digits.length() - from;
    if (size > DIGITS_MAX) {
      return false;
    }
    var zero = size == 0;
    var negative = text.startsWith("-") && !zero;
    if (least != null && (negative || zero && least > 0)) {
      return false;
    }
    return most == null || size <= 1 && (zero ? 0 : digits.charAt(from) - '0') <= most;
  }

  /// Names of letters, digits, `_`, `.` and `-`, with commas between them.
  static boolean isDeviceList(String value) {
    var inName = false;
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      var name =
          c >= 'a' && c <= 'z'
              || c >= 'A' && c <= 'Z'
              || c >= '0' && c <= '9'
              || c == '_'
              || c == '.'
              || c == '-';
      if (!name && (c != ',' || !inName)) {
        return false;
      }
      inName = name;
    }
    return inName;
  }

  static boolean isPortRange(String value) {
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      if ((c < '0' || c > '9') && c != '-') {
        return false;
      }
    }
    return !value.isEmpty();
  }
}
