package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels.Address;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// The processes that are known to have ended: their leases need not be waited for.
///
/// A transport can be wrong about an end, as behind a firewall that begins to refuse connections. A
/// process that is heard of after that lives, and what was seen longer ago than a claim lasts tells
/// nobody anything new.
final class EndedPeers {
  private static final int MAX = 256;

  private final LinkedHashMap<Address, Long> ended = new LinkedHashMap<>();

  void ended(Address peer, long now) {
    ended.put(peer, now);
    if (ended.size() > MAX) {
      ended.pollFirstEntry();
    }
  }

  /// The process is in a new view.
  void present(Collection<Address> members) {
    members.forEach(ended::remove);
  }

  /// A message came. One that was under way when the process ended does not count.
  ///
  /// @param underWay how long that can take
  void heard(Address peer, long now, Duration underWay) {
    var at = ended.get(peer);
    if (at != null && now - at > underWay.toNanos()) {
      ended.remove(peer);
    }
  }

  /// Members have answered the same ping as this one: at most a round before it did.
  ///
  /// @param at when this one answered; null if it did not, or not in time
  void answered(Collection<Place> places, @Nullable Long at, Duration round) {
    if (at != null) {
      places.forEach(it -> heard(it.address(), at, round));
    }
  }

  boolean contains(Address peer) {
    return ended.containsKey(peer);
  }

  /// @param within how long ago at most
  List<Address> recent(long now, Duration within) {
    return ended.entrySet().stream()
        .filter(it -> now - it.getValue() <= within.toNanos())
        .map(Map.Entry::getKey)
        .toList();
  }
}
