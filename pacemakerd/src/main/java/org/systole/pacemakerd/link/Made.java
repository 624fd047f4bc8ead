package org.systole.pacemakerd.link;

import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.world.Channels.Address;

/// The membership that a link, as its leader, has made last.
///
/// @param round the last one before it
/// @param holders who was left out and may still hold a lease, and until when: as long as there is
///     one the members have no quorum
record Made(long round, long at, Map<Address, Long> holders) {
  static final Made NONE = new Made(0, 0, Map.of());

  boolean isHeld() {
    return !holders.isEmpty();
  }

  Made installed(long lastRound, long now) {
    return new Made(lastRound, now, holders);
  }

  /// @param millis for how long each may hold a lease from now
  Made heldFor(Map<Address, Long> millis, long now) {
    var until = new LinkedHashMap<Address, Long>();
    millis.forEach((who, left) -> until.put(who, now + left * 1_000_000));
    return heldBy(until);
  }

  private Made heldBy(Map<Address, Long> others) {
    return new Made(round, at, others);
  }

  /// Leases end.
  Made now(long now) {
    if (holders.isEmpty()) {
      return this;
    }
    var left = new LinkedHashMap<>(holders);
    left.values().removeIf(until -> now - until >= 0);
    return heldBy(left);
  }

  /// A process has ended, or has said that it holds no lease any more.
  Made ended(Address peer) {
    if (!holders.containsKey(peer)) {
      return this;
    }
    var left = new LinkedHashMap<>(holders);
    left.remove(peer);
    return heldBy(left);
  }
}
