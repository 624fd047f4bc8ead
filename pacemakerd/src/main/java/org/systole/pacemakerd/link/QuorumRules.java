package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
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
    var expected = options.expectedVotes();
    return state(expected, options.waitForAll(), Set.of(), Electorate.ALL, false);
  }

  /// The state after a change of members.
  ///
  /// What is expected comes from the members' configurations, not from what was expected before:
  /// else a cluster whose node list was extended or shortened node by node would go on counting by
  /// the list that all nodes have dropped.
  ///
  /// @param electorate whose votes count
  /// @param before what the new members bring along
  /// @param configured the largest number of votes that a member's configuration expects
  /// @param device whether the quorum device votes for them
  QuorumState next(
      Set<NodeId> members,
      Electorate electorate,
      List<QuorumState> before,
      int configured,
      boolean device) {
    var waiting = options.waitForAll() && before.stream().allMatch(QuorumState::waiting);
    if (members.containsAll(all())) {
      waiting = false;
    }
    var largest = Math.max(configured, votes(members) + votes(device));
    return state(largest, waiting, members, electorate, device);
  }

  private List<NodeId> all() {
    return nodes.stream().map(ConfiguredNode::id).toList();
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
  ///
  /// @param device whether one of them has the quorum device's vote
  boolean carries(
      Set<NodeId> answering, QuorumState state, Electorate electorate, boolean device) {
    return state.quorate() && have(answering, electorate, state.configuredVotes(), device);
  }

  /// Whether these nodes have the votes for quorum, as far as these rules alone say.
  boolean have(Set<NodeId> some, Electorate electorate, boolean device) {
    return have(some, electorate, options.expectedVotes(), device);
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

  /// Whose votes are to count, if others than do: without those who are away once the window of
  /// last_man_standing has passed, and with whoever is back at once. What an earlier membership has
  /// proposed and left open is proposed first, as it is, so that there are never many of these.
  ///
  /// @param members who have quorum
  /// @param membership theirs
  /// @param passed whether the window has passed since it was made
  /// @return null if nothing is to be changed
  @Nullable Counted wanted(
      Set<NodeId> members, Electorate electorate, int expected, long membership, boolean passed) {
    if (!electorate.proposed().isEmpty()) {
      return electorate.proposed().getLast();
    }
    var counted = electorate.settled().nodes();
    var wanted = new TreeSet<NodeId>(counted == null ? all() : counted);
    wanted.addAll(members);
    if (passed && lowers(members, expected)) {
      wanted = new TreeSet<>(members);
    } else if (!options.lastManStanding() && counted != null && outvote(members)) {
      wanted.addAll(all());
    }
    var changed = wanted.containsAll(all()) ? null : List.copyOf(wanted);
    return Objects.equals(changed, counted)
        ? null
        : Counted.by(membership, electorate, changed);
  }

  private boolean lowers(Set<NodeId> members, int expected) {
    var votes = votes(members);
    // One node of two is half of them; only the tie breaker lets it go on alone.
    return options.lastManStanding()
        && votes < expected
        && (votes >= 2 || options.autoTieBreaker());
  }

  private boolean outvote(Set<NodeId> members) {
    return 2 * votes(members) > votes(all());
  }

  /// As `corosync-quorumtool` shows them, and two more.
  ///
  /// @param votesWait whether it takes long until others' votes count
  /// @param fileWaits whether a file that was read anew is not in force yet
  List<String> flags(QuorumState state, boolean quorate, boolean votesWait, boolean fileWaits) {
    var flags = new ArrayList<String>();
    add(flags, options.twoNode(), "2Node");
    add(flags, quorate, "Quorate");
    add(flags, options.waitForAll(), "WaitForAll");
    add(flags, options.lastManStanding(), "LastManStanding");
    add(flags, options.autoTieBreaker(), "AutoTieBreaker");
    add(flags, options.deviceVotes() != null, "Qdevice");
    add(flags, votesWait, "VotesWait");
    add(flags, fileWaits, "FileWaits");
    return flags;
  }

  private static void add(List<String> flags, boolean on, String flag) {
    if (on) {
      flags.add(flag);
    }
  }

  private QuorumState state(
      int configured,
      boolean waiting,
      Set<NodeId> members,
      Electorate electorate,
      boolean device) {
    var needed = 0;
    for (var it : electorate.all()) {
      needed = Math.max(needed, needed(it.nodes(), members, configured));
    }
    var counted = electorate.settled().nodes();
    var expected = configured;
    if (counted != null) {
      var together = new TreeSet<>(counted);
      together.addAll(members);
      expected = votes(together);
    }
    var quorate =
        !waiting && !members.isEmpty() && have(members, electorate, configured, device);
    var total = votes(members) + votes(device);
    return new QuorumState(configured, expected, needed, total, waiting, quorate);
  }

  /// How many votes of members it takes. Those of members that are not counted are not enough by
  /// themselves, however many they are.
  private int needed(@Nullable List<NodeId> counted, Set<NodeId> members, int configured) {
    if (counted == null) {
      // A cluster of two that is being extended has a third node as soon as one member lists it.
      return options.twoNode() && configured <= 2 ? 1 : configured / 2 + 1;
    }
    var others = new TreeSet<>(members);
    counted.forEach(others::remove);
    return votes(others) + total(counted) / 2 + 1;
  }

  /// All votes that count. A node that the list has no more may be there all the same, by another list.
  private int total(List<NodeId> counted) {
    var unlisted = new TreeSet<>(counted);
    all().forEach(unlisted::remove);
    return votes(counted) + unlisted.size();
  }

  /// Whether these have most of the votes, of all who may have been counted last.
  private boolean have(
      Set<NodeId> some, Electorate electorate, int configured, boolean device) {
    return electorate.all().stream().allMatch(it -> have(some, it.nodes(), configured, device));
  }

  private boolean have(
      Set<NodeId> some, @Nullable List<NodeId> counted, int configured, boolean device) {
    if (counted == null) {
      return votes(some) + votes(device) >= needed(null, some, configured)
          || winsTie(some, configured);
    }
    var theirs = new TreeSet<>(some);
    theirs.retainAll(counted);
    return 2 * votes(theirs) > total(counted) || winsTie(theirs, total(counted));
  }

  private boolean winsTie(Set<NodeId> members, int expected) {
    if (!options.autoTieBreaker() || votes(members) * 2 != expected) {
      return false;
    }
    if (!options.tieBreakerIds().isEmpty()) {
      return tieBreaker != null && members.contains(tieBreaker);
    }
    var ids = all();
    return members.contains(options.tieBreakerHighest() ? ids.getLast() : ids.getFirst());
  }

  /// The votes of nodes that are listed.
  int votes(Collection<NodeId> members) {
    return nodes.stream()
        .filter(it -> members.contains(it.id()))
        .mapToInt(ConfiguredNode::votes)
        .sum();
  }
}
