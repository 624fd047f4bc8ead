package org.systole.common.values;

/// Text that is no ISO 8601 date, time, duration or period. The message says why, in one line.
public final class IsoException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String step;

  /// @param step what was being read, by the name under which commands report it
  IsoException(String step, String message) {
    super(message);
    this.step = step;
  }

  public String step() {
    return step;
  }
}
