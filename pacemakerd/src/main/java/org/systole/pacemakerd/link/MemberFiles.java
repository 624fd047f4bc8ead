package org.systole.pacemakerd.link;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
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
  private List<NodeId> unread = List.of();
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

  /// Other node lists by which some may have quorum soon: those that were taken and are not in force, and those that members
  /// count by since they started with them, as when an administrator gives each node its new file and starts it anew. What is acknowledged
  /// is with most of each of these, too, or it could be lost with those that the new list does not have. A list by which those who are there
  /// have no quorum, as it is wrong, matters to nobody.
  ///
  /// @return null if there are none
  @Nullable List<List<ConfiguredNode>> coming(@Nullable Epoch epoch, Electorate electorate) {
    var coming = new LinkedHashSet<List<ConfiguredNode>>();
    config.taken().forEach(it -> coming.add(it.nodes()));
    for (var theirs : files.values()) {
      if (epoch != null && !theirs.countsAs(config.file()) && theirs.rules().have(epoch.nodeIds(), electorate, true)) {
        coming.add(theirs.nodes());
      }
    }
    return coming.isEmpty() ? null : List.copyOf(coming);
  }

  /// New members.
  void installed(LinkPeerMessage.Install it) {
    files = it.configs();
    unread = it.unread() == null ? List.of() : it.unread();
    counted(it.quorum());
    files.forEach(this::compare);
  }

  /// The members that have not taken the newest file that others have.
  List<NodeId> unread() {
    return unread;
  }

  /// Whether a member has gone by a file since it started, or since that came in force.
  boolean isInForce(NodeId nodeId, NodeConfig file) {
    return files.get(nodeId) instanceof NodeConfig theirs && theirs.saysAs(file);
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
              "corosync.conf of node %s differs from this node's: %s; make them the same, and have them read anew with corosync-cfgtool -R"
                  .formatted(theirs.name(), String.join("; ", differences)));
    }
  }
}
