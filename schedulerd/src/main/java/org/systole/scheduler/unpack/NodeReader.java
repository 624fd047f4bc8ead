package org.systole.scheduler.unpack;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.WorkingSet;

/// Reads the configured nodes and their attributes.
final class NodeReader {
  private static final String KIND = "#kind";

  private final WorkingSet ws;

  NodeReader(WorkingSet ws) {
    this.ws = ws;
  }

  /// @param connected the remote nodes that resources make
  void read(@Nullable Element nodes, ConnectedNames connected) {
    if (nodes == null) {
      return;
    }
    for (var entry : nodes.children("node")) {
      var id = entry.id();
      if (id == null) {
        ws.configError("unpack_nodes", "Ignoring <node> entry in configuration without id");
        continue;
      }
      var written = entry.get("uname", id);
      var name = isRemote(entry.get("type")) ? connected.of(written) : written;
      var other = !name.equals(written);
      if (other && (ws.node(name) != null || nodes.first("node", name) != null)) {
        ws.configWarning("Ignoring the node entry %s: node %s has another one".formatted(written, name));
        continue;
      }
      var node = create(other ? name : id, name, entry.get("type"), score(entry));
      if (node == null) {
        return;
      }
      startUnclean(node);
      readAttributes(entry, node, false);
    }
  }

  private int score(Element entry) {
    var text = entry.get("score");
    var score = text == null ? null : Health.read(ws, text);
    if (text != null && score == null) {
      ws.configWarning(
          "Using 0 as score for node "
              + entry.get("uname", "without name")
              + " because '"
              + text
              + "' is not a valid score");
    }
    return score == null ? 0 : score;
  }

  /// Creates a node; null if its type is not known.
  @Nullable Node create(String id, String name, @Nullable String type, int score) {
    if (ws.node(name) != null) {
      ws.configWarning("More than one node entry has name '" + name + "'");
    }
    var remote = isRemote(type);
    if (type != null && !remote && !type.equalsIgnoreCase("member")) {
      ws.configError(
          "pe__create_node", "Ignoring node " + name + " with unrecognized type '" + type + "'");
      return null;
    }
    var node = ws.addNode(id, name);
    node.setScore(score);
    node.setRemoteKind(remote);
    node.set(NodeFlag.PROBES_ALLOWED);
    node.attributes().put(KIND, remote ? "remote" : "cluster");
    if (remote) {
      ws.set(ClusterFlag.HAVE_REMOTE_NODES);
    }
    return node;
  }

  private static boolean isRemote(@Nullable String type) {
    return "remote".equalsIgnoreCase(type);
  }

  /// Creates the node of a remote connection.
  Node createRemote(String name, int score) {
    var node = create(name, name, "remote", score);
    if (node == null) {
      throw new IllegalStateException("a remote node is of a known type");
    }
    return node;
  }

  /// Notes that a node is a guest or bundle node.
  static void markAsContainer(Node node) {
    node.attributes().put(KIND, "container");
  }

  /// Until its state has been seen, a node may be running anything.
  void startUnclean(Node node) {
    // A leftover entry of a removed remote node has nothing to be fenced.
    if (!node.remoteKind() || node.remote() != null) {
      node.setUnclean(ws.is(ClusterFlag.STARTUP_FENCING));
    }
  }

  /// Reads the attributes and utilization inside an element.
  ///
  /// @param overwrite whether the new values count more than those the node has
  void readAttributes(@Nullable Element from, Node node, boolean overwrite) {
    var attributes = node.attributes();
    attributes.put("#uname", node.name());
    attributes.put("#id", node.id());
    var dcId = ws.cib().get("dc-uuid");
    if (ws.dc() == null && node.id().equalsIgnoreCase(dcId)) {
      ws.setDc(node);
      attributes.put("#is_dc", "true");
    } else if (ws.dc() != node) {
      attributes.put("#is_dc", "false");
    }
    var clusterName = ws.options().get("cluster-name");
    if (clusterName != null) {
      attributes.put("#cluster-name", clusterName);
    }
    var found = overwrite ? new LinkedHashMap<String, String>() : attributes;
    ws.readBlocks(from, "instance_attributes", ws.ruleContext(), found, null);
    if (overwrite) {
      attributes.putAll(found);
    }
    ws.readBlocks(from, "utilization", ws.ruleContext(), node.utilization(), null);
    siteName(attributes, clusterName);
  }

  private static void siteName(Map<String, String> attributes, @Nullable String clusterName) {
    if (attributes.containsKey("#site-name")) {
      return;
    }
    var site = attributes.getOrDefault("site-name", clusterName);
    if (site != null) {
      attributes.put("#site-name", site);
    }
  }
}
