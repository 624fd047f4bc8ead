package org.systole.roles.data;

/// A text that is no JSON object, or more of it than is taken. The message is one line.
public final class JsonFault extends Exception {
  private static final long serialVersionUID = 1;

  JsonFault(String message) {
    super(message);
  }
}
