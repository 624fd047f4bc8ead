package org.systole.common.xml;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes elements as [XmlWriter#compact] does, a good deal quicker, as long as all is ASCII, as nearly
/// all that daemons write is: it looks at a character once, when it copies it.
final class AsciiXml {
  private static final int ROOM = 1_024;
  private static final char END = 0x80;

  private byte[] bytes = new byte[ROOM];
  private int length;
  private boolean failed;

  /// What was written, null if something was not plain.
  @Nullable String text() {
    return failed ? null : new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  /// Returns whether there are only elements and attributes, no text and no comment.
  boolean write(Element element) {
    var text = element.text();
    if (element.isComment()) {
      raw("<!--");
      raw(text == null ? "null" : text);
      raw("-->");
      return false;
    }
    raw('<', element.name());
    for (var at = 0; at < element.attributeCount(); at++) {
      raw(' ', element.attributeName(at));
      value(element.attributeValue(at));
    }
    if (element.childCount() == 0 && text == null) {
      raw("/>");
      return true;
    }
    raw(">");
    if (text != null && !plain(text)) {
      escaped(text, false);
    }
    var bare = text == null;
    for (var at = 0; at < element.childCount() && !failed; at++) {
      bare &= write(element.child(at));
    }
    raw("</");
    raw(element.name());
    raw(">");
    return bare;
  }

  /// The value of an attribute, with what is around it.
  private void value(String value) {
    room(value.length() + 3);
    bytes[length++] = '=';
    bytes[length++] = '"';
    if (!plain(value)) {
      escaped(value, true);
      room(1);
    }
    bytes[length++] = '"';
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }

  /// @return whether nothing in it is something else than ASCII, or to be escaped; else nothing is written
  private boolean plain(String value) {
    room(value.length() + 1);
    var to = bytes;
    var end = length;
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      if (c < ' ' || c >= END || c == '<' || c == '>' || c == '&' || c == '"') {
        return false;
      }
      to[end++] = (byte) c;
    }
    length = end;
    return true;
  }

  private void escaped(String value, boolean attribute) {
    var out = new StringBuilder(value.length() + ROOM);
    if (attribute) {
      XmlWriter.escapeAttribute(value, out);
    } else {
      XmlWriter.escapeText(value, out);
    }
    raw(out.toString());
  }

  private void raw(char before, String value) {
    room(value.length() + 1);
    bytes[length++] = (byte) before;
    raw(value);
  }

  /// As it is.
  private void raw(String value) {
    room(value.length());
    var to = bytes;
    var end = length;
    var all = 0;
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      all |= c;
      to[end++] = (byte) c;
    }
    failed |= all >= END;
    length = end;
  }
}
