package org.systole.pacemakerd.qdevice;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// How this node stands with the quorum device.
///
/// @param connection `Connected`, `Connecting` or `Connect failed`
/// @param trouble why the last connection failed, null if none did since
/// @param votes whether the server has given this side its vote
/// @param clientProved whether the server has asked for this node's certificate
/// @param connectedSince null if it is not
/// @param heardAt of the server, null if never
/// @param heuristics the last result, null if there are none
/// @param side the nodes that the server was told of
public record DeviceState(
    String connection,
    @Nullable String trouble,
    boolean votes,
    boolean encrypted,
    boolean clientProved,
    @Nullable Instant connectedSince,
    @Nullable Instant heardAt,
    @Nullable String heuristics,
    List<NodeId> side) {}
