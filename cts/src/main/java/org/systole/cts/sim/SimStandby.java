package org.systole.cts.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.JoinGate;

/// Nothing is started on a machine that the configuration has had in standby for a while, be it a
/// member, a remote node or a guest. What has no place but in a guest stays there all the same, as with
/// Pacemaker; with a join gate that may be everything, where no member has passed it.
final class SimStandby {
  /// Until a plan that was made before is over, with what had reached an executor that stood still.
  private static final long HEEDED = 45_000_000_000L;

  private static final Set<String> ONLY_IN_GUESTS = Set.of("in", "web");

  private final SimCluster cluster;
  private final Map<String, Long> since = new HashMap<>();
  private boolean any;

  SimStandby(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Somebody asks for a change.
  void asked(String change) {
    if (change.contains("name=\"standby\"")) {
      any = true;
      if (!change.contains("\"on\"")) {
        ends();
      }
    }
  }

  /// Somebody takes machines out of standby. The controllers may have that sooner than who looks at the members' CIBs here.
  void ends() {
    since.clear();
  }

  void everySecond() {
    if (!any) {
      return;
    }
    var now = cluster.queue().now();
    for (var machine : cluster.machines()) {
      if (isWanted(machine) && !machine.isPaused()) {
        since.putIfAbsent(machine.name(), now);
      } else {
        since.remove(machine.name());
      }
    }
  }

  /// Whether all members that run say so: who is cut off may not have heard of it.
  private boolean isWanted(SimNode machine) {
    var said = 0;
    for (var node : cluster.nodes()) {
      var cib = node.isPowered() && !node.isPaused() && node.isRunning() ? node.cib() : null;
      if (cib != null && !isInStandby(cib, machine)) {
        return false;
      }
      said += cib == null ? 0 : 1;
    }
    return said > 0;
  }

  private static boolean isInStandby(Element cib, SimNode machine) {
    var nodes = cib.path("configuration", "nodes");
    var id = machine.id() > 0 ? String.valueOf(machine.id()) : machine.name();
    var entry = nodes == null ? null : nodes.first("node", id);
    var value = entry == null ? null : entry.find(it -> it.is("nvpair") && "standby".equals(it.get("name")));
    return value != null && Bool.isTrue(value.get("value"));
  }

  private boolean hasGate() {
    return cluster.nodes().stream()
        .map(SimNode::cib)
        .anyMatch(it -> it != null && it.find(at -> JoinGate.OPTION.equals(at.get("name"))) != null);
  }

  void started(SimNode machine, String resource) {
    if (machine.isGuest() && (ONLY_IN_GUESTS.contains(resource) || hasGate())) {
      return;
    }
    var from = since.get(machine.name());
    if (from != null && cluster.queue().now() - from > HEEDED && isWanted(machine)) {
      cluster.fail(
          SimCheck.IN_STANDBY,
          "%s is started on %s, which has been in standby for %d s"
              .formatted(resource, machine, (cluster.queue().now() - from) / 1_000_000_000L));
    }
  }
}
