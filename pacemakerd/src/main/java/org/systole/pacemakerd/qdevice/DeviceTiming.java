package org.systole.pacemakerd.qdevice;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.QuorumDevice;

/// Every time of the quorum device. The constructor holds what the safety of its vote rests on.
///
/// Why no two sides count the device's vote at one time. The server decides on one side at a time;
/// what it said at an earlier time may have been taken back since. So its word is good for `valid`,
/// counted from when the question was *sent* that it answers, and a member says "I have the vote"
/// to its leader only while it is good for a whole `claim` more: all leases that members gain with
/// that answer are over when the word is. A side that gains the vote uses it only after it has had
/// it for `settling` without a break. When the server first gave it to this side, it had stopped
/// giving it to the side before; the last word that one got was asked for before that, and is used
/// up one `valid` later.
///
/// @param claim how long a lease may last that a member's answer gives, see the link's times
/// @param silence how long the server's vote is good without word from it, beyond a claim
/// @param valid how long an answer of the server is good, from when it was asked for
/// @param settling how long a side must have had the vote before it uses it
/// @param heartbeat what the server is told: it forgets a node that says nothing for one and a half
/// @param poll from one question to the next
/// @param connecting how long a connection may take, until the server has accepted this node
/// @param sync how long a change of members waits for the server's decision
public record DeviceTiming(
    Duration claim,
    Duration silence,
    Duration valid,
    Duration settling,
    Duration heartbeat,
    Duration poll,
    Duration connecting,
    Duration sync) {
  private static final long HEARTBEAT_MIN = 1_000; // a server refuses less, as it is made
  private static final long HEARTBEAT_MAX = 120_000;
  private static final long SILENCE_MIN = 2_000;

  public DeviceTiming {
    atMost(claim.plus(silence), valid, "the word outlives the leases that are gained with it");
    atMost(valid, settling, "the vote of the side before is used up when it is used here");
    atMost(
        heartbeat.multipliedBy(3).dividedBy(2).plus(poll),
        silence,
        "a silent node is forgotten by the server before its survivor's word is used up");
    atMost(poll.multipliedBy(2), heartbeat, "one late question costs no connection");
    atMost(silence, sync, "a change of members waits until a silent node is forgotten");
  }

  private static void atMost(Duration one, Duration other, String why) {
    if (one.compareTo(other) > 0) {
      throw new IllegalArgumentException("the quorum device's times do not fit: " + why);
    }
  }

  /// @param claim by the link's times
  public static DeviceTiming of(Duration claim, long tokenMillis, QuorumDevice device) {
    return of(
        claim,
        tokenMillis,
        device.timeoutMillis(),
        device.net().connectTimeoutMillis(),
        device.syncTimeoutMillis());
  }

  /// @param claim by the link's times
  /// @param timeout the device's, in milliseconds; null for two token times
  /// @param connectTimeout in milliseconds; null for the usual
  /// @param syncTimeout in milliseconds
  static DeviceTiming of(
      Duration claim,
      long tokenMillis,
      @Nullable Integer timeout,
      @Nullable Integer connectTimeout,
      int syncTimeout) {
    var silence = Math.max(SILENCE_MIN, timeout == null ? 2 * tokenMillis : timeout);
    var heartbeat = Math.clamp(silence / 2, HEARTBEAT_MIN, HEARTBEAT_MAX);
    var valid = claim.plusMillis(silence);
    return new DeviceTiming(
        claim,
        Duration.ofMillis(silence),
        valid,
        valid,
        Duration.ofMillis(heartbeat),
        Duration.ofMillis(heartbeat / 2),
        Duration.ofMillis(connectTimeout == null ? Math.max(silence, 4_000) : connectTimeout),
        Duration.ofMillis(Math.max(silence, syncTimeout)));
  }
}
