package org.systole.common.cib;

/// How much work the XPaths of one request may be, all of them together.
final class XPathWork {
  private static final long MAX = 4_000_000; // nodes looked at, about a second

  private long left = MAX;

  /// @throws XPathTree.TooMuchWork once it is too much
  void done(long nodes) {
    left -= nodes;
    if (left < 0) {
      throw new XPathTree.TooMuchWork();
    }
  }
}
