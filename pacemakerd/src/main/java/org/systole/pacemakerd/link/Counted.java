package org.systole.pacemakerd.link;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// Nodes whose votes count, where `last_man_standing` has left others out.
///
/// @param since rises with each change: the number of the membership that made it, and which of its
///     changes it was
/// @param nodes sorted; null for all of the configuration
record Counted(long since, @Nullable List<NodeId> nodes) {
  private static final int STEPS = 64; // of a membership
  private static final long EXACT_MAX = 32_000_000; // memberships up to this have numbers of their own for their changes
  private static final int SPREAD_BITS = 20;
  private static final long SINCE_MAX = 8_999_999_999_999_999_999L; // that the file may say

  Counted {
    if (since < 0 || since > SINCE_MAX || nodes != null && nodes.isEmpty()) {
      throw new IllegalArgumentException("no change of whose votes count: " + since + " " + nodes);
    }
  }

  /// A change that a membership makes to what its members know. Two memberships never give one number to two changes: where
  /// theirs are too large, or somebody knows of a larger one, they go on from that by steps of their own.
  static Counted by(long membership, Electorate known, @Nullable List<NodeId> nodes) {
    var newest = known.newest();
    var own = MembershipNumber.counter(membership) <= EXACT_MAX ? membership * STEPS : 0;
    if (own > newest) {
      return new Counted(own, nodes);
    }
    var isOfThis = own > 0 && newest - own < STEPS;
    return after(newest + (isOfThis ? 0 : stepsOf(membership)), nodes);
  }

  /// A change after one with this number. Where somebody has made up the last number there is none, and nothing changes any more.
  static Counted after(long since, @Nullable List<NodeId> nodes) {
    return new Counted(Math.min(SINCE_MAX, since + 1), nodes);
  }

  private static long stepsOf(long membership) {
    return membership * 0x9E37_79B9_7F4A_7C15L >>> Long.SIZE - SPREAD_BITS;
  }
}
