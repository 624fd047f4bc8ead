package org.systole.controld.proxy;

import org.systole.common.xml.Element;

/// What a message takes in memory, about: much more than its text where it is made of many elements.
final class Weight {
  /// Of an element, besides its text, in bytes.
  static final long ELEMENT = 64;

  private Weight() {}

  static long of(Element message) {
    return message.textLength() + ELEMENT * count(message);
  }

  private static long count(Element element) {
    var count = 1L;
    for (var at = 0; at < element.childCount(); at++) {
      count += count(element.child(at));
    }
    return count;
  }
}
