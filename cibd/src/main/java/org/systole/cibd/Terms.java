package org.systole.cibd;

import org.systole.common.values.NodeId;

/// The numbers of takeovers: a counter in the upper half, the primary's node id in the lower, so
/// that no two nodes ever take over in the same term.
final class Terms {
  private static final int NODE_BITS = 32;

  private Terms() {}

  static long of(long counter, NodeId node) {
    return counter << NODE_BITS | node.number();
  }

  static long counter(long term) {
    return term >> NODE_BITS;
  }

  /// One that is later than a number of takeovers after `term`.
  static long after(long term, long takeovers) {
    return counter(term) + takeovers << NODE_BITS;
  }
}
