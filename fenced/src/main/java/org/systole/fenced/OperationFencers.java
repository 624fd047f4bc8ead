package org.systole.fenced;

import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// What a fencing operation needs of its fencer.
interface OperationFencers {
  NodeName nameOf(NodeId nodeId);

  boolean isLocal(NodeId nodeId);

  void send(NodeId nodeId, FencePeerMessage message);

  /// Whether all fencers know that an order is taken back.
  boolean knowWithdrawals();

  void ended(FenceOperation operation, Outcome outcome);
}
