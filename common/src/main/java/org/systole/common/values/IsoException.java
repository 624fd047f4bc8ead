package org.systole.common.values;

/// Text that is no ISO 8601 date, time, duration or period. The message says why, in one line.
public final class IsoException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public IsoException(String message) {
    super(message);
  }
}
