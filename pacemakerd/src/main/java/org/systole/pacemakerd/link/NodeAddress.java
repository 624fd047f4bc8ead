package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeId;

/// An address of a node, as a cluster configuration file has it.
///
/// Votes do not depend on it, but a node that one of the others has another address of is not reached from there.
///
/// @param link its number
/// @param address an IP address or a host name
record NodeAddress(NodeId nodeId, int link, String address) {
  static List<NodeAddress> of(ClusterConfig config) {
    var all = new ArrayList<NodeAddress>();
    for (var node : config.nodes()) {
      node.addresses().forEach((link, address) -> all.add(new NodeAddress(node.id(), link, address)));
    }
    return all;
  }

  /// Where another file has other addresses of nodes that both list: a few words each.
  ///
  /// @param names of the nodes
  /// @param here null, as what is there, from a build that does not tell it
  static List<String> differences(NodeConfig names, @Nullable List<NodeAddress> here, @Nullable List<NodeAddress> there) {
    var found = new ArrayList<String>();
    if (here == null || there == null) {
      return found;
    }
    for (var node : names.nodes()) {
      var id = node.id();
      if (!lists(here, id) || !lists(there, id)) {
        continue;
      }
      for (var link : links(id, here, there)) {
        var mine = address(here, id, link);
        var theirs = address(there, id, link);
        if (!mine.equals(theirs)) {
          found.add("its ring%d_addr of node %s (%s) is %s, here %s".formatted(link, id, node.name(), theirs, mine));
        }
      }
    }
    return found;
  }

  private static boolean lists(List<NodeAddress> of, NodeId id) {
    return of.stream().anyMatch(it -> it.nodeId.equals(id));
  }

  private static TreeSet<Integer> links(NodeId id, List<NodeAddress> here, List<NodeAddress> there) {
    var links = new TreeSet<Integer>();
    for (var all : List.of(here, there)) {
      all.stream().filter(it -> it.nodeId.equals(id)).forEach(it -> links.add(it.link));
    }
    return links;
  }

  private static String address(List<NodeAddress> of, NodeId id, int link) {
    return of.stream().filter(it -> it.nodeId.equals(id) && it.link == link).findFirst().map(NodeAddress::address).orElse("none");
  }
}
