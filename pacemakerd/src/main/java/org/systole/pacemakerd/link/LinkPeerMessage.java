package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Coded;
import org.systole.common.wire.Protocol;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;
import org.systole.pacemakerd.qdevice.Word;

/// What the links of two nodes say to each other.
///
/// One link leads: the first of the transport's view. It pings all in rounds; the answers are what
/// membership and quorum are made of. To change the membership it prepares the new members, which
/// stop delivering and tell where they stand, and then installs what they have agreed to.
sealed interface LinkPeerMessage {
  Protocol<LinkPeerMessage> PROTOCOL =
      Protocol.of("link-peer", 2, LinkPeerMessage.class, new LinkPeerShortForm());

  /// @param number the leader's membership, 0 before the first
  /// @param stable every member has delivered up to this sequence number
  record Ping(ViewId view, long number, long round, long stable) implements LinkPeerMessage {}

  /// The answer to a [Ping] of the view the answering link itself holds.
  ///
  /// @param number the answering link's membership, 0 before the first
  /// @param highest no new membership may have a number up to this
  /// @param astray it has lost the thread of its membership and needs a new one
  /// @param unheard members it has heard nothing of for long
  /// @param young a vote its process before this one gave may still be counted elsewhere
  /// @param expected the votes of the whole cluster, as this node's file says, or more if it has
  ///     been a member together with more
  record Pong(
      ViewId view,
      long round,
      NodeId nodeId,
      long number,
      long highest,
      long delivered,
      boolean astray,
      List<NodeId> unheard,
      boolean young,
      int expected)
      implements LinkPeerMessage {}

  /// The end of a round.
  ///
  /// @param answered the nodes whose answer came in time
  /// @param carried whether these carry the quorum: the answer then was worth a lease
  /// @param apart members of which one does not hear the other
  record Confirm(
      long number,
      long round,
      List<NodeId> answered,
      boolean carried,
      QuorumState quorum,
      List<Pair> apart)
      implements LinkPeerMessage {}

  /// Two nodes.
  record Pair(NodeId one, NodeId other) {
    /// The other one of the two, null if `node` is neither.
    @Nullable NodeId otherThan(NodeId node) {
      return node.equals(one) ? other : node.equals(other) ? one : null;
    }
  }

  /// Asks a future member to stop delivering. One that has no level in common with the leader
  /// answers [Misfit] instead, and goes on.
  ///
  /// @param side null from a build that does not tell levels
  /// @param reached how far each of the future members is known to be: what all have is not told
  ///     again, which on a narrow line takes longer than may be waited for; null from a build that
  ///     does not tell it
  /// @param brief the leader asks with [Tell] for a long tail, once it knows that somebody lacks it
  ///     and who has it; null from a build that wants all at once
  record Prepare(
      ViewId view, long number, @Nullable Side side, @Nullable List<Reached> reached, @Nullable Boolean brief)
      implements LinkPeerMessage {}

  /// How far a process is at least.
  ///
  /// @param number its membership, 0 if it had none or is not known
  /// @param delivered what it has delivered of that one, see [Pong]
  record Reached(Address address, long number, long delivered) {}

  /// The answer to [Prepare]: nothing of an earlier membership will be delivered any more.
  ///
  /// @param levels null from a build that does not tell them
  record Prepared(
      ViewId view, long number, NodeId nodeId, Standing standing, @Nullable Levels levels)
      implements LinkPeerMessage {}

  /// From the leader, to a link that has answered its [Prepare] without its long tail: what it has
  /// delivered after a sequence number is wanted. Answered with a [Told] for each item.
  ///
  /// @param number of the membership that is prepared
  record Tell(ViewId view, long number, long after) implements LinkPeerMessage {}

  /// One item of a tail.
  ///
  /// @param number of the membership that is prepared
  record Told(long number, Ordered item) implements LinkPeerMessage {}

  /// The sender has no level in common with the receiver, and will not be in one membership with
  /// it. Of the two the one that [Side#yieldsTo] the other ends.
  record Misfit(Side side) implements LinkPeerMessage {}

  /// The levels a link speaks, and whether it has quorum. They decide which of two links without a
  /// common level goes on.
  ///
  /// @param name of the node, for the log
  /// @param quorate whether it is a member of a membership with quorum
  record Side(NodeName name, Levels levels, boolean quorate) {
    /// Whether this link ends: the other one has quorum, or neither has and this is the newer
    /// build. A link with quorum never ends, whatever another one claims; nor does any link because
    /// of levels that no build can have.
    boolean yieldsTo(Side other) {
      var newer = levels.newest() > other.levels.newest();
      return !quorate && !other.levels.isNone() && (other.quorate || newer);
    }

    @Override
    public String toString() {
      return "%s speaks %s".formatted(name, levels);
    }
  }

  /// Where a link stands.
  ///
  /// @param number its membership, 0 if it had none
  /// @param tail the delivered messages that others may lack
  /// @param groups of its own daemons
  /// @param inclusions who may hold a lease by a round this link answered
  /// @param ended processes whose end this link has seen
  /// @param config what this node's cluster configuration file says
  /// @param tieBreak null from a build that does not tell it, and where it does not matter
  /// @param taken files this node has read anew and that are not in force yet, see
  ///     [LinkConfig#taken]; null if there are none
  /// @param electorate null from a build that does not tell it
  /// @param inStep whether it has what was acknowledged before all members had taken the file that is to come in force; null from
  ///     a build that does not tell it
  record Standing(
      long number,
      List<Place> members,
      long delivered,
      List<Ordered> tail,
      List<String> groups,
      QuorumState quorum,
      List<Inclusion> inclusions,
      List<Address> ended,
      NodeConfig config,
      @Nullable TieBreak tieBreak,
      @Nullable List<NodeConfig> taken,
      @Nullable Electorate electorate,
      @Nullable Boolean inStep) {
    /// Of a link that had no membership yet.
    static Standing outside(
        QuorumState quorum,
        List<Address> ended,
        NodeConfig config,
        @Nullable TieBreak tieBreak,
        @Nullable List<NodeConfig> taken,
        Electorate electorate) {
      return new Standing(
          0,
          List.of(),
          0,
          List.of(),
          List.of(),
          quorum,
          List.of(),
          ended,
          config,
          tieBreak,
          taken,
          electorate,
          false);
    }
  }

  /// Which node decides between halves.
  ///
  /// @param membership the one with quorum from which that follows
  /// @param nodeId null if none does
  record TieBreak(long membership, @Nullable NodeId nodeId) {}

  /// A process that may have gained a lease.
  ///
  /// @param leftMillis how long at most it may still be worth something
  record Inclusion(NodeId nodeId, Address address, long leftMillis) {}

  /// A member.
  ///
  /// @param since the number of the membership its stay began with
  record Place(NodeId nodeId, Address address, long since) {}

  /// @param continues the membership this one follows; a link that comes from another one has been
  ///     cut off in between
  /// @param tail what a member of that membership may still have to deliver before this
  /// @param groups the groups of each node's daemons
  /// @param configs what each node's cluster configuration file says
  /// @param tokenMillis the shortest token time of any member; all count their leases by it
  /// @param level the highest that all members speak; null, from a leader that tells none, is the
  ///     first
  /// @param adopted the file that comes in force with this membership, null if none does
  /// @param electorate null from a build that does not tell it
  /// @param behind members without what was acknowledged, for which a file waits that all have taken; null if none does
  /// @param unread members that have not taken the newest file that others have; null if there are none
  record Install(
      ViewId view,
      long number,
      long continues,
      List<Place> members,
      List<Ordered> tail,
      Map<NodeId, List<String>> groups,
      Map<NodeId, NodeConfig> configs,
      long tokenMillis,
      QuorumState quorum,
      @Nullable Integer level,
      @Nullable NodeConfig adopted,
      @Nullable Electorate electorate,
      @Nullable List<NodeId> behind,
      @Nullable List<NodeId> unread)
      implements LinkPeerMessage {
    public Install {
      if (!LinkTiming.isToken(tokenMillis)) {
        throw new IllegalArgumentException("no token time: " + tokenMillis);
      }
    }

    /// The same for a member that lacks only so much.
    Install with(List<Ordered> lacked) {
      return new Install(
          view, number, continues, members, lacked, groups, configs, tokenMillis, quorum, level, adopted, electorate, behind, unread);
    }
  }

  enum Kind implements Coded {
    MESSAGE(0),
    JOIN(1),
    LEAVE(2),
    /// A message that could not be sent as [Direct].
    RELAYED(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }
  }

  /// Something to be put in order.
  ///
  /// @param to of a relayed message, else empty
  /// @param direct the relayed message's number, see [Direct]
  record Item(long id, Kind kind, String group, byte[] payload, Address to, long direct) {
    private static final Address ALL = new Address("");

    static Item of(long id, Kind kind, String group, byte[] payload) {
      return new Item(id, kind, group, payload, ALL, 0);
    }
  }

  /// To the leader, from the node whose daemon sent it.
  record Submit(long number, Item item) implements LinkPeerMessage {}

  /// From the leader: the item's place in the order of a membership.
  record Ordered(long number, long sequence, NodeId origin, Item item) implements LinkPeerMessage {}

  /// From daemon to daemon.
  ///
  /// @param sequence what the sender had delivered; the receiver has to be as far
  /// @param id rises with each message of the sender; duplicates are recognized by it
  record Direct(long number, long sequence, NodeId origin, long id, String group, byte[] payload)
      implements LinkPeerMessage {}

  /// Who is together, or is about to be, for the quorum device. From the leader, before each ping.
  ///
  /// @param leader the node that sends it
  /// @param number rises with each change
  record DeviceSide(ViewId view, NodeId leader, long number, List<Place> members)
      implements LinkPeerMessage {}

  /// What a node has of the quorum device's vote. Before its [Pong], to all.
  ///
  /// @param side the number of the leader's side for which it was given, 0 for none
  /// @param awaits the server has not decided yet about the last side it was told of
  record DeviceAnswer(
      ViewId view, long round, NodeId nodeId, long side, Word.Hold hold, boolean awaits)
      implements LinkPeerMessage {}

  /// To a node that the leader's node list does not have.
  ///
  /// @param listed the nodes it has, for the log
  record NotListed(List<NodeName> listed) implements LinkPeerMessage {}

  /// Asks a member to read its cluster configuration file anew and to check it, which changes
  /// nothing yet. Answered with [HasRead]. Said where [Levels#FILES_READ_ANEW] is spoken.
  ///
  /// @param id of the asking process, rises
  record ReadAnew(long id) implements LinkPeerMessage {}

  /// @param file what was read
  /// @param problem why it cannot be used here; one of the two is null
  /// @param key what tells the cluster's key on disk there from others, where
  ///     [Levels#KEYS_CHANGED] is spoken; null without encryption, too
  /// @param addresses that the file has; null without a file, and from a build that does not tell them
  record HasRead(
      long id,
      NodeId nodeId,
      @Nullable NodeConfig file,
      @Nullable String problem,
      @Nullable String key,
      @Nullable List<NodeAddress> addresses)
      implements LinkPeerMessage {
    /// Where what was read differs from another file, or why it cannot be used; empty if nowhere.
    List<String> differences(NodeConfig here, @Nullable List<NodeAddress> addressesHere) {
      if (file == null) {
        return List.of("" + problem);
      }
      var found = new ArrayList<>(here.differences(file));
      found.addAll(NodeAddress.differences(here, addressesHere, addresses));
      return found;
    }
  }

  /// All members can use what they have read, and it is the same.
  ///
  /// @param key the cluster's key changes to this one, which is to be accepted from now on: answered
  ///     with [HasTaken] once it is; null if it stays
  record Take(long id, @Nullable String key) implements LinkPeerMessage {}

  /// The sender accepts the key of a [Take].
  record HasTaken(long id, NodeId nodeId) implements LinkPeerMessage {}

  /// All members accept the key of a [Take]: it is spoken with from now on.
  record UseKey(long id) implements LinkPeerMessage {}

  /// To a member that the node list to come does not have: it is to leave in good order.
  record Dropped() implements LinkPeerMessage {}

  /// From the leader: a change of whose votes count, which each member keeps on disk and answers with
  /// [Kept]. Said where [Levels#COUNTED_BY_NAME] is spoken, as the two that follow.
  ///
  /// @param number the membership's
  record Propose(long number, Counted proposal) implements LinkPeerMessage {}

  /// The sender has a proposal on disk.
  ///
  /// @param since the proposal's
  record Kept(long number, long since) implements LinkPeerMessage {}

  /// From the leader: all members have a proposal on disk.
  ///
  /// @param since the proposal's
  record Settled(long number, long since) implements LinkPeerMessage {}

  /// The sender is about to leave and holds no lease any more.
  record Leaving(NodeId nodeId) implements LinkPeerMessage {}
}
