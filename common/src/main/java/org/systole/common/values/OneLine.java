package org.systole.common.values;

/// Text of programs and people that is kept and shown to others: of one line, and of no more than so many
/// characters.
public final class OneLine {
  private static final int REPLACEMENT = 0xFFFD;

  private OneLine() {}

  /// The text with a blank for what would control a terminal or begin a line, cut between characters.
  ///
  /// @param max how many units of UTF-16 it can have
  public static String of(String text, int max) {
    var line = new StringBuilder();
    var blank = false;
    for (var at = 0; at < text.length(); ) {
      var c = text.codePointAt(at);
      at += Character.charCount(c);
      if (isControl(c)) {
        blank = true;
        continue;
      }
      if (blank && !line.isEmpty()) {
        line.append(' ');
      }
      blank = false;
      var half = Character.getType(c) == Character.SURROGATE; // no text in XML, and no character
      line.appendCodePoint(half ? REPLACEMENT : c);
      if (line.length() > max) {
        break;
      }
    }
    return cut(line.toString().strip(), max);
  }

  private static boolean isControl(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      default -> c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069; // turn the direction of what follows
    };
  }

  private static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    return text.substring(0, max > 0 && Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max);
  }
}
