package org.systole.controld.dc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.cluster.Membership;
import org.systole.common.cluster.Stays;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.remote.RemoteNames;

/// All nodes this controller has heard of: which are in the membership, which have their
/// controller, and since when. Every node keeps such a book, so that a new DC can write it into the
/// CIB.
public final class NodeBook {
  private static final class Node {
    public final NodeId id;
    NodeName name;
    public boolean configured;

    /// It came into the node list while the cluster runs, or the list does not tell its name; and it
    /// was never there yet.
    boolean expectedFirst;

    /// The CIB has had it as a member.
    boolean recorded;
    long memberSince;
    long sinceNumber;
    long onlineSince;

    /// A member whose controller is not there but may be in a moment.
    boolean missing;

    /// Its controller was lost during its present stay in the membership.
    boolean restarted;

    /// It left the membership, and not in good order as far as this node knows.
    boolean lost;

    /// It left the membership in good order as far as this node knows.
    boolean leftWell;

    /// `member` or `down`; null while nothing is expected.
    @Nullable String expected;

    Node(NodeId id, NodeName name) {
      this.id = id;
      this.name = name;
    }
  }

  private final Map<NodeId, Node> nodes = new TreeMap<>();
  private final Stays stays = new Stays();

  private final RemoteNames remotes = new RemoteNames();

  private Supplier<@Nullable Element> cib = () -> null;

  /// Says where to look for the names of remote nodes.
  public void cib(Supplier<@Nullable Element> present) {
    cib = present;
  }

  /// Whether a remote or guest node has the node's name, in any case of letters, or is called like its id, and was there first. Such a node is none
  /// of the cluster's: what runs on the remote node would count as nobody's. It is not let in, nor known by its name.
  boolean isTaken(NodeId id) {
    var node = nodes.get(id);
    return node != null && isTaken(node);
  }

  private boolean isTaken(Node node) {
    var now = cib.get();
    if (node.recorded || now == null) {
      return false;
    }
    var entries = now.path("configuration", "nodes");
    node.recorded = entries != null && entries.first("node", node.id.toString()) != null;
    return !node.recorded
        && (remotes.isKept(now, node.name.text()) || remotes.isKept(now, node.id.toString()));
  }

  /// Says which node this one is, before the first membership.
  public void localNode(NodeId id) {
    stays.localNode(id);
  }

  public void configured(List<ConfiguredNode> list) {
    for (var configured : list) {
      var node = node(configured.id(), configured.name());
      node.configured = true;
      node.expectedFirst = configured.isUnknown();
    }
  }

  /// The node list has changed while the cluster runs. A node that is new in it is told to the CIB
  /// when it comes: an entry without a state would have it fenced, as one that was never seen.
  public void changed(List<ConfiguredNode> list) {
    nodes.values().forEach(it -> it.configured = false);
    for (var configured : list) {
      var known = nodes.containsKey(configured.id());
      var node = node(configured.id(), configured.name());
      node.name = configured.name();
      node.configured = true;
      node.expectedFirst = node.expectedFirst || !known;
    }
  }

  /// @param wasOnline its controller was there until now
  record Lost(NodeId id, boolean wasOnline) {}

  /// @return those that are no longer members
  List<Lost> membership(Membership membership, long nowSeconds) {
    stays.membership(membership);
    for (var member : membership.members()) {
      var node = node(member.id(), member.name());
      node.expectedFirst = false;
      node.name = member.name();
      node.sinceNumber = member.sinceNumber();
      if (node.memberSince == 0) {
        node.memberSince = nowSeconds;
        node.missing = node.onlineSince == 0;
        node.restarted = false;
        node.lost = false;
        node.leftWell = false;
        node.expected = null; // the expectation was about its earlier stay; the DC sets a new one
      }
    }
    var lost = new ArrayList<Lost>();
    for (var node : nodes.values()) {
      if (node.memberSince != 0 && membership.byId(node.id) == null) {
        lost.add(new Lost(node.id, node.onlineSince != 0));
        node.memberSince = 0;
        node.onlineSince = 0;
        node.missing = false;
        node.lost = !"down".equals(node.expected);
        node.leftWell = !node.lost;
      }
    }
    return lost;
  }

  /// @param online the nodes whose controllers are there
  /// @return those whose controller went away
  List<NodeId> group(List<NodeId> online, long nowSeconds) {
    for (var id : online) {
      var node = nodes.get(id);
      if (node != null && node.onlineSince == 0) {
        node.onlineSince = nowSeconds;
      }
    }
    var there = new TreeSet<>(online);
    var lost = new ArrayList<NodeId>();
    for (var node : nodes.values()) {
      if (node.onlineSince != 0 && !there.contains(node.id)) {
        node.onlineSince = 0;
        node.missing = node.memberSince != 0;
        node.restarted = node.memberSince != 0;
        lost.add(node.id);
      }
    }
    return lost;
  }

  void expect(NodeId id, String what) {
    var node = nodes.get(id);
    if (node != null) {
      node.expected = what;
      node.lost = node.lost && !"down".equals(what);
    }
  }

  /// This node is DC anew. Those it let in in an earlier term may have been let go by a DC since: what is expected of
  /// them is what the CIB says, until they join.
  void newTerm() {
    for (var node : nodes.values()) {
      if ("member".equals(node.expected)) {
        node.expected = null;
      }
    }
  }

  /// It left as it was meant to, so no later DC has it fenced.
  void leftInGoodOrder(NodeId id) {
    var node = nodes.get(id);
    if (node != null) {
      node.lost = false;
      node.leftWell = node.memberSince == 0;
    }
  }

  /// Whether a node of the list is down, and was let go or fenced, as far as this node knows.
  boolean isKnownDown(NodeId id) {
    var node = nodes.get(id);
    return node != null
        && node.configured
        && !isTaken(node)
        && node.memberSince == 0
        && (node.leftWell || "down".equals(node.expected));
  }

  boolean isExpectedDown(NodeId id) {
    var node = nodes.get(id);
    return node != null && "down".equals(node.expected);
  }

  /// Members that lost their controller, or have had none since they came, and that have not been
  /// given up.
  List<NodeId> missing() {
    return nodes.values().stream().filter(it -> it.missing && !isTaken(it)).map(it -> it.id).toList();
  }

  boolean isMissing(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.missing;
  }

  /// Whether its controller was lost during its present stay in the membership.
  boolean isRestarted(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.restarted;
  }

  void giveUp(NodeId id) {
    var node = nodes.get(id);
    if (node != null) {
      node.missing = false;
    }
  }

  public boolean isOnline(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.memberSince != 0 && node.onlineSince != 0;
  }

  /// See [Stays#of].
  public long stay(NodeId id) {
    return stays.of(id);
  }

  /// The number of the membership in which a node's stay began, or its last one, as all members have
  /// it; 0 if it was never there.
  public long sinceNumber(NodeId id) {
    var node = nodes.get(id);
    return node == null ? 0 : node.sinceNumber;
  }

  public boolean isMember(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.memberSince != 0;
  }

  /// The nodes that can be sent messages, this one included, sorted by id.
  public List<NodeId> online() {
    return nodes.values().stream()
        .filter(it -> it.memberSince != 0 && it.onlineSince != 0)
        .map(it -> it.id)
        .toList();
  }

  public boolean allConfiguredOnline() {
    return nodes.values().stream()
        .allMatch(it -> !it.configured || it.expectedFirst || (it.memberSince != 0 && it.onlineSince != 0));
  }

  /// All ids ever heard of, sorted.
  public List<NodeId> ids() {
    return List.copyOf(nodes.keySet());
  }

  /// Made of its id if its name is not known.
  public NodeName name(NodeId id) {
    var node = nodes.get(id);
    return node == null ? new NodeName("node " + id) : node.name;
  }

  public @Nullable NodeId id(NodeName name) {
    for (var node : nodes.values()) {
      if (node.name.equals(name) && !isTaken(node)) {
        return node.id;
      }
    }
    return null;
  }

  /// The name by which the CIB has a remote or guest node, in whatever case of letters it was named; null if there is none, or a
  /// member is called so.
  public @Nullable NodeName remote(NodeName name) {
    return id(name) != null ? null : remotes.of(cib.get(), name);
  }

  public void forget(NodeId id) {
    var node = nodes.get(id);
    if (node != null && !node.configured) {
      nodes.remove(id);
    }
  }

  /// Whether the node list of the cluster's configuration file has it.
  public boolean isConfigured(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.configured;
  }

  /// Whether the CIB has to have it.
  boolean belongsIntoCib(NodeId id) {
    var node = nodes.get(id);
    return node != null && node.configured && !node.expectedFirst && !isTaken(node);
  }

  /// The node's entry in `configuration/nodes`.
  Element configurationEntry(NodeId id) {
    return Element.of("node", "id", String.valueOf(id), "uname", name(id).text());
  }

  /// The node's `node_state` without history; null for a node that is no member and of which
  /// `known`, its present entry in the CIB, has no state either: its state is unknown, and the
  /// scheduler must treat it as unseen. If this node has seen it leave, or lose its controller, it is
  /// recorded as expected to be there, so that it is fenced: its entry may have been lost with the
  /// status section, or hold attributes only.
  ///
  /// @param joined it has joined the DC or is joining
  @Nullable Element state(NodeId id, boolean joined, String origin, @Nullable Element known) {
    var node = nodes.get(id);
    if (node == null || isTaken(node)) {
      return null;
    }
    var unknown = !hasState(known) && node.onlineSince == 0 && (node.memberSince == 0 || node.restarted);
    if (unknown && node.memberSince == 0 && !node.lost) {
      return null;
    }
    return Element.builder("node_state")
        .attr("id", id.toString())
        .attr("uname", node.name.text())
        .attr("in_ccm", node.memberSince)
        .attr("crmd", node.onlineSince)
        .attr("crm-debug-origin", origin)
        .attr("join", joined && node.onlineSince != 0 ? "member" : "down")
        .attr("expected", unknown ? "member" : node.expected)
        .build();
  }

  static boolean hasState(@Nullable Element state) {
    return state != null && (state.get("in_ccm") != null || state.get("expected") != null);
  }

  /// The state recorded for a fenced node.
  Element downState(NodeId id, String origin) {
    return absentState(id, origin, "down");
  }

  /// The state of a node that is not there.
  Element absentState(NodeId id, String origin, String expected) {
    return Element.of(
        "node_state",
        "id",
        String.valueOf(id),
        "uname",
        name(id).text(),
        "in_ccm",
        "0",
        "crmd",
        "0",
        "crm-debug-origin",
        origin,
        "join",
        "down",
        "expected",
        expected);
  }

  private Node node(NodeId id, NodeName name) {
    return nodes.computeIfAbsent(id, it -> new Node(it, name));
  }
}
