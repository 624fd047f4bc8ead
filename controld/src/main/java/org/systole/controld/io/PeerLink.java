package org.systole.controld.io;

import org.systole.common.cluster.GroupClient;
import org.systole.common.values.NodeId;
import org.systole.common.wire.Protocol;
import org.systole.common.world.World;

/// The connection to the controllers of the other nodes. A message a node sends to itself is
/// delivered like any other, but does not leave the process.
public final class PeerLink {
  /// Receives the messages of all controllers, this one included.
  public interface Receiver {
    void received(NodeId from, PeerMessage message);
  }

  private final World world;
  private final GroupClient group;
  private final NodeId self;
  private final Receiver receiver;

  public PeerLink(World world, GroupClient group, NodeId self, Receiver receiver) {
    this.world = world;
    this.group = group;
    this.self = self;
    this.receiver = receiver;
  }

  /// Whether all members speak a level.
  public boolean speaks(int level) {
    return group.speaks(level);
  }

  public void broadcast(PeerMessage message) {
    group.broadcast(PeerMessage.PROTOCOL.encode(0, message));
  }

  public void send(NodeId node, PeerMessage message) {
    if (node.equals(self)) {
      world.post(() -> receiver.received(node, message));
    } else {
      group.send(node, PeerMessage.PROTOCOL.encode(0, message));
    }
  }

  /// A message has come over the link.
  public void message(NodeId from, byte[] payload) {
    try {
      receiver.received(from, PeerMessage.PROTOCOL.decode(payload).body());
    } catch (Protocol.ProtocolException e) {
      world.log().warning("Ignoring a message from node %s: %s".formatted(from, e.getMessage()));
    }
  }
}
