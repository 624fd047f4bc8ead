package org.systole.cibd;

import org.systole.common.values.NodeId;

/// The way to the CIB managers of the cluster.
interface Outbox {
  /// To one node; to this one too, without the way through the link.
  void send(NodeId to, CibPeerMessage message);

  /// To all, this one included, in the one order.
  void broadcast(CibPeerMessage message);
}
