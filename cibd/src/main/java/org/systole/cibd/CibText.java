package org.systole.cibd;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The whole CIB as text, made once for each version.
final class CibText {
  private final CibCopy copy;
  private @Nullable Element textOf;
  private String text = "";

  CibText(CibCopy copy) {
    this.copy = copy;
  }

  /// As it is now.
  String whole() {
    var cib = copy.cib();
    if (textOf != cib) {
      text = XmlWriter.compact(cib);
      textOf = cib;
    }
    return text;
  }
}
