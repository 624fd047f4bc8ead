package org.systole.tools.pacemakerd;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/// This node's claim to a share in the quorum: good for a while after each answer that, together with
/// those of others, carried it.
///
/// The claim runs from the moment the answer was sent, not from the moment the confirmation came, and for
/// less than the time after which others give up on a silent node: so a node that is cut off knows it
/// before anybody acts on it.
final class Lease {
  private static final int KEPT = 64;

  private final Duration length;
  private final Duration token;
  private final TreeMap<Long, Long> answers = new TreeMap<>(); // round -> when answered
  private final Map<Integer, Long> inclusions = new TreeMap<>(); // node -> when it may have gained
  private long until;
  private boolean held;

  Lease(long tokenMillis) {
    token = Duration.ofMillis(tokenMillis);
    length = length(token);
  }

  static Duration length(Duration token) {
    return token.multipliedBy(3).dividedBy(4);
  }

  void answered(long round, long now) {
    answers.put(round, now);
    if (answers.size() > KEPT) {
      answers.pollFirstEntry();
    }
  }

  /// A round ended.
  ///
  /// @param included whether this node's answer was in time
  void confirmed(long round, Collection<Integer> nodes, boolean included, boolean carried, long now) {
    var at = answers.get(round);
    answers.headMap(round, true).clear();
    if (!carried) {
      return;
    }
    var when = at == null ? now : at;
    nodes.forEach(it -> inclusions.put(it, when));
    if (included && at != null) {
      until = at + length.toNanos();
      held = true;
    }
  }

  /// Rounds are counted per membership.
  void newMembership() {
    answers.clear();
  }

  void drop() {
    held = false;
  }

  boolean holds(long now) {
    return held && until - now > 0;
  }

  Duration left(long now) {
    return Duration.ofNanos(Math.max(0, until - now));
  }

  /// How long ago each node may last have gained a lease, as far as this link can tell, in milliseconds.
  ///
  /// @param sameLeader whether the one who asks is the one who confirms; else an answer that was never
  ///     confirmed to this link may have been confirmed to another
  Map<Integer, Long> inclusions(Collection<Integer> members, boolean sameLeader, long now) {
    var ages = new TreeMap<Integer, Long>();
    for (var id : members) {
      var at = inclusions.get(id);
      var open = sameLeader || answers.isEmpty() ? null : answers.lastEntry().getValue();
      if (at == null || (open != null && open - at > 0)) {
        at = open;
      }
      if (at != null && now - at < token.toNanos() * 2) {
        ages.put(id, (now - at) / 1_000_000);
      }
    }
    return ages;
  }
}
