package org.systole.pacemakerd.link;

/// The state of the quorum on which the members of a partition agree.
///
/// @param configuredVotes the largest number that any member's configuration expects
/// @param expectedVotes the same, or less where last_man_standing has left nodes out
/// @param quorumVotes the votes needed for quorum; more than half of those expected where some of
///     the members were left out
/// @param totalVotes of the members
/// @param waiting wait_for_all is on, and the nodes have not all been seen together yet
/// @param quorate the result
record QuorumState(
    int configuredVotes,
    int expectedVotes,
    int quorumVotes,
    int totalVotes,
    boolean waiting,
    boolean quorate) {
  /// The same members, which need not have been seen with all nodes.
  QuorumState notWaiting() {
    return new QuorumState(configuredVotes, expectedVotes, quorumVotes, totalVotes, false, quorate);
  }

  /// The same members, which may not act yet.
  QuorumState withoutQuorum() {
    return new QuorumState(configuredVotes, expectedVotes, quorumVotes, totalVotes, waiting, false);
  }
}
