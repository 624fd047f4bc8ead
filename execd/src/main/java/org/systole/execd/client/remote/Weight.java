package org.systole.execd.client.remote;

import org.systole.common.xml.Element;

/// What a message takes in memory, about: much more than its text where it is made of many elements.
public final class Weight {
  /// Of an element, besides its text, in bytes.
  static final long ELEMENT = 64;

  private Weight() {}

  /// In bytes.
  public static long of(Element message) {
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
