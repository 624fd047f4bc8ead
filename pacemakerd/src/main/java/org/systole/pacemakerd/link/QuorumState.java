package org.systole.pacemakerd.link;

/// What the members of a partition agree on about the quorum.
///
/// @param configuredVotes the largest number that any member's configuration expects
/// @param expectedVotes the same, or less where last_man_standing has lowered it
/// @param quorumVotes what it takes
/// @param totalVotes of the members
/// @param waiting wait_for_all is on, and the nodes have not all been seen together yet
/// @param quorate what follows
record QuorumState(
    int configuredVotes,
    int expectedVotes,
    int quorumVotes,
    int totalVotes,
    boolean waiting,
    boolean quorate) {
  /// Whether last_man_standing has taken those who left out of the count.
  boolean isLowered() {
    return expectedVotes < configuredVotes;
  }

  /// The same members, which may not act yet.
  QuorumState withoutQuorum() {
    return new QuorumState(configuredVotes, expectedVotes, quorumVotes, totalVotes, waiting, false);
  }
}
