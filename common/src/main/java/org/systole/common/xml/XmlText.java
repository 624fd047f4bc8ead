package org.systole.common.xml;

import org.jspecify.annotations.Nullable;

/// XML inside a message: an element, or the text of one. What it is not is made when it is asked for, and then
/// kept: an element whose message never becomes bytes is never written. Two are equal if their texts are.
///
/// Safe for use by any number of threads.
public final class XmlText {
  private volatile @Nullable String text;
  private volatile @Nullable Element element;

  private XmlText(@Nullable String text, @Nullable Element element) {
    this.text = text;
    this.element = element;
  }

  /// A text that ought to be XML.
  public static XmlText of(String text) {
    return new XmlText(text, null);
  }

  /// Who asks for the element is given this very one, unless the text says something else.
  public static XmlText of(Element element) {
    return new XmlText(null, element);
  }

  /// The text, in one line if it was made here.
  public String text() {
    var known = text;
    var made = element;
    if (known == null && made != null) {
      known = XmlWriter.compact(made);
      text = known;
    }
    if (known == null) {
      throw new IllegalStateException("neither text nor element");
    }
    return known;
  }

  /// The element; whether it is the very one that was written or one that equals it must not matter.
  ///
  /// @throws XmlException if the text is not one well-formed element, or holds a DTD
  public Element element() throws XmlException {
    var known = element;
    if (known == null || !known.isKept()) {
      known = XmlReader.parseWritten(text());
      element = known;
    }
    return known;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || other instanceof XmlText it && text().equals(it.text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }

  @Override
  public String toString() {
    return text();
  }
}
