package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.values.NodeId;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.link.LinkPeerMessage.Standing;

/// The configuration files that members have read anew and that are not in force yet.
///
/// Why no two sides have quorum while the files change. Until then a membership needs a quorum by
/// the old rules, and nobody outside it can have one by the new ([QuorumRules#blocks]). A file
/// comes in force with a membership that has quorum by both and whose members have all taken it.
/// So whoever missed that holds the file too, and must not be outvoted by those who count by it;
/// and those who never took it are too few for the old rules; if these have a quorum device, they
/// have to be too few even if it goes over to them.
///
/// Why nothing is lost that was acknowledged. By other votes others have quorum than those that hold it. So from when all have taken
/// the file ([LinkPeerMessage.Install#behind]) what is acknowledged is with most of the votes by both, or with all that are there, and a
/// file by which others have quorum comes in force once each member has what was acknowledged before, or before it came
/// ([InStep#hasAll]). That goes for a list with more nodes, too: those that come have nothing, and with
/// one that lacks it they may be enough.
///
/// Who was away as a file came in force may count by one of long ago. A node that counts by the new one and is cut off together with such may not
/// give them its vote: those it was with have quorum without it. So of members that count otherwise than the leader only those vote who
/// have quorum together with the others by their own file, too ([#voters]).
///
/// @param held all that some member has taken, each once
/// @param agreed the file that all members want that it lists; null if there is none
/// @param dropped members that the file does not list
/// @param ahead members that count by one of these files already, since they started with it: what
///     they expect is no matter of the old rules
/// @param behind members for whose copy of what was acknowledged the file has to wait; null if it is not to wait for any
/// @param otherwise what members count by now whose leader counts otherwise
/// @param unread members that want another file than the newest that some have taken
record NewFiles(
    List<NodeConfig> held,
    @Nullable NodeConfig agreed,
    List<Place> dropped,
    Set<NodeId> ahead,
    @Nullable List<NodeId> behind,
    Map<NodeId, NodeConfig> otherwise,
    List<NodeId> unread) {
  static final NewFiles NONE = new NewFiles(List.of(), null, List.of(), Set.of(), null, Map.of(), List.of());

  /// @param standings of the future members
  /// @param places the future members
  /// @param number of the future membership
  /// @param leaders what its leader counts by
  static NewFiles of(Map<NodeId, Standing> standings, List<Place> places, long number, NodeConfig leaders) {
    var otherwise = new TreeMap<NodeId, NodeConfig>();
    standings.forEach(
        (id, it) -> {
          if (!it.config().countsAs(leaders)) {
            otherwise.put(id, it.config());
          }
        });
    var held = new ArrayList<NodeConfig>();
    @Nullable NodeConfig wanted = null;
    for (var standing : standings.values()) {
      var taken = taken(standing);
      for (var file : taken) {
        if (held.stream().noneMatch(it -> it.saysAs(file))) {
          held.add(file);
        }
      }
      wanted = wanted != null || taken.isEmpty() ? wanted : taken.getLast();
    }
    if (wanted == null) {
      return new NewFiles(List.of(), null, List.of(), Set.of(), null, otherwise, List.of());
    }
    var target = wanted;
    var ahead = new TreeSet<NodeId>();
    standings.forEach(
        (id, it) -> {
          if (held.stream().anyMatch(it.config()::saysAs)) {
            ahead.add(id);
          }
        });
    if (!wantOthers(standings, target).isEmpty()) {
      return new NewFiles(held, null, List.of(), ahead, null, otherwise, wantOthers(standings, newest(standings, target)));
    }
    var dropped = places.stream().filter(it -> !target.lists(it.nodeId())).toList();
    var behind = dropped.isEmpty() ? behind(standings, places, number, target) : null;
    return new NewFiles(held, target, dropped, ahead, behind, otherwise, List.of());
  }

  private static List<NodeId> wantOthers(Map<NodeId, Standing> standings, NodeConfig target) {
    var others = new ArrayList<NodeId>();
    standings.forEach(
        (id, it) -> {
          var taken = taken(it);
          if (target.lists(id) && !(taken.isEmpty() ? it.config() : taken.getLast()).saysAs(target)) {
            others.add(id);
          }
        });
    return others;
  }

  /// The first file that was taken last by somebody, and that nobody has taken another one after.
  private static NodeConfig newest(Map<NodeId, Standing> standings, NodeConfig otherwise) {
    for (var it : standings.values()) {
      var taken = taken(it);
      if (!taken.isEmpty() && standings.values().stream().noneMatch(of -> isFollowed(taken.getLast(), taken(of)))) {
        return taken.getLast();
      }
    }
    return otherwise;
  }

  private static boolean isFollowed(NodeConfig file, List<NodeConfig> taken) {
    return !taken.isEmpty() && !taken.getLast().saysAs(file) && taken.stream().anyMatch(file::saysAs);
  }

  /// Members of builds that do not tell it are not waited for, nor is anybody together with one.
  private static @Nullable List<NodeId> behind(
      Map<NodeId, Standing> standings, List<Place> places, long number, NodeConfig target) {
    if (standings.values().stream().anyMatch(it -> it.inStep() == null)
        || standings.values().stream().allMatch(it -> it.config().countsAs(target))) {
      return null;
    }
    var behind = new ArrayList<NodeId>();
    for (var place : places) {
      var standing = standings.get(place.nodeId());
      var stays = place.since() != number; // the others may have gone on without who comes
      if (!stays || standing == null || !Boolean.TRUE.equals(standing.inStep())) {
        behind.add(place.nodeId());
      }
    }
    return List.copyOf(behind);
  }

  private static List<NodeConfig> taken(Standing standing) {
    var taken = standing.taken();
    return taken == null ? List.of() : taken;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /// The quorum of members, by the rules in force and by these files.
  ///
  /// @param before what the members bring along
  /// @param configured the largest number of votes that a member's configuration expects
  /// @param device whether the quorum device votes for them
  QuorumState count(
      QuorumRules inForce, Set<NodeId> nodes, Electorate electorate, List<QuorumState> before, int configured, boolean device) {
    return limit(inForce.next(voters(nodes, electorate, device), electorate, before, configured, device), nodes);
  }

  /// Whether the members that have just answered have quorum by themselves.
  boolean carried(QuorumRules inForce, Set<NodeId> answered, QuorumState quorum, Electorate electorate, boolean device) {
    return inForce.carries(voters(answered, electorate, device), quorum, electorate, device) && allow(answered);
  }

  /// Those of these nodes whose votes count together.
  private Set<NodeId> voters(Set<NodeId> nodes, Electorate electorate, boolean device) {
    var voters = new TreeSet<>(nodes);
    otherwise.forEach(
        (id, file) -> {
          if (!file.rules().have(nodes, electorate, device)) {
            voters.remove(id);
          }
        });
    return voters;
  }

  /// Who is to leave in good order now: those the file does not list, if the others have quorum by what is in force until they are
  /// gone. Else they are kept, and with them the quorum, until some others have come.
  List<Place> leaving(QuorumRules inForce, Set<NodeId> nodes, QuorumState quorum, Electorate electorate, boolean device) {
    var staying = new TreeSet<>(nodes);
    dropped.forEach(it -> staying.remove(it.nodeId()));
    return carried(inForce, staying, quorum, electorate, device) ? dropped : List.of();
  }

  /// Whether these nodes cannot be outvoted by any of the files.
  boolean allow(Set<NodeId> nodes) {
    return held.stream().allMatch(it -> it.rules().blocks(nodes));
  }

  /// The same state, without quorum if somebody else could have it by one of the files.
  QuorumState limit(QuorumState state, Set<NodeId> nodes) {
    return state.quorate() && !allow(nodes) ? state.withoutQuorum() : state;
  }

  /// The members' quorum by the file they agree on, null if it cannot come in force yet.
  ///
  /// @param state theirs by the rules in force
  /// @param electorate whose votes count, and that all do by the file, if that is anything new
  /// @param it the membership that is made
  /// @param seen the most votes any of them has seen together
  /// @param inForce by which `state` was counted
  @Nullable QuorumState adopted(
      QuorumState state,
      Set<NodeId> nodes,
      Electorate electorate,
      Attempt it,
      int seen,
      QuorumRules inForce) {
    if (agreed == null
        || !dropped.isEmpty()
        || behind != null && !behind.isEmpty()
        || !state.quorate()
        || !inForce.holdsDevice(nodes)) {
      return null;
    }
    var rules = agreed.rules();
    rules.tieBreaker(it.tieBreaker(agreed.quorum().tieBreakerIds()));
    var expected = agreed.quorum().expectedVotes();
    var listed = agreed.nodes().stream().mapToInt(ConfiguredNode::votes).sum();
    var configured = expected < listed ? Math.max(expected, seen) : expected;
    var counted = rules.next(nodes, electorate, it.quorumStates(), configured, false);
    return counted.quorate() ? counted : null;
  }
}
