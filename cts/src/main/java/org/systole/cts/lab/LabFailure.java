package org.systole.cts.lab;

/// The cluster did not do what it has to; the message says what was to be seen.
final class LabFailure extends AssertionError {
  private static final long serialVersionUID = 1L;

  LabFailure(String message) {
    super(message);
  }

  static void unless(boolean good, String message) {
    if (!good) {
      throw new LabFailure(message);
    }
  }
}
