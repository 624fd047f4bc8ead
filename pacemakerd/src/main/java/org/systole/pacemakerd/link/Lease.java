package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Inclusion;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// This node's claim to a share in the quorum: good for a while after each answer that, together
/// with those of others, carried it.
///
/// The claim runs from the moment the answer was sent, not from the moment the confirmation came,
/// and for less than the time after which others give up on a silent node: so a node that is cut
/// off knows it before anybody acts on it. It also remembers the claims that others may have
/// gained, for a new leader has to wait them out.
final class Lease {
  private static final int KEPT = 64;

  private record Gain(int nodeId, long at) {}

  private final Duration length;
  private final Duration token;
  private final TreeMap<Long, Long> answers = new TreeMap<>(); // round -> when answered
  private final Map<Address, Gain> gains = new LinkedHashMap<>();
  private long until;
  private boolean held;

  Lease(long tokenMillis) {
    token = Duration.ofMillis(tokenMillis);
    length = length(token);
  }

  static Duration length(Duration token) {
    // Duration's own way is by BigDecimal, whose making costs a starting node 20 ms.
    return Duration.ofNanos(token.toNanos() / 4 * 3);
  }

  void answered(long round, long now) {
    answers.put(round, now);
    if (answers.size() > KEPT) {
      answers.pollFirstEntry();
    }
  }

  /// A round ended.
  ///
  /// @param places the members whose answer was in time
  /// @param included whether this node's was
  void confirmed(
      long round, Collection<Place> places, boolean included, boolean carried, long now) {
    var at = answers.get(round);
    answers.headMap(round, true).clear();
    if (!carried) {
      return;
    }
    gained(places, at == null ? now : at);
    if (included && at != null) {
      until = at + length.toNanos();
      held = true;
    }
  }

  private void gained(Collection<Place> places, long at) {
    places.forEach(it -> gains.put(it.address(), new Gain(it.nodeId(), at)));
  }

  /// The membership ends, and with it the count of its rounds.
  ///
  /// @param members of the old membership
  /// @param sameLeader whether the old membership's leader made the new one; else an answer that
  ///     was never confirmed to this link may have been confirmed to another
  void membershipEnds(Collection<Place> members, boolean sameLeader, long now) {
    if (!sameLeader && !answers.isEmpty()) {
      gained(members, answers.lastEntry().getValue());
    }
    answers.clear();
    gains.values().removeIf(it -> now - it.at > token.toNanos() * 2);
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

  /// Who may have gained a claim how long ago, as far as this link can tell.
  ///
  /// @param sameLeader as for [#membershipEnds]
  List<Inclusion> inclusions(Collection<Place> members, boolean sameLeader, long now) {
    var all = new LinkedHashMap<>(gains);
    if (!sameLeader && !answers.isEmpty()) {
      var open = answers.lastEntry().getValue();
      members.forEach(it -> all.put(it.address(), new Gain(it.nodeId(), open)));
    }
    var inclusions = new ArrayList<Inclusion>();
    all.forEach(
        (address, gain) -> {
          if (now - gain.at < token.toNanos() * 2) {
            inclusions.add(new Inclusion(gain.nodeId, address, (now - gain.at) / 1_000_000));
          }
        });
    return inclusions;
  }
}
