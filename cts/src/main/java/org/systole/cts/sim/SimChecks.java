package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.systole.common.xml.Element;

/// What must always hold, looked at from outside.
final class SimChecks {
  private final SimCluster cluster;
  private final Set<String> exclusive = new TreeSet<>();
  private final Map<String, Long> twoDcsSince = new LinkedHashMap<>();

  SimChecks(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Learns which resources may be active only once: the primitives outside clones and bundles.
  void learn(Element cib) {
    exclusive.clear();
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      collect(resources);
    }
  }

  private void collect(Element from) {
    for (var child : from.children()) {
      if (child.is("primitive") && child.id() != null) {
        exclusive.add(child.get("id", ""));
      } else if (child.is("group")) {
        collect(child);
      }
    }
  }

  List<String> exclusive() {
    return List.copyOf(exclusive);
  }

  /// No resource may run on two machines at once.
  void resourceStarted(SimNode node, String resource) {
    if (!exclusive.contains(resource)) {
      return;
    }
    for (var other : cluster.nodes()) {
      if (other != node && other.isPowered() && other.activeResources().contains(resource)) {
        cluster.fail(
            resource
                + " is active on "
                + node.name()
                + " and on "
                + other.name()
                + " at the same time");
      }
    }
  }

  /// Nodes that hear each other may follow two DCs only while they find out.
  void everySecond() {
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
            && network.reaches(one, two)
            && network.reaches(two, one);
    var key = one.name() + "+" + two.name();
    if (!both) {
      twoDcsSince.remove(key);
      return;
    }
    var now = cluster.queue().now();
    var since = twoDcsSince.computeIfAbsent(key, _ -> now);
    if (now - since > 60_000_000_000L) {
      cluster.fail(one.name() + " and " + two.name() + " are both DC, for a minute now");
      twoDcsSince.put(key, now + 600_000_000_000L);
    }
  }

  /// What keeps the cluster from being at rest; empty if it is.
  List<String> unsettled() {
    var why = new ArrayList<String>();
    var seen = new TreeSet<String>();
    for (var node : cluster.nodes()) {
      if (node.isComing()) {
        why.add(node.name() + " is about to come");
      }
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
    return isAwake(two) && network.reaches(one, two) && network.reaches(two, one);
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
