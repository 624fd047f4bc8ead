package org.systole.scheduler.unpack;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.Ticket;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;

/// Reads the status section: tickets, the states of nodes and what happened on them.
final class StatusReader {
  private final WorkingSet ws;
  private final NodeReader nodes;
  private final NodeStates states;
  private final RemoteStates remotes;
  private final HistoryReader histories;
  private final HostHolds hosts;
  private final HiddenMachines machines;

  StatusReader(ResourceReader resources) {
    this.ws = resources.ws;
    this.nodes = resources.nodes;
    this.states = new NodeStates(ws);
    this.hosts = new HostHolds(ws);
    this.machines = new HiddenMachines(ws, hosts);
    this.remotes = new RemoteStates(ws, nodes, machines);
    this.histories = new HistoryReader(resources);
  }

  void read(@Nullable Element status) {
    hosts.read(status);
    if (status != null) {
      for (var child : status.children()) {
        if (child.is("tickets")) {
          child.children("ticket_state").forEach(this::readTicket);
        } else if (child.is("node_state")) {
          readState(child);
        }
      }
      // A guest's history makes sense only after it is known from others that the guest is up.
      while (readHistories(status, this::isReadable)) {}
      if (isOurs(status)) { // Pacemaker reads them in the order in which they stand there
        while (readHistories(status, it -> isAtLast(it) && !it.isGuest())) {}
        machines.note(status);
      }
      while (readHistories(status, this::isAtLast)) {}
      histories.readLate();
    }
    stopFailedContainers();
    ws.nodes().stream().filter(it -> !it.is(NodeFlag.UNPACKED)).forEach(machines::freeze); // the others are by now
    hosts.blockUnknown();
    UnknownRemotes.block(ws, status);
    RemovedRemotes.block(ws, status);
    for (var node : ws.nodes()) {
      if (node.remoteKind()) {
        if (node.shutdown() && node.remote() != null) {
          node.remote().setNextRole(Role.STOPPED);
        }
        if (!node.is(NodeFlag.UNPACKED)) {
          remotes.applyConnection(node);
        }
      }
    }
  }

  private void stopFailedContainers() {
    for (var container : ws.stopNeeded()) {
      var node = container.currentNode();
      if (node != null) {
        Actions.stop(container, node, false);
      }
    }
    ws.stopNeeded().clear();
  }

  private void readTicket(Element state) {
    var id = state.get("id", "");
    if (id.isEmpty()) {
      return;
    }
    var ticket = ws.tickets().computeIfAbsent(id, Ticket::new);
    for (var at = 0; at < state.attributeCount(); at++) {
      if (!state.attributeName(at).equals("id")) {
        ticket.state().put(state.attributeName(at), state.attributeValue(at));
      }
    }
    ticket.setGranted(Bool.isTrue(state.get("granted")));
    ticket.setStandby(Bool.isTrue(state.get("standby")));
    var granted = state.get("last-granted");
    if (granted != null) {
      ticket.setLastGranted(Numbers.parse(granted, 0));
    }
  }

  private void readState(Element state) {
    var id = state.id();
    if (id == null) {
      ws.configError("unpack_node_state", "Ignoring invalid node_state entry without id");
      return;
    }
    var node = ws.nodeOf(state);
    if (node == null) {
      ws.notice(
          "Ignoring recorded state for removed node with name "
              + state.get("uname", "unknown")
              + " and id "
              + id);
      return;
    }
    if (node.remoteKind()) {
      // The rest has to wait until the connection's history is known.
      RemoteStates.readFencing(state, node);
      return;
    }
    readTransientAttributes(state, node);
    node.setUnclean(false);
    node.set(NodeFlag.SEEN);
    states.apply(state, node);
    if (!ws.is(ClusterFlag.QUORATE)
        && node.online()
        && ws.noQuorumPolicy() == NoQuorumPolicy.FENCE) {
      Fencing.fenceNode(ws, node, "cluster does not have quorum", false);
    }
  }

  private void readTransientAttributes(Element state, Node node) {
    nodes.readAttributes(state.first("transient_attributes"), node, true);
    var attributes = node.attributes();
    if (Bool.isTrue(attributes.get("standby"))) {
      node.set(NodeFlag.STANDBY);
    }
    if (Bool.isTrue(attributes.get("maintenance"))) {
      node.setMaintenance(true);
    }
    var discovery = attributes.get("resource-discovery-enabled");
    if (discovery != null && !Bool.isTrue(discovery)) {
      ws.configWarning(
          "Ignoring resource-discovery-enabled attribute for "
              + node.name()
              + " because disabling resource discovery is not allowed for cluster nodes");
    }
  }

  /// Reads the histories that can be made sense of by now.
  ///
  /// @return whether any was read, so that others may be readable now
  private boolean readHistories(Element status, Predicate<Node> readable) {
    var any = false;
    for (var state : status.children("node_state")) {
      var node = state.id() == null || !state.has("uname") ? null : ws.nodeOf(state);
      if (node == null || node.is(NodeFlag.UNPACKED) || !readable.test(node)) {
        continue;
      }
      if (node.remoteKind()) {
        remotes.applyConnection(node);
        remotes.applyState(node, state);
      }
      node.set(NodeFlag.UNPACKED);
      histories.read(node, state);
      any = true;
    }
    return any;
  }

  /// Whether it has entries of remote nodes that our controllers have made.
  private static boolean isOurs(Element status) {
    return status.children("node_state").stream().anyMatch(it -> it.has("left") || it.has(HostStatus.STATE));
  }

  private boolean isAtLast(Node node) {
    return ws.is(ClusterFlag.FENCING_ENABLED) || isReadable(node) || isLocked(node);
  }

  private boolean isReadable(Node node) {
    var connection = node.remote();
    if (node.isGuest() && connection != null && connection.launcher() != null) {
      return connection.role() == Role.STARTED && connection.launcher().role() == Role.STARTED;
    }
    if (node.isRemote()) {
      return connection != null && connection.role() == Role.STARTED;
    }
    // Instances on nodes that are online get their numbers first.
    return ws.is(ClusterFlag.FENCING_ENABLED) || ws.is(ClusterFlag.SHUTDOWN_LOCK) || node.online();
  }

  /// Whether the node is a remote one that is not connected, whose history may tell what is locked there. Unlike in Pacemaker it is
  /// read after all others: before the history of the member with its connection is read, any remote node seems not to be connected,
  /// and without fencing it stays so.
  private boolean isLocked(Node node) {
    return node.isRemote() && node.remote() != null && ws.is(ClusterFlag.SHUTDOWN_LOCK);
  }
}
