package org.systole.common.cib;

/// How much work the XPaths of one request may be, all of them together.
final class XPathWork {
  /// Thrown through Jaxen, which knows nothing of limits.
  static final class TooMuch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooMuch() {
      super("too much work", null, false, false);
    }
  }

  private static final long MAX = 4_000_000; // nodes looked at, about a second

  private long left = MAX;

  /// @throws TooMuch once it is too much
  void done(long nodes) {
    left -= nodes;
    if (left < 0) {
      throw new TooMuch();
    }
  }
}
