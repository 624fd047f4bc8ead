package org.systole.common.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// What a daemon and the node's link say to each other over `link.sock`.
///
/// Daemons use [GroupClient]; commands ask [StatusQuery].
public sealed interface LinkMessage {
  ClientProtocol<Request, Reply, Event> PROTOCOL =
      ClientProtocol.of(
          Protocol.of("link", 1, LinkMessage.class, new LinkShortForm()),
          Request.class,
          Reply.class,
          Event.class);
  String SOCKET = "link";

  /// How long what a daemon tells the others may be, in bytes: it still fits a frame once it is text.
  int PAYLOAD_MAX = 48 << 20;

  sealed interface Request extends LinkMessage {}

  sealed interface Reply extends LinkMessage {}

  sealed interface Event extends LinkMessage {}

  /// A configured node, whether it is there or not.
  ///
  /// @param name `node` and its id, if the list gives it none and it was never there to tell it
  record ConfiguredNode(NodeId id, NodeName name, int votes) {
    /// How a node is called whose name is not known.
    public static NodeName unknown(NodeId id) {
      return new NodeName("node " + id);
    }

    public boolean isUnknown() {
      return name.equals(unknown(id));
    }
  }

  /// First message of a daemon: it speaks for this node in a named group from now on. Answered with
  /// [Joined].
  record Join(String group) implements Request, Allowed.ToNobodyElse {}

  /// @param tokenMillis the time after which a silent node is taken for lost
  record Joined(
      NodeId localId,
      NodeName localName,
      String clusterName,
      List<ConfiguredNode> configured,
      long tokenMillis)
      implements Reply {}

  /// To every member of the group, the sender included, in the one order of all groups.
  record Broadcast(byte[] payload) implements Request, Allowed.ToNobodyElse {}

  /// To the group's daemon on one node; from one sender to one receiver the order is kept.
  record Send(NodeId toId, byte[] payload) implements Request, Allowed.ToNobodyElse {}

  /// This node has on disk what its cluster had acknowledged when this membership began, and who acts for the cluster
  /// there acknowledges nothing that does not have enough members. Without answer. The CIB manager says it, where all members speak
  /// [Levels#STATE_BEFORE_VOTES].
  record InStep(long membership) implements Request, Allowed.ToNobodyElse {}

  /// Event: a message of the group.
  record Delivered(NodeId fromId, boolean broadcast, byte[] payload) implements Event {}

  /// Event, in the one order: the membership changed, or this node's share in the quorum.
  ///
  /// @param level what all members speak, see [Levels]; null, from a link of a build that knows of
  ///     none, is the first
  /// @param due whether the members are about to have quorum: they have the votes, and wait only for what others may still
  ///     claim, or for a leader that has been silent for a moment. Null, from a link of a build that does not say so, is no
  /// @param counted of each of these it takes most to act for the cluster, where `last_man_standing` has left nodes out; null
  ///     where the votes of all count, and from a link of a build that does not tell
  /// @param coming node lists that were read anew and are not in force yet: what is acknowledged takes most of the votes of each of
  ///     them, too; null if there are none, and from a link of a build that does not tell
  record MembershipChanged(
      Membership membership,
      @Nullable Integer level,
      @Nullable Boolean due,
      @Nullable List<List<NodeId>> counted,
      @Nullable List<List<ConfiguredNode>> coming)
      implements Event {
    /// Of members that speak what this build speaks.
    public MembershipChanged(Membership membership) {
      this(membership, Levels.own().newest());
    }

    /// Of members that have quorum, or cannot have it.
    public MembershipChanged(Membership membership, int level) {
      this(membership, level, false, null, null);
    }
  }

  /// Event: another node list is in force. The membership with which it came follows; a daemon that
  /// has just joined may have it already.
  record ConfiguredChanged(List<ConfiguredNode> configured) implements Event {}

  /// Event, in the one order: the nodes whose daemon has joined the group, sorted by id. Always a
  /// subset of the membership's nodes.
  record GroupChanged(List<NodeId> nodeIds) implements Event {}

  /// Request without content; answered with [Status].
  record StatusQuery() implements Request, Allowed.ToMembers {}

  /// @param expectedVotes all configured votes, as adjusted by the quorum options
  /// @param flags such as `2Node`, `WaitForAll`, `Quorate`
  record Status(
      NodeId localId,
      NodeName localName,
      String clusterName,
      List<ConfiguredNode> configured,
      Membership membership,
      int expectedVotes,
      int totalVotes,
      int quorumVotes,
      List<String> flags)
      implements Reply {
    /// What a user of a remote node is told, whose node has another name, and no id.
    ///
    /// @param node null for this one
    public Status asSeenBy(@Nullable NodeName node) {
      return node == null
          ? this
          : new Status(
              localId,
              node,
              clusterName,
              configured,
              membership,
              expectedVotes,
              totalVotes,
              quorumVotes,
              flags);
    }
  }

  /// The quorum device.
  ///
  /// @param masterWins whether the smallest side can win
  /// @param nodes the members
  record Device(String name, int votes, boolean masterWins, List<DeviceAt> nodes) {}

  /// The device as a member sees it.
  ///
  /// @param alive it is connected
  /// @param votes it has the device's vote
  record DeviceAt(NodeId id, boolean alive, boolean votes) {}

  /// Asks how this node stands with the quorum device; answered with [DeviceInfo].
  record DeviceQuery(boolean verbose) implements Request, Allowed.ToMembers {}

  /// @param device null if there is none, or no membership yet
  /// @param text for people; null if there is no device
  record DeviceInfo(@Nullable Device device, @Nullable String text) implements Reply {}
}
