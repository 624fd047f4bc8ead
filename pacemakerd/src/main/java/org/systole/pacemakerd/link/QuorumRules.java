package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.QuorumOptions;
import org.systole.common.values.NodeId;

/// Who may act for the cluster, by votes, with the meaning corosync's votequorum gives to its
/// options.
final class QuorumRules {
  private final List<ConfiguredNode> nodes;
  private final QuorumOptions options;
  private @Nullable NodeId tieBreaker; // of a list

  /// @param nodes sorted by id
  QuorumRules(List<ConfiguredNode> nodes, QuorumOptions options) {
    this.nodes = nodes;
    this.options = options;
    this.tieBreaker = options.tieBreakerIds().isEmpty() ? null : options.tieBreakerIds().getFirst();
  }

  /// Which node of the list decides between halves of the membership that is made; null for none.
  void tieBreaker(@Nullable NodeId nodeId) {
    tieBreaker = nodeId;
  }

  /// The state of a node that has just started.
  QuorumState initial() {
    return state(options.expectedVotes(), options.expectedVotes(), options.waitForAll(), Set.of());
  }

  /// The state after a change of members.
  ///
  /// What is expected comes from the members' configurations, not from what was expected before:
  /// else a cluster whose node list was extended or shortened node by node would go on counting by
  /// the list that all nodes have dropped. Only what last_man_standing has lowered is kept
  /// ([#lowered]).
  ///
  /// @param before what the new members bring along, the continued partition's first
  /// @param configured the largest number of votes that a member's configuration expects
  QuorumState next(Set<NodeId> members, List<QuorumState> before, int configured) {
    return next(members, members, before, configured, false);
  }

  /// The same.
  ///
  /// @param staying those of them that were members of the continued partition
  /// @param device whether the quorum device votes for them
  QuorumState next(
      Set<NodeId> members,
      Set<NodeId> staying,
      List<QuorumState> before,
      int configured,
      boolean device) {
    var waiting = options.waitForAll() && before.stream().allMatch(QuorumState::waiting);
    var all = nodes.stream().map(ConfiguredNode::id).toList();
    if (members.containsAll(all)) {
      waiting = false;
    }
    var present = votes(members) + votes(device);
    var largest = Math.max(configured, present);
    var expected = before.isEmpty() ? largest : lowered(staying, before, largest);
    return state(largest, Math.max(expected, present), waiting, members, device);
  }

  /// What last_man_standing has lowered holds where those who stay have quorum by it, whoever comes
  /// to them. A smaller part of that partition may keep it only among its own: with a node that was
  /// left out, and still counts by the configuration, it could have quorum beside the larger part. So it
  /// could with one that was left out before, when more were counted.
  private int lowered(Set<NodeId> staying, List<QuorumState> before, int largest) {
    var continued = before.getFirst();
    if (!continued.isLowered()) {
      return largest;
    }
    var expected = continued.expectedVotes();
    return votes(staying) >= continued.quorumVotes()
            || winsTie(staying, expected)
            || before.stream().allMatch(it -> it.isLowered() && it.expectedVotes() == expected)
        ? expected
        : largest;
  }

  private int votes(boolean device) {
    return device && options.deviceVotes() != null ? options.deviceVotes() : 0;
  }

  /// Whether these nodes have quorum if the device votes for them, and not without.
  boolean hangOnDevice(Set<NodeId> members, QuorumState state) {
    var votes = votes(members);
    return votes < state.quorumVotes() && votes + votes(true) >= state.quorumVotes();
  }

  /// The votes of the nodes, and of the device wherever its vote may be.
  int withDevice(Set<NodeId> members) {
    return votes(members) + votes(true);
  }

  /// Whether the members that have just answered have quorum by themselves.
  boolean carries(Set<NodeId> answering, QuorumState state) {
    return carries(answering, state, false);
  }

  /// The same.
  ///
  /// @param device whether one of them has the quorum device's vote
  boolean carries(Set<NodeId> answering, QuorumState state, boolean device) {
    return state.quorate()
        && (votes(answering) + votes(device) >= state.quorumVotes()
            || winsTie(answering, state.expectedVotes()));
  }

  /// Whether all other nodes together could have no quorum by these rules. Two nodes of `two_node`
  /// may both have it, and fencing decides; here each of them holds up the other.
  boolean blocks(Set<NodeId> members) {
    var all = nodes.stream().mapToInt(ConfiguredNode::votes).sum();
    var others = 2 * (withDevice(Set.of()) + all - votes(members));
    var expected = options.expectedVotes();
    return options.autoTieBreaker() ? others < expected : others <= expected;
  }

  /// Whether nobody but these nodes could have quorum by these rules if the device went over to
  /// them; so where there is none.
  boolean holdsDevice(Set<NodeId> members) {
    return options.deviceVotes() == null || blocks(members);
  }

  /// The state once the window of last_man_standing has passed without a change: who left is no
  /// longer expected.
  QuorumState afterWindow(Set<NodeId> members, QuorumState state) {
    var votes = votes(members);
    if (!options.lastManStanding() || !state.quorate() || votes >= state.expectedVotes()) {
      return state;
    }
    // One node of two is half of them; only the tie breaker lets it go on alone.
    return votes < 2 && !options.autoTieBreaker()
        ? state
        : state(state.configuredVotes(), votes, state.waiting(), members);
  }

  List<String> flags(QuorumState state, boolean quorate) {
    var flags = new ArrayList<String>();
    add(flags, options.twoNode(), "2Node");
    add(flags, quorate, "Quorate");
    add(flags, options.waitForAll(), "WaitForAll");
    add(flags, options.lastManStanding(), "LastManStanding");
    add(flags, options.autoTieBreaker(), "AutoTieBreaker");
    add(flags, options.deviceVotes() != null, "Qdevice");
    return flags;
  }

  private static void add(List<String> flags, boolean on, String flag) {
    if (on) {
      flags.add(flag);
    }
  }

  private QuorumState state(int configured, int expected, boolean waiting, Set<NodeId> members) {
    return state(configured, expected, waiting, members, false);
  }

  private QuorumState state(
      int configured, int expected, boolean waiting, Set<NodeId> members, boolean device) {
    // A cluster of two that is being extended has a third node as soon as one member lists it.
    var needed = options.twoNode() && expected <= 2 ? 1 : expected / 2 + 1;
    var total = votes(members) + votes(device);
    var quorate = !waiting && !members.isEmpty() && (total >= needed || winsTie(members, expected));
    return new QuorumState(configured, expected, needed, total, waiting, quorate);
  }

  private boolean winsTie(Set<NodeId> members, int expected) {
    if (!options.autoTieBreaker() || votes(members) * 2 != expected) {
      return false;
    }
    if (!options.tieBreakerIds().isEmpty()) {
      return tieBreaker != null && members.contains(tieBreaker);
    }
    var ids = nodes.stream().map(ConfiguredNode::id).toList();
    return members.contains(options.tieBreakerHighest() ? ids.getLast() : ids.getFirst());
  }

  private int votes(Collection<NodeId> members) {
    return nodes.stream()
        .filter(it -> members.contains(it.id()))
        .mapToInt(ConfiguredNode::votes)
        .sum();
  }
}
