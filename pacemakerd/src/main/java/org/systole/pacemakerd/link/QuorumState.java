package org.systole.pacemakerd.link;

/// The state of the quorum on which the members of a partition agree.
///
/// @param configuredVotes the largest number that any member's configuration expects
/// @param expectedVotes the same, or less where last_man_standing has lowered it
/// @param quorumVotes the votes needed for quorum
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
  /// Whether last_man_standing has taken those who left out of the count.
  boolean isLowered() {
    return expectedVotes < configuredVotes;
  }

  /// Without what last_man_standing has changed.
  QuorumState notLowered() {
    return isLowered()
        ? new QuorumState(
            configuredVotes, configuredVotes, quorumVotes, totalVotes, waiting, quorate)
        : this;
  }

  /// The same members, which need not have been seen with all nodes.
  QuorumState notWaiting() {
    return new QuorumState(configuredVotes, expectedVotes, quorumVotes, totalVotes, false, quorate);
  }

  /// The same members, which may not act yet.
  QuorumState withoutQuorum() {
    return new QuorumState(configuredVotes, expectedVotes, quorumVotes, totalVotes, waiting, false);
  }
}
