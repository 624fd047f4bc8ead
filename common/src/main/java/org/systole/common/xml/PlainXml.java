package org.systole.common.xml;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the XML that daemons and commands write, a good deal quicker than the JDK's parser does,
/// whose making alone takes longer than reading a short document.
///
/// What it does not know, from a namespace to a mistake, it leaves to that parser: it answers null.
/// What it reads, the other reads the same way, if it is not too much for that one. All that others can put into an attribute's
/// value, or name a resource's parameters, is read here: the other one takes time with the square of the references in a value.
final class PlainXml {
  static final int DEPTH_MAX = 100; // the JDK's parser takes no more
  private static final int ATTRIBUTES_MAX = 10_000;
  private static final int FEW = 64; // attributes that are gone through for each more
  private static final int NAME_LENGTH_MAX = 1_000; // the JDK's parser takes no more
  private static final int USUAL_NAME = 64;
  private static final int REFERENCE_MAX = 9; // the length of the longest, &#x10FFFF, without its end
  private static final int NAMES = 1 << 10;
  private static final int LAST_OF_TWO_BYTES = 0xFFFD;
  private static final char ASCII_END = 0x80;

  // One string for each of the few names there are, found without making another. Threads may lose
  // each other's entries; what they find is a whole string, which is compared before it is used.
  private static final @Nullable String[] NAMES_MET = new @Nullable String[NAMES];

  private final String text;
  private int at;
  private boolean unknown; // something for the other parser was met

  private PlainXml(String text) {
    this.text = text;
  }

  /// @return null if the text is not plain, well-formed or not
  static @Nullable Element read(String text) {
    var reader = new PlainXml(text);
    reader.space();
    var root = reader.element(0);
    reader.space();
    return reader.unknown || reader.at != text.length() ? null : root;
  }

  private int peek() {
    return at < text.length() ? text.charAt(at) : -1;
  }

  private boolean take(char wanted) {
    if (peek() != wanted) {
      unknown = true;
      return false;
    }
    at++;
    return true;
  }

  private boolean space() {
    var from = at;
    while (isSpace(peek())) {
      at++;
    }
    return at > from;
  }

  private static boolean isSpace(int c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }

  private @Nullable Element element(int depth) {
    if (depth > DEPTH_MAX || !take('<')) {
      unknown = true;
      return null;
    }
    var name = name();
    if (unknown) {
      return null;
    }
    var element = Element.builder(name);
    attributes(element);
    if (unknown) {
      return null;
    }
    if (peek() == '/') {
      at++;
      return take('>') ? element.build() : null;
    }
    return take('>') && content(element, depth) && end(name) ? element.build() : null;
  }

  private static Set<String> names(Element element) {
    var names = new HashSet<String>();
    for (var at = 0; at < element.attributeCount(); at++) {
      names.add(element.attributeName(at));
    }
    return names;
  }

  private boolean end(String name) {
    if (!text.startsWith(name, at)) {
      unknown = true;
      return false;
    }
    at += name.length();
    space();
    return take('>');
  }

  private void attributes(Element.Builder element) {
    Set<String> many = null;
    for (var count = 0; ; count++) {
      var apart = space();
      var next = peek();
      if (next == '>' || next == '/') {
        return;
      }
      var name = name();
      if (count == FEW) {
        many = names(element.build());
      }
      var isSecond = many == null ? element.has(name) : !many.add(name);
      unknown |= !apart || count == ATTRIBUTES_MAX || name.equals("xmlns") || isSecond;
      if (unknown) {
        return;
      }
      space();
      take('=');
      space();
      var value = value();
      if (unknown) {
        return;
      }
      element.another(name, value);
    }
  }

  /// A name of ASCII letters, digits and the like.
  private String name() {
    var from = at;
    var hash = 0;
    while (at < text.length() && isOfName(text.charAt(at), at == from)) {
      hash = 31 * hash + text.charAt(at++);
    }
    var length = at - from;
    if (length == 0 || length > NAME_LENGTH_MAX) {
      unknown = true;
      return "";
    }
    if (length > USUAL_NAME) {
      return text.substring(from, at);
    }
    var place = (hash ^ hash >>> 10) & (NAMES - 1);
    var met = NAMES_MET[place];
    if (met != null && met.length() == length && text.startsWith(met, from)) {
      return met;
    }
    var name = text.substring(from, at).intern();
    NAMES_MET[place] = name;
    return name;
  }

  private static boolean isOfName(char c, boolean first) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c == '_'
        || !first && (c >= '0' && c <= '9' || c == '-' || c == '.');
  }

  private String value() {
    var quote = peek();
    if (quote != '"' && quote != '\'') {
      unknown = true;
      return "";
    }
    at++;
    var from = at;
    var end = text.length();
    while (at < end) {
      var c = text.charAt(at);
      if (c == quote || c == '&' || !isPlain(c)) {
        break;
      }
      at++;
    }
    if (peek() == quote) {
      return text.substring(from, at++);
    }
    var value = new StringBuilder().append(text, from, at);
    while (!unknown && peek() != quote) {
      character(value);
    }
    at++;
    return value.toString();
  }

  private void character(StringBuilder to) {
    var c = peek();
    if (c == '&') {
      reference(to);
    } else if (isPlain(c)) {
      to.append((char) c);
      at++;
    } else if (Character.isHighSurrogate((char) c)
        && at + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(at + 1))) {
      to.append(text, at, at + 2);
      at += 2;
    } else {
      unknown = true;
    }
  }

  /// Characters that stand for themselves, wherever they stand.
  private static boolean isPlain(int c) {
    return c >= ' ' && c < Character.MIN_SURROGATE && c != '<'
        || c > Character.MAX_SURROGATE && c <= LAST_OF_TWO_BYTES;
  }

  private void reference(StringBuilder to) {
    var end = text.indexOf(';', at);
    if (end < 0 || end - at > REFERENCE_MAX) {
      unknown = true;
      return;
    }
    var name = text.substring(at + 1, end);
    switch (name) {
      case "lt" -> to.append('<');
      case "gt" -> to.append('>');
      case "amp" -> to.append('&');
      case "quot" -> to.append('"');
      case "apos" -> to.append('\'');
      case "#x0A" -> to.append('\n');
      case "#x09" -> to.append('\t');
      case "#x0D" -> to.append('\r');
      default -> {
        var number = number(name);
        if (number < 0) {
          unknown = true;
        } else {
          to.appendCodePoint(number);
        }
      }
    }
    at = end + 1;
  }

  /// The character that a reference names by its number, -1 if it names none that a document may have.
  private static int number(String name) {
    var hex = name.startsWith("#x");
    var from = hex ? 2 : 1;
    var radix = hex ? 16 : 10;
    var number = 0;
    for (var at = from; at < name.length(); at++) {
      var c = name.charAt(at);
      var digit = c < ASCII_END ? Character.digit(c, radix) : -1;
      if (digit < 0) {
        return -1;
      }
      number = number * radix + digit; // so few digits that it has room
    }
    return name.length() > from && name.startsWith("#") && isCharacter(number) ? number : -1;
  }

  private static boolean isCharacter(int number) {
    return number == '\n'
        || number == '\t'
        || number == '\r'
        || number >= ' ' && number < Character.MIN_SURROGATE
        || number > Character.MAX_SURROGATE && number <= LAST_OF_TWO_BYTES
        || number > Character.MAX_VALUE && number <= Character.MAX_CODE_POINT;
  }

  /// What is in an element, up to the name in its end tag.
  private boolean content(Element.Builder element, int depth) {
    while (!unknown) {
      var from = at;
      if (space() && peek() != '<') {
        at = from;
      }
      if (peek() != '<') {
        text(element);
      } else if (text.startsWith("</", at)) {
        at += 2;
        return true;
      } else {
        element.add(element(depth + 1));
      }
    }
    return false;
  }

  /// Text is plain if it is all an element holds.
  private void text(Element.Builder element) {
    var content = new StringBuilder();
    while (!unknown && peek() != '<') {
      var c = peek();
      if (c == '\n' || c == '\t') { // they stand for themselves here, unlike in a value
        content.append((char) c);
        at++;
      } else {
        character(content);
      }
    }
    unknown |= !text.startsWith("</", at) || element.hasChildren() || content.isEmpty();
    unknown |= content.indexOf("]]>") >= 0; // an end without a beginning, unless it was written out
    var own = content.toString();
    if (!own.chars().allMatch(PlainXml::isSpace)) {
      element.text(own);
    }
  }
}
