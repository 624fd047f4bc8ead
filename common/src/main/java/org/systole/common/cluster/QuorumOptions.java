package org.systole.common.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// The `quorum` section, with corosync votequorum's meaning.
///
/// @param expectedVotes the configured number, or the sum of the nodes' and the device's votes
/// @param waitForAll also on by default with `twoNode`
/// @param lastManStandingWindowMillis how long a membership must last before the votes of those who
///     left are no longer expected
/// @param tieBreakerIds with `autoTieBreaker`: the node that a half has to hold; of several the
///     first that was there before the split; empty for the lowest id
/// @param tieBreakerHighest the highest id instead of the lowest
/// @param deviceVotes of the quorum device, null without one
public record QuorumOptions(
    int expectedVotes,
    boolean twoNode,
    boolean waitForAll,
    boolean lastManStanding,
    long lastManStandingWindowMillis,
    boolean autoTieBreaker,
    List<NodeId> tieBreakerIds,
    boolean tieBreakerHighest,
    @Nullable Integer deviceVotes) {
  public QuorumOptions {
    tieBreakerIds = List.copyOf(tieBreakerIds);
  }
}
