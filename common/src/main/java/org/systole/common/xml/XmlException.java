package org.systole.common.xml;

/// Text that is not well-formed XML, or XML that is refused (a DTD, too deep a nesting).
public final class XmlException extends Exception {
  private final int line;

  /// @param line the line of the fault, counted from 1; 0 if unknown
  public XmlException(String message, int line) {
    super(message);
    this.line = line;
  }

  public int line() {
    return line;
  }
}
