package org.systole.fenced;

import java.util.List;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol;
import org.systole.fenced.client.FenceMessage.FenceRecord;

/// What the fencers of a cluster say to each other.
sealed interface FencePeerMessage {
  Protocol<FencePeerMessage> PROTOCOL = Protocol.of("fencer-peer", 1, FencePeerMessage.class);
  String GROUP = "fence";

  /// To all: an operation begins; what can you do to its target? Answered with [Offers].
  ///
  /// @param timeoutMillis for the answer
  /// @param stay the target's stay as the origin knows it
  record Query(FenceRecord record, boolean selfFencing, long timeoutMillis, long stay)
      implements FencePeerMessage {}

  /// To the origin.
  record Offers(String operation, List<Offer> offers) implements FencePeerMessage {}

  /// To the fencer that is to act. Answered with [Executed].
  ///
  /// @param attempt returned with the answer
  /// @param delaySeconds on top of the device's own delays; -1 for none at all
  /// @param membership the operation's: it is not about a later stay of the target
  record Execute(
      String operation,
      int attempt,
      NodeName target,
      String action,
      String device,
      long timeoutMillis,
      int delaySeconds,
      long membership)
      implements FencePeerMessage {}

  /// To the fencer that was told to act: nobody waits for that any more. What has begun is carried through; what waits for
  /// its turn at the device is not begun. Answered as the order is, with [Executed].
  record TakenBack(String operation, int attempt) implements FencePeerMessage {}

  /// To the origin.
  record Executed(String operation, int attempt, int rc, ExecStatus status, String reason)
      implements FencePeerMessage {}

  /// To all: an operation has ended.
  record Ended(FenceRecord record, int rc, ExecStatus status) implements FencePeerMessage {}

  /// To a fencer that has joined or has sent [HistoryWanted]: the sender's history.
  record History(List<Past> past) implements FencePeerMessage {}

  record Past(FenceRecord record, int rc, ExecStatus status) {}

  /// To all, or to one that may have lost an operation: send [History] to the sender.
  ///
  /// @param fresh the sender has just started: what it had under way before is lost
  record HistoryWanted(boolean fresh) implements FencePeerMessage {}

  /// A node's watchdog.
  ///
  /// @param watchdogMillis its time, 0 for a node without one
  record Guarded(NodeId node, long watchdogMillis) {}

  /// To all from a fencer that has joined, and to those that join: what it knows of the nodes'
  /// watchdogs, its own among them.
  record Guards(List<Guarded> nodes) implements FencePeerMessage {}

  /// To the fencer of a member that is to be fenced by its watchdog: nobody else can end its being
  /// fed.
  ///
  /// @param membership its stay began with this one or before; a later one is not meant
  record ResetYourself(NodeName target, long membership) implements FencePeerMessage {}

  /// To all: drop what has ended.
  ///
  /// @param target of this node only; empty for all. A text rather than null, as a message that
  ///     lacks it must not mean all
  record HistoryCleared(String target) implements FencePeerMessage {}
}
