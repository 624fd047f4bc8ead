package org.systole.common.cluster;

import org.systole.common.values.NodeId;

/// The numbers of takeovers, of the CIB's primary as terms and of the DC as epochs: a counter in the
/// upper half, the node's id in the lower, so that no two nodes ever take over with the same number,
/// whatever each knows of the others.
public final class Terms {
  /// More takeovers than a cluster has had while a node was away: one each second for half a year.
  private static final long UNKNOWN_MAX = 1 << 24;

  private Terms() {}

  public static long of(long counter, NodeId node) {
    return counter << Integer.SIZE | Integer.toUnsignedLong(node.number());
  }

  /// How many takeovers came before it.
  public static long counter(long term) {
    return term >> Integer.SIZE;
  }

  /// One that is later than a number of takeovers after `term`.
  public static long after(long term, long takeovers) {
    return counter(term) + takeovers << Integer.SIZE;
  }

  /// Whether a peer can have such a term, as far as this node knows. One that is made up, or damaged,
  /// would be counted on from by all nodes and kept on their disks, until the counter's end is reached:
  /// no takeover is the latest then, and each is followed by another.
  ///
  /// @param known the latest that this node has heard of
  public static boolean isPlausible(long term, long known) {
    return term >= 0 && counter(term) - counter(Math.max(known, 0)) <= UNKNOWN_MAX;
  }
}
