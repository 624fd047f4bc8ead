package org.systole.scheduler.unpack;

import java.util.List;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// Decides from its connection and state entry how a remote or guest node is.
final class RemoteStates {
  private static final List<String> LEFT = List.of("0", "false");

  private final WorkingSet ws;
  private final NodeReader nodes;
  private final HiddenMachines machines;

  RemoteStates(WorkingSet ws, NodeReader nodes, HiddenMachines machines) {
    this.ws = ws;
    this.nodes = nodes;
    this.machines = machines;
  }

  /// Whether it is online follows from its connection, and for a guest from what runs it.
  void applyConnection(Node node) {
    followConnection(node);
    HostHolds.freezeIfLeft(ws, node);
    machines.freeze(node);
    HostHolds.apply(node);
  }

  private void followConnection(Node node) {
    var connection = node.remote();
    if (connection == null) {
      node.setOnline(false); // left over from a removed one
      return;
    }
    var launcher = connection.launcher();
    var host =
        launcher != null && connection.active().size() == 1 ? connection.active().getFirst() : null;
    if (connection.role() == Role.STARTED) {
      node.setOnline(true);
      if (connection.nextRole() == Role.STOPPED) {
        node.setShutdown(true);
      }
    }
    if (launcher != null && launcher.is(ResourceFlag.FAILED)) {
      node.setOnline(false);
      node.set(NodeFlag.REMOTE_RESET);
    } else if (connection.is(ResourceFlag.FAILED)) {
      node.setOnline(false);
    } else if (connection.role() == Role.STOPPED
        || launcher != null && launcher.role() == Role.STOPPED) {
      node.setOnline(false);
      node.clear(NodeFlag.REMOTE_RESET);
    } else if (host != null && !host.online() && host.unclean()) {
      node.setOnline(false);
      node.set(NodeFlag.REMOTE_RESET);
    }
  }

  /// Whether and when it was fenced, or left, is known before any history is read: that may tell of failures it was fenced for.
  static void readFencing(Element state, Node node) {
    if (LEFT.contains(state.get("in_ccm", "")) && "1".equals(state.get("left"))) {
      node.set(NodeFlag.REMOTE_LEFT);
    }
    var fencedAt = Numbers.parse(state.get("node_fenced"), 0);
    node.setFencedAt(fencedAt);
    if (fencedAt > 0) {
      node.set(NodeFlag.REMOTE_FENCED);
    } else {
      node.clear(NodeFlag.REMOTE_FENCED);
    }
  }

  /// Takes the attributes and conditions from a state entry.
  void applyState(Node node, Element state) {
    if (Numbers.parse(state.get("node_in_maintenance"), 0) > 0) {
      node.set(NodeFlag.REMOTE_MAINTENANCE);
    } else {
      node.clear(NodeFlag.REMOTE_MAINTENANCE);
    }
    if (!node.is(NodeFlag.REMOTE_RESET)) {
      node.setUnclean(false);
      node.set(NodeFlag.SEEN);
    }
    nodes.readAttributes(state.first("transient_attributes"), node, true);
    if (NodeStates.isShutdownRequested(node)) {
      node.setShutdown(true);
    }
    var attributes = node.attributes();
    if (Bool.isTrue(attributes.get("standby"))) {
      node.set(NodeFlag.STANDBY);
    }
    if (Bool.isTrue(attributes.get("maintenance"))
        || node.remote() != null && !node.remote().is(ResourceFlag.MANAGED) && !isFrozenWithHost(node)) {
      node.setMaintenance(true);
    }
    var discovery = attributes.get("resource-discovery-enabled");
    if (discovery != null && !Bool.isTrue(discovery)) {
      disableProbes(node);
    }
  }

  /// Nobody has said so of its connection: the host is looked into.
  private static boolean isFrozenWithHost(Node node) {
    return node.isGuest() && node.is(NodeFlag.HOST_FROZEN);
  }

  private void disableProbes(Node node) {
    ws.configWarningOnce(
        "resource-discovery-enabled",
        "Support for the resource-discovery-enabled node attribute is deprecated and will be"
            + " removed (and behave as 'true') in a future release.");
    if (node.isRemote() && !ws.is(ClusterFlag.FENCING_ENABLED)) {
      ws.configWarning(
          "Ignoring resource-discovery-enabled attribute on Pacemaker Remote node "
              + node.name()
              + " because fencing is disabled");
    } else {
      node.clear(NodeFlag.PROBES_ALLOWED);
    }
  }
}
