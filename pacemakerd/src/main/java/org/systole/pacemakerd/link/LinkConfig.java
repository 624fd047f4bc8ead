package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// The cluster configuration by which this node counts, and what was read anew since and is not in
/// force yet.
///
/// A file that was read anew is *taken* first: from then on no membership of this node acts that
/// could be outvoted by the new rules. It comes *in force* with a membership whose members have all
/// taken it, and which has quorum by the old rules and by the new. So of two nodes that count by
/// different rules each holds the other up; see [NewFiles].
final class LinkConfig {
  private ClusterConfig present;
  private ClusterConfig.Node local;
  private QuorumRules rules;
  private LinkTiming timing;
  private final List<ClusterConfig> taken = new ArrayList<>();

  LinkConfig(ClusterConfig config, ClusterConfig.Node local) {
    this.present = config;
    this.local = local;
    this.rules = rules(config);
    this.timing = LinkTiming.ofToken(config.tokenMillis());
  }

  private static QuorumRules rules(ClusterConfig config) {
    return new QuorumRules(nodes(config), config.quorum());
  }

  /// The node list as its file has it: the same on all nodes.
  static List<ConfiguredNode> nodes(ClusterConfig config) {
    return config.nodes().stream()
        .map(
            it ->
                new ConfiguredNode(
                    it.id(), it.named() ? it.name() : new NodeName(it.address()), it.votes()))
        .toList();
  }

  /// The node list in force, with the names that nodes have told.
  List<ConfiguredNode> configured() {
    return present.nodes().stream()
        .map(
            it ->
                new ConfiguredNode(
                    it.id(),
                    it.isUnknown() ? ConfiguredNode.unknown(it.id()) : it.name(),
                    it.votes()))
        .toList();
  }

  /// Nodes have told their names, which the list does not give.
  ///
  /// @return whether one was not known
  boolean learn(Map<NodeId, NodeName> told) {
    var renamed = present.called(told);
    var news = !renamed.nodes().equals(present.nodes());
    present = renamed;
    return news;
  }

  /// The names of nodes that the list in force does not give, as far as they are known.
  Map<NodeId, NodeName> learned() {
    var names = new TreeMap<NodeId, NodeName>();
    for (var node : present.nodes()) {
      if (!node.named() && !node.isUnknown()) {
        names.put(node.id(), node.name());
      }
    }
    return names;
  }

  /// What is in force.
  ClusterConfig present() {
    return present;
  }

  /// This node, as the list in force has it, or the last one that had it.
  ClusterConfig.Node local() {
    return local;
  }

  /// By what is in force.
  QuorumRules rules() {
    return rules;
  }

  /// By what is in force.
  LinkTiming timing() {
    return timing;
  }

  /// What is in force, for the other nodes.
  NodeConfig file() {
    return NodeConfig.of(present, local);
  }

  /// Whether a node is in the list that is in force, or in the one to come.
  boolean lists(NodeId id) {
    return present.node(id) != null || !taken.isEmpty() && taken.getLast().node(id) != null;
  }

  /// What was taken and is not in force; the last one is to be. Those before it still hold this
  /// node back: some other node may count by them.
  List<NodeConfig> taken() {
    return taken.stream().map(it -> NodeConfig.of(it, local)).toList();
  }

  /// What was taken last and is not in force; null if nothing is.
  @Nullable ClusterConfig coming() {
    return taken.isEmpty() ? null : taken.getLast();
  }

  /// Takes a file that was read anew.
  ///
  /// @return whether the members have to agree to it: it differs from what is in force, or
  ///     something else was taken before
  boolean take(ClusterConfig read) {
    var named = read.called(learned());
    var differs = !NodeConfig.of(read, local).differences(file()).isEmpty();
    if (!differs && taken.isEmpty()) {
      present = named; // addresses, and what else is no matter of agreement
      return false;
    }
    taken.add(named);
    return true;
  }

  /// All members agree to a file.
  ///
  /// @return what is in force now if that changed here, else null
  @Nullable ClusterConfig adopt(NodeConfig agreed) {
    for (var index = taken.size() - 1; index >= 0; index--) {
      var it = taken.get(index);
      if (NodeConfig.of(it, local).differences(agreed).isEmpty()) {
        taken.subList(0, index + 1).clear();
        present = it.called(learned());
        local = Objects.requireNonNullElse(present.node(local.id()), local);
        rules = rules(it);
        timing = LinkTiming.ofToken(it.tokenMillis());
        return present;
      }
    }
    return null;
  }
}
