package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.QuorumOptions;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.pacemakerd.qdevice.DeviceTiming;

/// What one node's cluster configuration file says, as far as all nodes have to agree about it.
///
/// The files differ for as long as an administrator changes them node by node. Each node tells the
/// others its own, so that each can say where another one's differs.
///
/// @param name of the node whose file it is
/// @param tokenMillis after which a silent node is taken for lost
/// @param nodes the node list, sorted by id
/// @param quorum the quorum options of the file
/// @param device what all nodes have to say alike of the quorum device; null without one, and from a
///     build that does not tell it
record NodeConfig(
    NodeName name,
    long tokenMillis,
    List<ConfiguredNode> nodes,
    QuorumOptions quorum,
    @Nullable String device) {
  NodeConfig {
    if (!LinkTiming.isToken(tokenMillis)) {
      throw new IllegalArgumentException("no token time: " + tokenMillis);
    }
    nodes = nodes.stream().sorted(Comparator.comparing(ConfiguredNode::id)).toList();
  }

  static NodeConfig of(ClusterConfig config, ClusterConfig.Node local) {
    return new NodeConfig(
        local.name(),
        config.tokenMillis(),
        LinkConfig.nodes(config),
        config.quorum(),
        device(config));
  }

  /// Whose word it is, and how long that is good: a node waits as long as itself would count it
  /// until nobody else can.
  private static @Nullable String device(ClusterConfig config) {
    var device = config.device();
    if (device == null) {
      return null;
    }
    var timing =
        DeviceTiming.of(
            LinkTiming.ofToken(config.tokenMillis()).claim(), config.tokenMillis(), device);
    return "%s (%s, its word is good for %d ms)"
        .formatted(
            device.net().address(), device.net().algorithm().word(), timing.valid().toMillis());
  }

  /// The same in the file of another node.
  NodeConfig of(NodeName owner) {
    return new NodeConfig(owner, tokenMillis, nodes, quorum, device);
  }

  boolean lists(NodeId id) {
    return nodes.stream().anyMatch(it -> it.id().equals(id));
  }

  /// Whether another node's file says the same.
  boolean saysAs(NodeConfig other) {
    return differences(other).isEmpty();
  }

  QuorumRules rules() {
    return new QuorumRules(nodes, quorum);
  }

  /// Whether a quorate membership of nodes with these files may forget earlier members: all files
  /// agree, and expect all nodes they list.
  ///
  /// A node that is no longer listed cannot have quorum with one of these nodes, which no longer
  /// vote by a list that has it, nor without them, as they were a majority of the larger number.
  static boolean settled(Collection<NodeConfig> files) {
    for (var one : files) {
      var listed = one.nodes.stream().mapToInt(ConfiguredNode::votes).sum();
      if (one.quorum.expectedVotes() < listed
          || !files.stream().allMatch(it -> it.differences(one).isEmpty())) {
        return false;
      }
    }
    return !files.isEmpty();
  }

  /// Where another node's file says something else than this one: a few words each, empty if
  /// nowhere.
  List<String> differences(NodeConfig other) {
    var found = new ArrayList<String>();
    var here = new TreeMap<NodeId, ConfiguredNode>();
    nodes.forEach(it -> here.put(it.id(), it));
    for (var there : other.nodes) {
      var mine = here.remove(there.id());
      if (mine == null) {
        found.add("it lists node %s (%s), this one does not".formatted(there.id(), there.name()));
      } else if (!mine.equals(there)) {
        found.add(
            "node %s is %s with %d votes there, %s with %d here"
                .formatted(there.id(), there.name(), there.votes(), mine.name(), mine.votes()));
      }
    }
    here.forEach(
        (id, mine) -> found.add("it does not list node %s (%s)".formatted(id, mine.name())));
    if (tokenMillis != other.tokenMillis) {
      found.add("its token is %d ms, here %d ms".formatted(other.tokenMillis, tokenMillis));
    }
    quorumDifferences(other.quorum, found);
    if (device != null && other.device != null) {
      differ(found, "quorum device", other.device, device);
    }
    return found;
  }

  /// Whether the same nodes have quorum by both.
  boolean countsAs(NodeConfig other) {
    return votes().equals(other.votes())
        && quorum.expectedVotes() == other.quorum.expectedVotes()
        && quorum.twoNode() == other.quorum.twoNode()
        && quorum.autoTieBreaker() == other.quorum.autoTieBreaker()
        && tieBreaker(quorum).equals(tieBreaker(other.quorum))
        && countsDeviceAs(other);
  }

  private Map<NodeId, Integer> votes() {
    var votes = new TreeMap<NodeId, Integer>();
    nodes.forEach(it -> votes.put(it.id(), it.votes()));
    return votes;
  }

  /// Whether the quorum device's vote is the same thing by both.
  boolean countsDeviceAs(NodeConfig other) {
    return Objects.equals(quorum.deviceVotes(), other.quorum.deviceVotes())
        && (device == null || other.device == null || device.equals(other.device));
  }

  private void quorumDifferences(QuorumOptions there, List<String> found) {
    differ(found, "expected_votes", there.expectedVotes(), quorum.expectedVotes());
    differ(found, "two_node", there.twoNode(), quorum.twoNode());
    differ(found, "wait_for_all", there.waitForAll(), quorum.waitForAll());
    differ(found, "last_man_standing", there.lastManStanding(), quorum.lastManStanding());
    differ(
        found,
        "last_man_standing_window",
        there.lastManStandingWindowMillis(),
        quorum.lastManStandingWindowMillis());
    differ(found, "auto_tie_breaker", there.autoTieBreaker(), quorum.autoTieBreaker());
    differ(
        found,
        "votes of the quorum device",
        Objects.requireNonNullElse(there.deviceVotes(), 0),
        Objects.requireNonNullElse(quorum.deviceVotes(), 0));
    differ(found, "auto_tie_breaker_node", tieBreaker(there), tieBreaker(quorum));
  }

  private static void differ(List<String> found, String option, Object there, Object here) {
    if (!there.equals(here)) {
      found.add("its %s is %s, here %s".formatted(option, there, here));
    }
  }

  private static String tieBreaker(QuorumOptions options) {
    if (!options.tieBreakerIds().isEmpty()) {
      return options.tieBreakerIds().toString();
    }
    return options.tieBreakerHighest() ? "highest" : "lowest";
  }
}
