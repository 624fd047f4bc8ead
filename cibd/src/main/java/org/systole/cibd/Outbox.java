package org.systole.cibd;

import org.systole.common.values.NodeId;

/// The way to the CIB managers of the cluster.
interface Outbox {
  /// Sends to one node; a message to this node does not go through the link.
  void send(NodeId to, CibPeerMessage message);

  /// Whether all members speak a level, see [org.systole.common.cluster.Levels].
  boolean speaks(int level);

  /// Sends to all, this node included, in the cluster's one order.
  void broadcast(CibPeerMessage message);
}
