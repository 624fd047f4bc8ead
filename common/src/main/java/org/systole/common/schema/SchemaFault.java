package org.systole.common.schema;

import org.systole.common.xml.Element;

/// One thing that keeps a CIB from conforming to its schema.
///
/// @param element where it is
/// @param line the line the element starts on, 0 if unknown
/// @param text what is wrong and what was expected
/// @param dangling whether it is a reference that leads nowhere
public record SchemaFault(Element element, int line, String text, boolean dangling) {
  /// The whole message: line, element, id, what is wrong.
  public String message() {
    return (line > 0 ? "line " + line + ": " : "") + named(element) + ": " + text;
  }

  static String named(Element element) {
    var id = element.id();
    return "<" + element.name() + (id == null ? "" : " id=\"" + id + "\"") + ">";
  }
}
