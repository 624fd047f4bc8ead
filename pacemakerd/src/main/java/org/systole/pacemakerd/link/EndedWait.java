package org.systole.pacemakerd.link;

/// Whether a person has ended the wait for all nodes (`wait_for_all`) on this node, having seen to it
/// that those which are away are off.
///
/// The node brings that along into the next membership, and asks for one. There nobody waits any
/// more ([QuorumRules#next]): who has quorum is then a matter of votes alone. It holds as if all
/// nodes had been seen together, and until the node's process ends.
final class EndedWait {
  private boolean ended;

  void end() {
    ended = true;
  }

  /// What the node brings along, which has this by its last membership.
  QuorumState of(QuorumState state) {
    return ended ? state.notWaiting() : state;
  }

  /// Whether there has to be another membership for it.
  boolean isAskedFor() {
    return ended;
  }

  /// A membership was made.
  void made(QuorumState state) {
    ended &= state.waiting();
  }
}
