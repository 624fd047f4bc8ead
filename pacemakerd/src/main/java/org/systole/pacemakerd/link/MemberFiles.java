package org.systole.pacemakerd.link;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// The members' configuration files, and the expected votes that follow from them and from the
/// members this node has seen.
final class MemberFiles {
  private final World world;
  private final LinkConfig config;
  private final Map<NodeId, List<String>> differing = new HashMap<>(); // and told
  private Map<NodeId, NodeConfig> files = Map.of();
  private int seenVotes; // the most this process has been a member together with

  MemberFiles(World world, LinkConfig config) {
    this.world = world;
    this.config = config;
  }

  /// The votes of the whole cluster, as far as this node knows.
  int expectedVotes() {
    return Math.max(config.present().quorum().expectedVotes(), seenVotes);
  }

  /// The name a member's own file gives it.
  NodeName name(NodeId nodeId) {
    var theirs = files.get(nodeId);
    return theirs == null ? new NodeName(nodeId.toString()) : theirs.name();
  }

  /// New members.
  void installed(Map<NodeId, NodeConfig> byNode, QuorumState quorum) {
    files = byNode;
    counted(quorum);
    byNode.forEach(this::compare);
  }

  /// The votes were counted anew.
  void counted(QuorumState quorum) {
    var forget = quorum.quorate() && NodeConfig.settled(files.values());
    seenVotes = forget ? quorum.totalVotes() : Math.max(seenVotes, quorum.totalVotes());
  }

  /// While a node list is changed node by node, files differ. What differs for longer is a mistake
  /// that may cost the quorum, or give it to two sides.
  private void compare(NodeId nodeId, NodeConfig theirs) {
    var differences = nodeId.equals(config.local().id()) ? List.<String>of() : config.file().differences(theirs);
    if (differences.isEmpty()) {
      differing.remove(nodeId);
    } else if (!differences.equals(differing.put(nodeId, differences))) {
      world
          .log()
          .warning(
              "corosync.conf of node %s differs from this node's: %s; make them the same"
                  .formatted(theirs.name(), String.join("; ", differences)));
    }
  }
}
