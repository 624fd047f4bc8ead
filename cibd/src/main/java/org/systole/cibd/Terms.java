package org.systole.cibd;

import org.systole.common.values.NodeId;

/// The numbers of takeovers: a counter in the upper half, the primary's node id in the lower, so
/// that no two nodes ever take over in the same term.
final class Terms {
  private static final int NODE_BITS = 32;

  /// More takeovers than a cluster has had while a node was away: one each second for half a year.
  private static final long UNKNOWN_MAX = 1 << 24;

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

  /// Whether a peer can have such a term, or a DC such an epoch, which is made alike, as far as this node knows. One that is made up, or damaged,
  /// would be counted on from by all nodes and kept on their disks, until the counter's end is reached:
  /// no takeover is the latest then, and each is followed by another.
  static boolean isPlausible(long term, long known) {
    return term >= 0 && counter(term) - counter(Math.max(known, 0)) <= UNKNOWN_MAX;
  }
}
