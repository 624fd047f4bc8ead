package org.systole.common.xml;

import java.util.Locale;
import java.util.regex.Pattern;

/// How many declarations of namespaces a document may have. At each of them, and at each name, the JDK's
/// parser goes through all that are in force: a document of one megabyte that is made of nothing else
/// would keep it busy for seconds, one of twenty for the better part of an hour. And how many references: of a value that is made
/// of them the parser takes time with their square.
final class NamespaceLimit {
  static final int MAX = 200;
  static final int REFERENCES_MAX = 500_000;

  private static final String WORD = "xmlns";
  private static final int HEAD = 1000;
  private static final Pattern DECLARATION = Pattern.compile("[^<]{0,3}<\\?xml\\s.*", Pattern.DOTALL);
  private static final Pattern ENCODING = Pattern.compile("encoding\\s*=\\s*[\"']([^\"']*)");

  /// Encodings in which ASCII stays what it is, zeros left out: in others nothing could be counted.
  private static final Pattern COUNTABLE =
      Pattern.compile(
          "utf-8|utf-16(le|be)?|(us-)?ascii|iso-8859-\\d+|windows-125\\d|koi8-[ru]|big5|gb[k\\d]+"
              + "|euc-[a-z]{2}|shift_jis");

  private NamespaceLimit() {}

  /// @throws XmlException if there are too many
  static void check(String text) throws XmlException {
    var count = 0;
    for (var at = text.indexOf(WORD); at >= 0; at = text.indexOf(WORD, at + 1)) {
      refuse(++count);
    }
    var references = 0;
    for (var at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
      refuseReference(++references);
    }
  }

  /// @throws XmlException if there are too many, or the encoding is one in which they are not seen
  static void check(byte[] text) throws XmlException {
    var head = new StringBuilder();
    var count = 0;
    var references = 0;
    var matched = 0;
    var inHead = true;
    for (var each : text) {
      if (each == 0) {
        continue; // the other half of an ASCII character
      }
      var c = (char) (each & 0xff);
      if (inHead) {
        head.append(c);
        inHead = c != '>' && head.length() < HEAD;
      }
      if (c == '&') {
        refuseReference(++references);
      }
      matched = c == WORD.charAt(matched) ? matched + 1 : c == WORD.charAt(0) ? 1 : 0;
      if (matched == WORD.length()) {
        matched = 0;
        refuse(++count);
      }
    }
    refuseEncoding(head.toString().toLowerCase(Locale.ROOT));
  }

  private static void refuseEncoding(String head) throws XmlException {
    if (!DECLARATION.matcher(head).matches()) {
      return;
    }
    var named = ENCODING.matcher(head);
    if (!head.endsWith(">") || named.find() && !COUNTABLE.matcher(named.group(1)).matches()) {
      throw new XmlException("the encoding that is declared is not read; use UTF-8", 0);
    }
  }

  private static void refuseReference(int count) throws XmlException {
    if (count > REFERENCES_MAX) {
      throw new XmlException("more than " + REFERENCES_MAX + " references", 0);
    }
  }

  private static void refuse(int count) throws XmlException {
    if (count > MAX) {
      throw new XmlException("more than " + MAX + " namespaces", 0);
    }
  }
}
