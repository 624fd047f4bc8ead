package org.systole.scheduler.constraints;

/// POSIX extended regular expressions, as far as they differ from Java's.
final class ExtendedRegex {
  private static final String[][] CLASSES = {
    {"[:alpha:]", "\\p{Alpha}"},
    {"[:digit:]", "\\p{Digit}"},
    {"[:alnum:]", "\\p{Alnum}"},
    {"[:upper:]", "\\p{Upper}"},
    {"[:lower:]", "\\p{Lower}"},
    {"[:space:]", "\\s"},
    {"[:blank:]", "\\p{Blank}"},
    {"[:punct:]", "\\p{Punct}"},
    {"[:print:]", "\\p{Print}"},
    {"[:graph:]", "\\p{Graph}"},
    {"[:cntrl:]", "\\p{Cntrl}"},
    {"[:xdigit:]", "\\p{XDigit}"}
  };

  private ExtendedRegex() {}

  static String toJava(String pattern) {
    var result = pattern;
    for (var entry : CLASSES) {
      result = result.replace(entry[0], entry[1]);
    }
    return result;
  }
}
