package org.systole.fenced;

import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// What a fencing operation needs of its fencer.
interface OperationFencers {
  NodeName nameOf(NodeId nodeId);

  boolean isLocal(NodeId nodeId);

  void execute(NodeId nodeId, FencePeerMessage.Execute order);

  void ended(FenceOperation operation, Outcome outcome);
}
