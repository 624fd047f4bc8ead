package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.fsm.HostState;

/// A host as it is seen from outside.
///
/// @param since when it came into its state, in the decider's milliseconds
/// @param reason why it is in its state, or what keeps it there; may be empty
/// @param attempts recoveries begun since it last passed a health check
/// @param looks activity checks of its last investigation
/// @param failures how many of them saw nothing
/// @param blind how many of them could not look
/// @param power null if it was not read yet
/// @param powerAt when it was so, in the decider's milliseconds: when the reading began, or it was proved to be off
/// @param held why a person wants it left alone; null if nobody does
public record HostView(
    NodeName name,
    HostState state,
    long since,
    String reason,
    int attempts,
    int looks,
    int failures,
    int blind,
    @Nullable PowerState power,
    long powerAt,
    boolean maintenance,
    @Nullable String held) {}
