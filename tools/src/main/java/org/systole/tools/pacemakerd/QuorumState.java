package org.systole.tools.pacemakerd;

/// What the members of a partition agree on about the quorum.
///
/// @param expectedVotes as adjusted by last_man_standing
/// @param quorumVotes what it takes
/// @param totalVotes of the members
/// @param waiting wait_for_all is on, and the nodes have not all been seen together yet
/// @param quorate what follows
record QuorumState(
    int expectedVotes, int quorumVotes, int totalVotes, boolean waiting, boolean quorate) {}
