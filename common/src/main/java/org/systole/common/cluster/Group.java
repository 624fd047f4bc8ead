package org.systole.common.cluster;

import java.util.List;
import java.util.Map;
import org.systole.common.values.NodeId;
import org.systole.common.world.World;

/// A daemon's place in one named group of the cluster.
///
/// Lives on the daemon's loop.
public interface Group {
  /// What the daemon hears.
  interface Listener {
    /// The link is there; the membership and the group follow.
    void joined(LinkMessage.Joined welcome);

    /// Told before each membership: whether its members are about to have quorum, see [LinkMessage.MembershipChanged].
    default void quorumDue(boolean due) {}

    /// Told before each membership: those of each of which it takes most, where not all votes count, see [LinkMessage.MembershipChanged].
    default void counted(List<List<NodeId>> lists) {}

    /// Told before each membership: node lists that are to come in force, see [LinkMessage.MembershipChanged].
    default void coming(List<List<LinkMessage.ConfiguredNode>> lists) {}

    void membership(Membership membership);

    /// The cluster has another node list than `welcome` said.
    void configured(List<LinkMessage.ConfiguredNode> nodes);

    /// The nodes whose daemon is in the group now, sorted by id.
    void group(List<NodeId> nodeIds);

    void message(NodeId fromId, boolean broadcast, byte[] payload);

    void lost(String why);
  }

  /// The place of a daemon that may have been asked to stand alone.
  ///
  /// @param environment what the daemon was started with
  static Group of(World world, Map<String, String> environment, String name, Listener listener) {
    var alone = StandAlone.name(environment);
    return alone == null
        ? new GroupClient(world, name, listener)
        : new LoneGroup(world, alone, listener);
  }

  /// Starts joining.
  void open();

  /// Whether there is no cluster, nor ever will be one: the daemon was asked to stand alone.
  boolean isAlone();

  boolean isJoined();

  /// The level that all members speak.
  int level();

  /// Whether all members speak a level, so that what it brought may be said to them.
  default boolean speaks(int wanted) {
    return level() >= wanted;
  }

  /// Sends to all in the group. What is longer than [LinkMessage#PAYLOAD_MAX] is not sent: the daemon
  /// loses the cluster instead, and joins it again some seconds later.
  void broadcast(byte[] payload);

  /// Tells the link that what the cluster has acknowledged is on this node, see [LinkMessage.InStep].
  void inStep(long membership);

  /// Sends to one node's daemon; the same holds for what is too long.
  void send(NodeId toId, byte[] payload);
}
