package org.systole.pacemakerd.qdevice;

import java.util.List;
import org.systole.common.values.NodeId;

/// The nodes that are together, or are about to be, as their leader says.
///
/// @param number the leader's, rising
/// @param nodes sorted
public record Side(NodeId leader, long number, List<NodeId> nodes) {
  public Side {
    nodes = List.copyOf(nodes);
  }

  QnetMessage.Ring ring() {
    return new QnetMessage.Ring(leader.number(), number);
  }
}
