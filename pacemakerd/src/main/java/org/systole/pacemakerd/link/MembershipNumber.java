package org.systole.pacemakerd.link;

import org.systole.common.values.NodeId;

/// The numbers of memberships: a counter, and in the lower half the id of the node that made it, so
/// that two nodes never make the same one.
///
/// The maker is told by its node id and not by its place in the node list: while the lists differ
/// from node to node, two nodes can have one place.
final class MembershipNumber {
  private static final int MAKER_BITS = 32; // an id has 31
  private static final long CUT_OFF = 1L << 31;

  private MembershipNumber() {}

  /// @param counter below 2^31
  static long of(long counter, NodeId nodeId) {
    return counter << MAKER_BITS | nodeId.number();
  }

  /// For the membership of a node that was cut off: the leader's, with who found itself alone.
  static long cutOff(long number, NodeId nodeId) {
    return of(counter(number), nodeId) | CUT_OFF;
  }

  static long counter(long number) {
    return number >> MAKER_BITS;
  }

  /// The least a number made with this counter can be.
  static long least(long counter) {
    return counter << MAKER_BITS;
  }

  /// For logs: the counter and the maker's id, with a mark if it was cut off.
  static String text(long number) {
    var maker = number & (CUT_OFF - 1);
    return counter(number) + "." + maker + ((number & CUT_OFF) == 0 ? "" : " (alone)");
  }
}
