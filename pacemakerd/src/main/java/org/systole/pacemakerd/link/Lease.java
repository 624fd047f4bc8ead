package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Inclusion;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// This node's claim to a share in the quorum: good for a while after each answer that, together
/// with those of others, carried it. [LinkTiming] says why that is safe.
///
/// The claim runs from the moment the answer was sent, not from the moment the confirmation came.
/// It also remembers the claims that others may have gained, for a new leader has to wait them out.
/// Times are of a clock that goes on while the machine is suspended.
final class Lease {
  private static final int KEPT = 64;

  /// @param until when it is no longer valid, whichever member gave it
  private record Gain(NodeId nodeId, long until) {}

  private final TreeMap<Long, Long> answers = new TreeMap<>(); // round -> when answered
  private final Map<Address, Gain> gains = new LinkedHashMap<>();
  private long until;
  private boolean held;

  void answered(long round, long now) {
    answers.put(round, now);
    if (answers.size() > KEPT) {
      answers.pollFirstEntry();
    }
  }

  /// When a round was answered that is not known to have ended; null if it was not.
  @Nullable Long answeredAt(long round) {
    return answers.get(round);
  }

  /// A round ended.
  ///
  /// @param places the members whose answer was in time
  /// @param included whether this node's was
  void confirmed(
      long round,
      Collection<Place> places,
      boolean included,
      boolean carried,
      LinkTiming timing,
      long now) {
    var at = answers.get(round);
    answers.headMap(round, true).clear();
    if (!carried) {
      return;
    }
    gained(places, at == null ? now : at, timing, gains);
    if (included && at != null) {
      until = at + timing.lease().toNanos();
      held = true;
    }
  }

  private static void gained(
      Collection<Place> places, long at, LinkTiming timing, Map<Address, Gain> to) {
    for (var it : places) {
      to.merge(
          it.address(),
          new Gain(it.nodeId(), at + timing.claim().toNanos()),
          (one, other) -> other.until - one.until > 0 ? other : one);
    }
  }

  /// A membership ends, and with it the count of its rounds.
  ///
  /// @param sameLeader whether its leader makes the next one; else an answer that was never
  ///     confirmed to this link may have been confirmed to another
  void membershipEnds(Epoch epoch, boolean sameLeader, long now) {
    if (!sameLeader && !answers.isEmpty()) {
      gained(epoch.members(), answers.lastEntry().getValue(), epoch.timing(), gains);
    }
    answers.clear();
    gains.values().removeIf(it -> now - it.until >= 0);
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

  /// The processes that may have gained a claim that may still be valid, as far as this link can
  /// tell.
  ///
  /// @param sameLeader as for [#membershipEnds]
  List<Inclusion> inclusions(Epoch epoch, boolean sameLeader, long now) {
    var all = new LinkedHashMap<>(gains);
    if (!sameLeader && !answers.isEmpty()) {
      gained(epoch.members(), answers.lastEntry().getValue(), epoch.timing(), all);
    }
    var inclusions = new ArrayList<Inclusion>();
    all.forEach(
        (address, gain) -> {
          if (gain.until - now > 0) {
            inclusions.add(
                new Inclusion(gain.nodeId, address, Math.ceilDiv(gain.until - now, 1_000_000L)));
          }
        });
    return inclusions;
  }
}
