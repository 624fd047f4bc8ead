package org.systole.common.xml;

/// Writes [Element]s as XML text.
public final class XmlWriter {
  private static final char REPLACEMENT = '\uFFFD';
  private static final int ROOM = 1_024;
  private static final int NAME_MAX = 255;
  private static final char ASCII_END = 0x80;

  private XmlWriter() {}

  /// One element a line, two spaces a level, ending in a line feed.
  public static String pretty(Element element) {
    var out = new StringBuilder();
    pretty(element, 0, out);
    return out.toString();
  }

  /// As [#pretty(Element)], the outermost element indented by `depth` levels.
  public static void pretty(Element element, int depth, StringBuilder out) {
    indent(depth, out);
    if (element.isComment()) {
      out.append("<!--").append(element.text()).append("-->\n");
      return;
    }
    open(element, out);
    if (element.childCount() == 0 && element.text() == null) {
      out.append("/>\n");
      return;
    }
    out.append('>');
    if (element.text() != null) {
      escapeText(element.text(), out);
    }
    if (element.childCount() > 0) {
      out.append('\n');
      for (var child : element.children()) {
        pretty(child, depth + 1, out);
      }
      indent(depth, out);
    }
    out.append("</").append(element.name()).append(">\n");
  }

  /// The whole on one line, without a line feed.
  public static String compact(Element element) {
    var known = ParsedTexts.ofThisThread();
    var before = known == null ? null : known.text(element);
    if (before != null) {
      return before;
    }
    var quick = new AsciiXml();
    var bare = quick.write(element);
    var text = quick.text();
    if (text == null) {
      var out = new StringBuilder(ROOM);
      bare = compactly(element, out);
      text = out.toString();
    }
    if (known != null) {
      known.written(element, text, bare && text.indexOf(REPLACEMENT) < 0);
    }
    return text;
  }

  public static void compact(Element element, StringBuilder out) {
    compactly(element, out);
  }

  /// Returns whether there are only elements and attributes, no text and no comment.
  private static boolean compactly(Element element, StringBuilder out) {
    if (element.isComment()) {
      out.append("<!--").append(element.text()).append("-->");
      return false;
    }
    open(element, out);
    var bare = element.text() == null;
    if (element.childCount() == 0 && bare) {
      out.append("/>");
      return true;
    }
    out.append('>');
    if (element.text() != null) {
      escapeText(element.text(), out);
    }
    for (var at = 0; at < element.childCount(); at++) {
      bare &= compactly(element.child(at), out);
    }
    out.append("</").append(element.name()).append('>');
    return bare;
  }

  /// How many bytes [#compact(Element)] makes of an element besides those of its children, in UTF-8.
  static long lengthWithoutChildren(Element element) {
    var text = element.text();
    if (element.isComment()) {
      return "<!---->".length() + (text == null ? "null".length() : utf8Length(text));
    }
    var name = utf8Length(element.name());
    var length = "<".length() + name;
    for (var at = 0; at < element.attributeCount(); at++) {
      length += " =\"\"".length() + utf8Length(element.attributeName(at));
      length += escapedLength(element.attributeValue(at), true);
    }
    if (element.childCount() == 0 && text == null) {
      return length + "/>".length();
    }
    return length + "></>".length() + name + (text == null ? 0 : escapedLength(text, false));
  }

  /// As [#lengthWithoutChildren], if each character needs one byte: it is that much or longer. Of an element without text.
  static long leastLength(Element element) {
    var name = element.name().length();
    long length = "<".length() + name;
    for (var at = 0; at < element.attributeCount(); at++) {
      length += " =\"\"".length() + element.attributeName(at).length() + element.attributeValue(at).length();
    }
    return length + (element.childCount() == 0 ? "/>".length() : "></>".length() + name);
  }

  /// Counts what the escaping methods make, which may be six times as long as the value.
  private static long escapedLength(String value, boolean attribute) {
    if (isPlain(value, ASCII_END)) {
      return value.length();
    }
    var length = utf8Length(value);
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      switch (c) {
        case '<', '>' -> length += "&lt;".length() - 1;
        case '&' -> length += "&amp;".length() - 1;
        case '"' -> length += attribute ? "&quot;".length() - 1 : 0;
        case '\n', '\t' -> length += attribute ? "&#x0A;".length() - 1 : 0;
        case '\r' -> length += "&#x0D;".length() - 1;
        default -> length += isSayable(value, at) ? 0 : replacementGrowth(c);
      }
    }
    return length;
  }

  private static int replacementGrowth(char c) {
    return c < ' ' ? 2 : Character.isSurrogate(c) ? 1 : 0; // a replacement character has three bytes
  }

  private static long utf8Length(CharSequence text) {
    long length = text.length();
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      length += c < ASCII_END ? 0 : c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
    }
    return length;
  }

  /// A text as whoever reads it again has it: what XML cannot say is replaced. For what is compared with
  /// what was read elsewhere.
  public static String sayable(String text) {
    for (var at = 0; at < text.length(); at++) {
      if (text.charAt(at) != '\r' && !isSayable(text, at)) {
        var clean = new StringBuilder(text.substring(0, at));
        for (var rest = at; rest < text.length(); rest++) {
          var c = text.charAt(rest);
          clean.append(c == '\r' || isSayable(text, rest) ? c : REPLACEMENT);
        }
        return clean.toString();
      }
    }
    return text;
  }

  /// Whether a name that somebody has chosen can be an attribute's, which every parser takes as that and nothing else.
  public static boolean isPlainName(String name) {
    return !name.isEmpty()
        && name.length() <= NAME_MAX
        && isLetter(name.charAt(0))
        && !name.equals("xmlns")
        && name.chars().allMatch(it -> isLetter(it) || it >= '0' && it <= '9' || it == '-' || it == '.');
  }

  private static boolean isLetter(int c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
  }

  private static void indent(int depth, StringBuilder out) {
    out.repeat("  ", depth);
  }

  private static void open(Element element, StringBuilder out) {
    out.append('<').append(element.name());
    for (var at = 0; at < element.attributeCount(); at++) {
      out.append(' ').append(element.attributeName(at)).append("=\"");
      escapeAttribute(element.attributeValue(at), out);
      out.append('"');
    }
  }

  /// What XML has no way to say, such as most control characters, becomes a replacement character:
  /// whatever a program wrote, the document stays one.
  public static void escapeAttribute(String value, StringBuilder out) {
    if (isPlain(value, Character.MIN_SURROGATE)) {
      out.append(value);
      return;
    }
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        case '\n' -> out.append("&#x0A;");
        case '\t' -> out.append("&#x09;");
        case '\r' -> out.append("&#x0D;");
        default -> out.append(isSayable(value, at) ? c : REPLACEMENT);
      }
    }
  }

  /// Whether XML has a way to say a character: not for most control characters, nor for half of a pair.
  public static boolean isSayable(CharSequence value, int at) {
    var c = value.charAt(at);
    if (c < Character.MIN_SURROGATE) {
      return c >= ' ' || c == '\t' || c == '\n';
    }
    if (Character.isHighSurrogate(c)) {
      return at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1));
    }
    if (Character.isLowSurrogate(c)) {
      return at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
    }
    return c != '\uFFFE' && c != '\uFFFF';
  }

  /// Whether there are only characters that are surely read as they were written, as a value.
  static boolean isKept(String value) {
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      if (c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= Character.MIN_SURROGATE) {
        return false;
      }
    }
    return true;
  }

  /// Whether nothing has to be escaped, and no character is `end` or above.
  private static boolean isPlain(String value, char end) {
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      if (c < ' ' || c == '<' || c == '>' || c == '&' || c == '"' || c >= end) {
        return false;
      }
    }
    return true;
  }

  public static void escapeText(String value, StringBuilder out) {
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '\r' -> out.append("&#x0D;");
        default -> out.append(isSayable(value, at) ? c : REPLACEMENT);
      }
    }
  }
}
