package org.systole.fenced;

import java.time.Duration;
import java.util.function.Predicate;
import org.systole.fenced.client.FenceMessage;

/// How long the parts of a fencing operation may take.
final class FencingTimes {
  private static final Duration QUERY_MAX = Duration.ofSeconds(20);

  private FencingTimes() {}

  /// For fencers to find out what they can offer.
  static Duration query(FenceMessage.Fence request) {
    var asked = Duration.ofMillis(request.timeoutMillis());
    return asked.compareTo(QUERY_MAX) < 0 ? asked : QUERY_MAX;
  }

  /// The time others have, plus a fifth for the messages there and back.
  static Duration stretch(Duration time) {
    return time.multipliedBy(6).dividedBy(5);
  }

  /// For one action with one device, the device's own delays included.
  static Duration one(FenceMessage.Fence request, Offer offer, String action) {
    var terms = offer.terms().get(action);
    var ownMillis = terms == null ? 0 : terms.timeoutMillis();
    var delayMillis = terms == null || request.delaySeconds() < 0 ? 0 : terms.delayMillis();
    return Duration.ofMillis((ownMillis > 0 ? ownMillis : request.timeoutMillis()) + delayMillis);
  }

  /// For one action with every device that counts, and a second try where another node offers the
  /// device as well.
  ///
  /// @param parts 2 for a reboot that is an off and an on
  static Duration whole(
      FenceMessage.Fence request, Offers offers, Predicate<String> counts, int parts) {
    var once = offers.time(counts, offer -> one(request, offer, request.action()));
    return Duration.ofMillis(Math.max(once.toMillis() * parts, request.timeoutMillis()))
        .plusSeconds(Math.max(0, request.delaySeconds()));
  }
}
