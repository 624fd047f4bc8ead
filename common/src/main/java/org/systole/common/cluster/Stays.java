package org.systole.common.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// When each node's present stay among the members began, or its last one, as far as this process
/// has seen it. A stay is named by the number of the membership it began with.
///
/// What is known of a node holds for one of its stays. A node that left and is back is another one:
/// what was done to it before says nothing about what it does now.
///
/// Sides of a cluster that is cut apart number their memberships without knowing of each other. Who
/// comes back from one to the other has missed what was there: it knows nothing of those who are
/// not there now.
///
/// Lives on the daemon's loop.
public final class Stays {
  private static final long UNKNOWN = Long.MAX_VALUE;
  private static final Membership NONE = new Membership(0, List.of(), false);

  private final Map<NodeId, Long> since = new TreeMap<>();
  private Membership last = NONE;
  private long first;
  private long number;
  private @Nullable NodeId localId;

  /// Says which node this process is on. It has to be told before the first membership.
  public void localNode(NodeId nodeId) {
    localId = nodeId;
  }

  /// Takes over a membership.
  public void membership(Membership membership) {
    var begins = first == 0;
    if (begins || isCutOff(membership)) {
      first = membership.number();
      since.keySet().removeIf(id -> membership.byId(id) == null);
    }
    number = Math.max(number, membership.number());
    for (var member : membership.members()) {
      var stayed = begins || isPresent(member.id());
      // of two sides that meet again, a node of the other one may have kept its number
      var from = stayed ? member.sinceNumber() : Math.max(member.sinceNumber(), number);
      since.merge(member.id(), from, Math::max);
    }
    last = membership;
  }

  /// Only a node that has been cut off itself hears of a new stay of its own in two memberships one
  /// after the other. Another node whose process was replaced at once says nothing of the kind: this
  /// one has missed no membership.
  private boolean isCutOff(Membership now) {
    if (localId == null) {
      return false;
    }
    var before = last.byId(localId);
    var self = now.byId(localId);
    return before != null && self != null && before.sinceNumber() != self.sinceNumber();
  }

  /// Memberships may have been missed: nothing is known of those who are not seen from now on.
  public void lost() {
    since.clear();
    last = NONE;
    first = 0;
  }

  /// The number of the present membership, 0 before the first.
  public long number() {
    return number;
  }

  /// The number of the membership since which none was missed, 0 before the first.
  public long first() {
    return first;
  }

  public boolean isPresent(NodeId nodeId) {
    return last.byId(nodeId) != null;
  }

  /// The stay of a node: the present one, or the last one if it is gone. For a node that was never
  /// seen it is the latest that could have been missed.
  public long of(NodeId nodeId) {
    return since.getOrDefault(nodeId, first == 0 ? UNKNOWN : first);
  }

  /// Whether a node has begun its present stay after a membership.
  public boolean isBackSince(NodeId nodeId, long membership) {
    return isPresent(nodeId) && of(nodeId) > membership;
  }
}
