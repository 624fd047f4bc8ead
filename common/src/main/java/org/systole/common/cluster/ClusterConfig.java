package org.systole.common.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// The cluster configuration file: who the nodes are and how they find and trust each other.
///
/// @param tokenMillis the time after which a silent node is taken for lost
/// @param port the TCP port of every node
/// @param encrypted false only where the file says `crypto_cipher: none`, or `secauth: off` and no
///     cipher
/// @param keyFile the file that `totem.keyfile` names, null for the usual one
/// @param nodes in order of their ids
/// @param priorities of links by their numbers, of those the file has an `interface` section for
/// @param device the quorum device, null if there is none
/// @param remarks what of the file has no effect, for the log
public record ClusterConfig(
    String name,
    long tokenMillis,
    int port,
    boolean encrypted,
    @Nullable String keyFile,
    List<Node> nodes,
    SortedMap<Integer, Integer> priorities,
    QuorumOptions quorum,
    @Nullable QuorumDevice device,
    List<String> remarks) {
  /// The shortest token time that a file may have, in milliseconds.
  public static final int TOKEN_MIN = 200;

  /// The longest that can come of a file, with `token_coefficient` for each node.
  public static final int TOKEN_MOST = 600_000_000;

  /// Where a node's name is from.
  public enum Naming {
    /// The list gives it.
    LISTED,
    /// The list gives none, and the node has told what its machine is called.
    TOLD,
    /// Neither has said it yet.
    UNKNOWN
  }

  /// @param name its address where it is [Naming#UNKNOWN]
  /// @param addresses IP addresses or host names by the number of the link, with one for link 0
  public record Node(
      NodeId id, NodeName name, Naming naming, SortedMap<Integer, String> addresses, int votes) {
    public Node {
      addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
    }

    public Node(NodeId id, NodeName name, Naming naming, String address, int votes) {
      this(id, name, naming, new TreeMap<>(Map.of(0, address)), votes);
    }

    /// Of link 0, by which the others know the node.
    public String address() {
      return Objects.requireNonNull(addresses.get(0));
    }

    /// Whether the list gives the name.
    public boolean named() {
      return naming == Naming.LISTED;
    }

    /// Whether neither the list nor the node has told its name yet.
    public boolean isUnknown() {
      return naming == Naming.UNKNOWN;
    }
  }

  public ClusterConfig {
    nodes = List.copyOf(nodes);
    priorities = Collections.unmodifiableSortedMap(new TreeMap<>(priorities));
    remarks = List.copyOf(remarks);
  }

  /// @param file the name for messages
  /// @throws ClusterConfigException if the file cannot be used, with the line and what to do
  public static ClusterConfig parse(String file, String text) throws ClusterConfigException {
    return new ClusterConfigReader(file).read(text);
  }

  /// The same where nodes that the list gives no name are called so.
  ///
  /// @param names what is known; a name that another node has is not taken
  public ClusterConfig called(Map<NodeId, NodeName> names) {
    var renamed = new ArrayList<Node>();
    for (var node : nodes) {
      var known = names.get(node.id);
      var free =
          known != null
              && nodes.stream().noneMatch(it -> it.named() && it.name.equals(known))
              && renamed.stream().noneMatch(it -> it.name.equals(known));
      renamed.add(
          node.named() || !free
              ? node
              : new Node(node.id, known, Naming.TOLD, node.addresses, node.votes));
    }
    return new ClusterConfig(name, tokenMillis, port, encrypted, keyFile, renamed, priorities, quorum, device, remarks);
  }

  public @Nullable Node node(NodeId id) {
    return nodes.stream().filter(it -> it.id().equals(id)).findFirst().orElse(null);
  }

  public @Nullable Node node(NodeName nodeName) {
    return nodes.stream().filter(it -> it.name().equals(nodeName)).findFirst().orElse(null);
  }

  /// Which of the nodes this one is.
  ///
  /// @param named the node's name if it was given, see [org.systole.common.layout.Layout#NODE]
  /// @param isLocal whether an address belongs to this machine
  public Node localNode(@Nullable String named, Predicate<String> isLocal)
      throws ClusterConfigException {
    if (named != null) {
      var asName = NodeName.of(named);
      var node = asName == null ? null : node(asName);
      if (node == null) {
        throw new ClusterConfigException(
            "This node is called %s, and the node list of cluster %s has no such name; add it or correct it"
                .formatted(named, name));
      }
      return node;
    }
    var local = nodes.stream().filter(it -> isLocal.test(it.address())).toList();
    if (local.size() == 1) {
      return local.getFirst();
    }
    throw new ClusterConfigException(
        local.isEmpty()
            ? "None of the addresses in the node list of cluster %s belongs to this machine; correct ring0_addr"
                .formatted(name)
            : "Nodes %s of the node list both have an address of this machine; set SYSTOLE_NODE to one of the names"
                .formatted(
                    String.join(" and ", local.stream().map(it -> it.name().text()).toList())));
  }
}
