package org.systole.cibd;

import java.util.function.LongConsumer;

/// Tells the link once what the primary had at the beginning of a membership is on this node's disk.
///
/// Everything that a cluster has acknowledged is with a primary that has quorum ([Primary]). What it acknowledges in the membership is with a
/// majority of all nodes, or with all members. So once all members have what it announced there, a change is with each
/// majority of them: whoever goes on without the others, the votes of those may count no more.
final class InStep {
  private final Peers peers;
  private final LongConsumer link;
  private long membership;
  private long term;
  private long sequence;
  private long told;

  /// @param link told the number of the membership
  InStep(Peers peers, LongConsumer link) {
    this.peers = peers;
    this.link = link;
  }

  /// The primary says what it has; what one without quorum has may lack something.
  void announced(CibPeerMessage.Announce it) {
    var number = it.membership();
    if (it.established() && number != null && (number != membership || it.term() != term)) {
      membership = number;
      term = it.term();
      sequence = it.sequence();
    }
  }

  /// What the link was told last it may not have heard. The membership may be the same once it is back.
  void linkLost() {
    told = 0;
  }

  /// This node has on disk what was changed up to here.
  void reached(long ofTerm, long onDisk) {
    if (membership != told && membership == peers.membershipNumber() && ofTerm == term && onDisk >= sequence) {
      told = membership;
      link.accept(told);
    }
  }
}
