package org.systole.pacemakerd.link;

import java.time.Duration;
import org.systole.common.cluster.ClusterConfig;

/// Every time of the link that follows from the token time. The constructor holds what the safety
/// of the quorum rests on.
///
/// Why no two sides have quorum at one time: a node acts under a lease that begins when it *sends*
/// its answer to a ping, and ends one `lease` later. The leader counts answers for one `round` from
/// its ping; so of two answers to one ping the later one was sent at most one `round` after the
/// other. Whoever knows when it answered itself thus knows when the leases of all who answered with
/// it have ended: one `claim` later. A new leader makes a membership with quorum only once the
/// claims that any of its members knows of are over, or their holders are members too, or have
/// ended. As a side with quorum and the one before it share a member, no claim is overlooked.
///
/// A member that merely falls silent is taken for lost after the token time. By then its lease has
/// lapsed, and nobody has to wait.
///
/// @param token how long a node may be silent before it is taken for lost
/// @param round from one ping to the next, and how long an answer may take to count
/// @param lease how long an answer is valid for the node that gave it
/// @param claim how long after an answer of one node that of another to the same ping may be valid
/// @param attempt how long future members may take to answer a preparation
/// @param settling how long the members of a view may take to install it
/// @param shortWait a claim that is over within this is waited for under the membership before
/// @param undelivered after which an own message that was not delivered counts as lost
/// @param loyalty how long a node that hears its leader listens to no stranger
/// @param directsKept how long messages to one node are kept, to be sent another way
/// @param heartbeat how often the transport sends something to every peer
/// @param connecting how long the transport may take to open a connection
/// @param merging how long the transport may take to merge views
/// @param connectionKept a connection over which nothing came for so long is replaced
public record LinkTiming(
    Duration token,
    Duration round,
    Duration lease,
    Duration claim,
    Duration attempt,
    Duration settling,
    Duration shortWait,
    Duration undelivered,
    Duration loyalty,
    Duration directsKept,
    Duration heartbeat,
    Duration connecting,
    Duration merging,
    Duration connectionKept) {
  private static final int ROUNDS_PER_LEASE = 3;
  private static final long SECOND = 1_000_000_000;

  public LinkTiming {
    require(round.isPositive(), "rounds take time");
    atMost(lease.plus(round), claim, "a claim covers the lease of who answered a round later");
    atMost(claim, token, "the lease of a silent node has lapsed before others act without it");
    atMost(round.multipliedBy(ROUNDS_PER_LEASE), lease, "a lost round or two cost no lease");
    atMost(shortWait.plus(round), attempt, "an attempt outlives the wait for a claim");
    atMost(settling.plus(attempt), token, "a new membership comes before the next suspicion");
    atMost(claim, loyalty, "a node does not change sides while its vote counts");
    atMost(token.plus(round), undelivered, "what is merely late is not taken for lost");
    atMost(heartbeat.multipliedBy(2), token, "one lost heartbeat is no silence");
    atMost(connecting, token, "who cannot be reached is silent, not waited for");
    atMost(token, connectionKept, "a connection is not broken before its peer counts as silent");
    atMost(token.plus(round.multipliedBy(2)), directsKept, "silence is noticed, and told, by then");
  }

  private static void atMost(Duration one, Duration other, String why) {
    require(one.compareTo(other) <= 0, why);
  }

  private static void require(boolean holds, String why) {
    if (!holds) {
      throw new IllegalArgumentException("the link's times do not fit: " + why);
    }
  }

  /// Whether a file can have such a token time, in milliseconds: what another node says may be anything.
  static boolean isToken(long millis) {
    return millis >= ClusterConfig.TOKEN_MIN && millis <= ClusterConfig.TOKEN_MOST;
  }

  /// @param millis the token time
  public static LinkTiming ofToken(long millis) {
    // Durations are divided by way of BigDecimal, whose making costs a starting node 20 ms.
    var token = millis * 1_000_000;
    var quarter = token / 4;
    return new LinkTiming(
        Duration.ofNanos(token),
        Duration.ofNanos(quarter),
        Duration.ofNanos(3 * quarter),
        Duration.ofNanos(4 * quarter),
        Duration.ofNanos(2 * quarter),
        Duration.ofNanos(2 * quarter),
        Duration.ofNanos(quarter),
        Duration.ofNanos(3 * token),
        Duration.ofNanos(3 * token),
        Duration.ofNanos(4 * token),
        Duration.ofMillis(Math.ceilDiv(millis, 3L)),
        Duration.ofNanos(Math.min(SECOND, token)),
        Duration.ofNanos(Math.max(SECOND, token)),
        Duration.ofNanos(Math.max(3 * SECOND, 3 * token)));
  }
}
