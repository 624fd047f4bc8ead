package org.systole.common.cluster;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// When each node's present stay among the members began, or its last one, as far as this process
/// has seen it. A stay is named by the number of the membership it began with.
///
/// What is known of a node holds for one of its stays. A node that left and is back is another one:
/// what was done to it before says nothing about what it does now.
///
/// Lives on the daemon's loop.
public final class Stays {
  private static final long UNKNOWN = Long.MAX_VALUE;

  private final Map<Integer, Long> since = new TreeMap<>();
  private final Set<Integer> present = new TreeSet<>();
  private long first;
  private long number;

  /// Takes over a membership.
  public void membership(Membership membership) {
    var begins = first == 0;
    if (begins) {
      first = membership.number();
    }
    number = Math.max(number, membership.number());
    for (var member : membership.members()) {
      var stayed = begins || present.contains(member.id());
      // of two sides that meet again, a node of the other one may have kept its number
      var from = stayed ? member.sinceNumber() : Math.max(member.sinceNumber(), number);
      since.merge(member.id(), from, Math::max);
    }
    present.clear();
    membership.members().forEach(member -> present.add(member.id()));
  }

  /// Memberships may have been missed: nothing is known of those who are not seen from now on.
  public void lost() {
    since.clear();
    present.clear();
    first = 0;
  }

  /// The number of the present membership, 0 before the first.
  public long number() {
    return number;
  }

  public boolean isPresent(int nodeId) {
    return present.contains(nodeId);
  }

  /// The stay of a node: the present one, or the last one if it is gone. For a node that was never
  /// seen it is the latest that could have been missed.
  public long of(int nodeId) {
    return since.getOrDefault(nodeId, first == 0 ? UNKNOWN : first);
  }

  /// Whether a node has begun its present stay after a membership.
  public boolean isBackSince(int nodeId, long membership) {
    return isPresent(nodeId) && of(nodeId) > membership;
  }
}
