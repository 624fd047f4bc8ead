package org.systole.scheduler.unpack;

/// Ids for implicit XML elements.
final class XmlIds {
  private XmlIds() {}

  /// The text with every character that no XML id may have replaced.
  static String valid(String text) {
    var id = new StringBuilder(text);
    for (var at = 0; at < id.length(); at++) {
      var c = id.charAt(at);
      if (at == 0 && !Character.isLetter(c) && c != '_') {
        id.setCharAt(at, '_');
      } else if (!Character.isLetterOrDigit(c) && "-_.:".indexOf(c) < 0) {
        id.setCharAt(at, '.');
      }
    }
    return id.toString();
  }
}
