package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibVersion;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What must always hold, looked at from outside.
final class SimChecks {
  private static final long SECOND = 1_000_000_000L;

  /// As long as nodes whose partition has just ended may take to find each other and elect.
  private static final long TWO_DCS_MAX = 30 * SECOND;

  /// The cluster's own daemons ask for a few, too.
  private static final int DESCRIBING_MAX = 12;

  private static final Pattern COUNTED =
      Pattern.compile("Fencing \\((?:off|reboot)\\) of (\\S+) by \\S+ with watchdog succeeded");

  /// The step of a script that has [#everyOneAnswers] looked at.
  static final String ANSWERS = "answers";

  private static final String IN_VAIN = "error: No result of ";

  private final SimCluster cluster;
  private boolean answers;
  private final Set<String> exclusive = new TreeSet<>();
  private final Map<String, Long> twoDcsSince = new LinkedHashMap<>();
  private final SimRoleChecks roles;
  private final SimStandby standby;
  private final SimRemovals removals;
  private final SimWellHosts wellHosts;
  private final SimReachableHosts reachableHosts;
  private final SimNeedlessStops needlessStops;
  private boolean fences = true;
  private @Nullable Element original;

  SimChecks(SimCluster cluster) {
    this.cluster = cluster;
    this.roles = new SimRoleChecks(cluster);
    this.standby = new SimStandby(cluster);
    this.removals = new SimRemovals(cluster);
    this.wellHosts = new SimWellHosts(cluster);
    this.reachableHosts = new SimReachableHosts(cluster);
    this.needlessStops = new SimNeedlessStops(cluster);
  }

  SimStandby standby() {
    return standby;
  }

  SimRemovals removals() {
    return removals;
  }

  SimWellHosts wellHosts() {
    return wellHosts;
  }

  SimReachableHosts reachableHosts() {
    return reachableHosts;
  }

  SimRoleChecks roles() {
    return roles;
  }

  /// Learns which resources may be active only once: the primitives outside clones and bundles.
  void learn(Element cib) {
    original = cib;
    exclusive.clear();
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      collect(resources);
    }
  }

  /// The configuration it began with, null for none.
  @Nullable Element original() {
    return original;
  }

  private void collect(Element from) {
    for (var child : from.children()) {
      if (child.is("primitive")
          && child.id() != null
          && !AgentName.of(child).isRemoteConnection()) {
        exclusive.add(child.get("id", ""));
      } else if (child.is("group")) {
        collect(child);
      }
    }
  }

  /// Another resource that may be active only once.
  void exclusiveToo(String resource) {
    exclusive.add(resource);
  }

  List<String> exclusive() {
    return List.copyOf(exclusive);
  }

  /// Nodes that are lost are not fenced: what runs there may be started elsewhere.
  void withoutFencing() {
    fences = false;
  }

  /// Without fencing a side may take what the other one, which it does not hear, still has.
  boolean areFenced() {
    return fences;
  }

  /// From now on no operation may end by the DC's time alone.
  void everyOneAnswers() {
    cluster.story().deed(ANSWERS, () -> answers = true);
  }

  /// What a daemon says.
  void said(SimProcess process, String text) {
    needlessStops.said(process.node(), process.name(), text);
    reachableHosts.said(process, text);
    if (process.name().equals(SimDaemons.SUPERVISOR)) {
      process.node().file().said(text);
    }
    wellHosts.said(process, text);
    said(process.name(), text);
  }

  /// What a daemon says: who is counted as fenced by its watchdog has nothing left.
  void said(String process, String text) {
    if (answers && process.equals("controld") && text.startsWith(IN_VAIN)) {
      cluster.fail(SimCheck.IN_VAIN, "the DC has waited in vain for the end of an operation: " + text);
    }
    if (!process.equals("fenced") || !text.contains(" with watchdog succeeded")) {
      return;
    }
    var match = COUNTED.matcher(text);
    var node = match.find() ? cluster.nodeOrNull(match.group(1)) : null;
    if (node != null && node.isPowered() && !node.activeResources().isEmpty()) {
      cluster.fail(
          SimCheck.COUNTED_ALIVE,
          "%s counts as fenced by its watchdog, and has %s"
              .formatted(node.name(), node.activeResources()));
    }
  }

  /// No resource may run on two machines at once.
  void resourceStarted(SimNode node, String resource) {
    if (!fences || !exclusive.contains(resource)) {
      return;
    }
    for (var other : cluster.machines()) {
      if (other != node && other.isPowered() && other.activeResources().contains(resource)) {
        cluster.fail(
            SimCheck.TWO_ACTIVE,
            resource
                + " is active on "
                + node.name()
                + " and on "
                + other.name()
                + " at the same time");
      }
    }
  }

  /// Whoever may ask may have an agent describe itself, as root: but only a few at a time.
  void describing(SimNode node, int agents) {
    if (agents > DESCRIBING_MAX) {
      cluster.fail(
          SimCheck.CROWDED, "%s has %d agents describe themselves at a time".formatted(node.name(), agents));
    }
  }

  /// A resource was started with other parameters while it ran: both are active now.
  void startedBesides(SimNode node, String resource) {
    cluster.fail(
        SimCheck.TWO_ACTIVE,
        "%s is active twice on %s, with two sets of parameters".formatted(resource, node.name()));
  }

  /// Only one instance of a promotable clone may be promoted, unless it is configured otherwise.
  void resourcePromoted(SimNode node, String resource) {
    resourceStarted(node, resource);
    for (var other : cluster.machines()) {
      if (fences
          && other != node
          && other.isPowered()
          && other.agents().stateOf(resource) == SimAgents.State.PROMOTED) {
        cluster.fail(
            SimCheck.TWO_ACTIVE,
            resource
                + " is promoted on "
                + node.name()
                + " and on "
                + other.name()
                + " at the same time");
      }
    }
  }

  /// Nodes that hear each other may follow two DCs only while they find out, if those who lead them
  /// hear each other too. Where these do not, a node goes with the leader it has and stays out of a
  /// membership whose leader it does not hear: it may be DC of its own side, without quorum. So may a node that is not on the list
  /// by which the other one's leader counts.
  void everySecond() {
    roles.everySecond();
    standby.everySecond();
    wellHosts.everySecond();
    reachableHosts.everySecond();
    for (var one : cluster.nodes()) {
      for (var two : cluster.nodes()) {
        if (one.id() < two.id()) {
          pair(one, two);
        }
      }
    }
  }

  private void pair(SimNode one, SimNode two) {
    var network = cluster.network();
    var both =
        one.isDc()
            && two.isDc()
            && !one.isPaused()
            && !two.isPaused()
            && network.hear(one, two)
            && SimConfFile.areTogether(one, two)
            && SimConfFile.areTogether(network.leader(one), two)
            && SimConfFile.areTogether(one, network.leader(two))
            && network.hear(network.leader(one), network.leader(two));
    var key = one.name() + "+" + two.name();
    if (!both) {
      twoDcsSince.remove(key);
      return;
    }
    var now = cluster.queue().now();
    var since = twoDcsSince.computeIfAbsent(key, _ -> now);
    if (now - since > TWO_DCS_MAX) {
      cluster.fail(
          SimCheck.TWO_DCS,
          "%s and %s hear each other and are both DC, for %d s now"
              .formatted(one.name(), two.name(), TWO_DCS_MAX / SECOND));
      twoDcsSince.put(key, Long.MAX_VALUE / 2);
    }
  }

  /// At rest each resource outside clones must be active where the configuration wants it: on one
  /// node if there is such a resource, else nowhere.
  void placement() {
    var cib = cluster.nodes().getFirst().cib();
    for (var resource : exclusive) {
      var on = cluster.resourceOn(resource);
      var wanted = cib != null && cib.find(it -> resource.equals(it.id())) != null ? 1 : 0;
      if (!resource.startsWith("fenc") && on.size() != wanted) {
        cluster.fail(
            SimCheck.MISPLACED,
            "%s is active on %s at the end, wanted on %d node(s)".formatted(resource, on, wanted));
      }
    }
  }

  /// At rest each guest is there, and what is in it can be used.
  void guests() {
    for (var guest : cluster.outside().guests()) {
      var machine = guest.machine();
      if (!machine.isRunning()) {
        cluster.fail(SimCheck.MISPLACED, "the guest %s is not there at the end".formatted(machine));
      } else if (guest.endsWithItsDaemon() && !machine.activeResources().contains("web")) {
        cluster.fail(SimCheck.MISPLACED, "web is not active in %s at the end".formatted(machine));
      }
    }
  }

  /// At rest no two members have a connection to the same machine: each would take it for its own. To a
  /// guest that is there one has. The CIB says which.
  void connections() {
    for (var machine : cluster.outside().all()) {
      var members = cluster.streams().connectedTo(machine);
      if (members.size() > 1) {
        cluster.fail(
            SimCheck.MISPLACED, "%s are connected to %s at the end".formatted(members, machine));
      } else if (machine.isGuest()
          && machine.isRunning()
          && cluster.streams().connectedTo(machine, 0).isEmpty()) {
        cluster.fail(
            SimCheck.MISPLACED, "nobody is connected to the guest %s at the end".formatted(machine));
      }
      members.forEach(it -> isSaidToBeConnected(it, machine));
    }
  }

  private void isSaidToBeConnected(String member, SimNode machine) {
    var cib = cluster.node(member).cib();
    var state = cib == null ? null : cib.find(it -> it.is("node_state") && machine.name().equals(it.get("uname")));
    var said = state != null && !state.get("in_ccm", "0").equals("0") && member.equals(state.get("connection"));
    if (cib != null && !said) {
      var shown = state == null ? "has nothing of it" : "says " + state.withChildren(List.of());
      cluster.fail(SimCheck.MISPLACED, "%s is connected to %s at the end, and the CIB %s".formatted(member, machine, shown));
    }
  }

  /// At rest nothing is under way, and the CIB does not say so of anything.
  void nothingBegun() {
    var first = cluster.nodes().getFirst();
    var cib = first.cib();
    var begun = cib == null ? null : cib.find(it -> it.is(HistoryEntry.ELEMENT) && new HistoryEntry(it).isPending());
    if (begun != null) {
      var told = "at rest, by %s's CIB %s is under way on %s";
      var what = begun.get("operation_key");
      cluster.fail(SimCheck.STILL_BEGUN, told.formatted(first.name(), what, begun.get("on_node")));
    }
  }

  /// At the end every node must hold the same CIB.
  void sameCibs() {
    var digests = new LinkedHashMap<String, String>();
    for (var node : cluster.nodes()) {
      var cib = node.cib();
      digests.put(node.name(), cib == null ? "none" : CibDigest.versioned(cib));
    }
    same("in memory", digests);
  }

  /// At the end every node must hold the same configuration on disk, that of the CIB.
  void sameFiles() {
    var digests = new LinkedHashMap<String, String>();
    for (var node : cluster.nodes()) {
      digests.put(node.name(), digestOnDisk(node));
    }
    same("on disk", digests);
  }

  private static String digestOnDisk(SimNode node) {
    var content = node.file("cibd", "cib.xml");
    try {
      return content == null ? "none" : digestOfConfiguration(XmlReader.parse(content));
    } catch (XmlException e) {
      return "damaged: " + e.getMessage();
    }
  }

  /// Who is DC and whether there is quorum stands in the file as well, as of its last writing.
  private static String digestOfConfiguration(Element cib) {
    var configuration = cib.first("configuration");
    return CibVersion.of(cib)
        + " "
        + (configuration == null ? "empty" : CibDigest.onDisk(configuration));
  }

  private void same(String where, Map<String, String> digests) {
    if (Set.copyOf(digests.values()).size() > 1) {
      cluster.fail(SimCheck.CIBS_DIFFER, "the nodes' CIBs differ " + where + ": " + digests);
    }
  }

  /// What keeps the cluster from being at rest; empty if it is.
  List<String> unsettled() {
    var why = new ArrayList<String>();
    var seen = new TreeSet<String>();
    for (var machine : cluster.machines()) {
      if (machine.isComing()) {
        why.add(machine.name() + " is about to come");
      }
    }
    for (var node : cluster.nodes()) {
      if (isAwake(node) && !seen.contains(node.name())) {
        var side = cluster.nodes().stream().filter(it -> hear(node, it)).toList();
        side.forEach(it -> seen.add(it.name()));
        unsettled(side, why);
      }
    }
    return why;
  }

  private static boolean isAwake(SimNode node) {
    return node.isPowered() && !node.isPaused() && node.isRunning();
  }

  private boolean hear(SimNode one, SimNode two) {
    var network = cluster.network();
    return isAwake(two) && network.hear(one, two);
  }

  /// One side of a cluster that may be cut apart.
  private void unsettled(List<SimNode> side, List<String> why) {
    var names = side.stream().map(SimNode::name).toList();
    var dcs = new ArrayList<String>();
    Element first = null;
    for (var node : side) {
      if (!cluster.order().members(node).equals(names)) {
        why.add(node.name() + " has the members " + cluster.order().members(node));
      }
      if (node.isDc()) {
        dcs.add(node.name());
        if (!node.isIdle()) {
          why.add("the DC " + node.name() + " is " + node.controllerState());
        }
      } else if (!node.controllerState().equals("S_NOT_DC")) {
        why.add(node.name() + " is " + node.controllerState());
      }
      var cib = node.cib();
      if (cib == null) {
        why.add(node.name() + " has no CIB");
      } else if (first == null) {
        first = cib;
      } else if (cib.contentHash() != first.contentHash()) {
        why.add(node.name() + " has another CIB than the nodes before it");
      }
    }
    if (dcs.size() != 1) {
      why.add("DCs: " + dcs);
    }
  }
}
