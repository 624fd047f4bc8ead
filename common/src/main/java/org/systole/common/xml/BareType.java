package org.systole.common.xml;

/// The document type at the head of a text that only names its DTD and declares nothing itself.
final class BareType {
  private static final String BEGIN = "<!DOCTYPE";

  private BareType() {}

  /// The text without it; the text as it is if there is none, or one that declares something.
  static String without(String text) {
    var begin = afterProlog(text);
    if (!text.startsWith(BEGIN, begin)) {
      return text;
    }
    var end = end(text, begin + BEGIN.length());
    return end < 0 ? text : text.substring(0, begin) + text.substring(end);
  }

  /// Where what comes after the XML declaration, comments and instructions begins.
  private static int afterProlog(String text) {
    var at = 0;
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
        continue;
      }
      var closing = text.startsWith("<?", at) ? "?>" : text.startsWith("<!--", at) ? "-->" : null;
      var closed = closing == null ? -1 : text.indexOf(closing, at + 2);
      if (closing == null || closed < 0) {
        return at;
      }
      at = closed + closing.length();
    }
    return at;
  }

  /// @return -1 if it declares something or does not end
  private static int end(String text, int from) {
    var quote = '\0';
    for (var at = from; at < text.length(); at++) {
      var c = text.charAt(at);
      if (quote != '\0') {
        quote = c == quote ? '\0' : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == '<') {
        return -1;
      } else if (c == '>') {
        return at + 1;
      }
    }
    return -1;
  }
}
