package org.systole.scheduler.unpack;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// What host HA says of remote nodes, which plans go by instead of what a connection seems to say: the
/// one place where the scheduler reads it.
final class HostHolds {
  private final WorkingSet ws;
  private final Set<Node> unheard = new HashSet<>(); // since the cluster's start

  HostHolds(WorkingSet ws) {
    this.ws = ws;
  }

  /// Notes what the status section says, and where that says nothing, what survived.
  void read(@Nullable Element status) {
    var told = new HashSet<Node>();
    if (status != null) {
      for (var state : status.children("node_state")) {
        var said = HostStatus.of(state);
        var node = state.id() == null ? null : ws.nodeOf(state);
        var isLeft = said == null || said.hold() == HostStatus.Hold.NONE;
        if (node != null && node.isRemote() && isLeft && isAway(state)) {
          node.set(NodeFlag.HOST_AWAY);
        }
        if (said != null && node != null && node.isRemote()) {
          told.add(node);
          if ("0".equals(state.get("in_ccm"))) {
            node.set(NodeFlag.HOST_LET_GO);
          }
          if (isUnheard(state)) {
            unheard.add(node);
          }
          note(node, said.with(node.attributes().get(HostStatus.RECORD)));
        }
      }
    }
    for (var node : ws.nodes()) {
      var record = node.isRemote() ? node.attributes().get(HostStatus.RECORD) : null;
      if (record != null && !told.contains(node)) {
        var state = status == null ? null : status.first("node_state", node.id());
        if (state != null && isUnheard(state)) {
          unheard.add(node);
        }
        note(node, HostStatus.survived(record));
      }
    }
  }

  /// Whether nobody has asked a host what runs there: what ran when the whole cluster ended may run still. Of one that
  /// was fenced since, it is known.
  private static boolean isUnheard(Element state) {
    return state.first("lrm") == null && "0".equals(state.get("node_fenced", "0"));
  }

  /// Whether a host was fenced and its connection, which its member has not given up, was not made anew since. Its history
  /// says that the connection was started.
  private static boolean isAway(Element state) {
    return "1".equals(state.get(HostStatus.LOST))
        && state.first("lrm") == null
        && !"0".equals(state.get("node_fenced", "0"));
  }

  private void note(Node node, HostStatus said) {
    node.setHost(said);
    switch (said.hold()) {
      case NONE -> {}
      case FROZEN -> freeze(node);
      case DOWN -> node.set(NodeFlag.HOST_DOWN);
    }
  }

  static void freeze(Node node) {
    node.set(NodeFlag.HOST_FROZEN);
    node.clear(NodeFlag.PROBES_ALLOWED);
  }

  /// Freezes a host with host HA on whose connection was stopped, and could not be started on another member, as all are about
  /// to leave: a cluster is stopped while connections move. Nobody is there to connect to the host and stop what runs there,
  /// and nobody who would start that elsewhere: to have it fenced would be for nothing. It is asked when the cluster is back.
  ///
  /// In this alone a host that is not eligible, which it is for want of a connection, is not as one without host HA.
  static void freezeIfLeft(WorkingSet ws, Node node) {
    var said = node.host();
    var connection = node.remote();
    if (said != null
        && said.isOn()
        && said.hold() == HostStatus.Hold.NONE
        && !said.lost()
        && node.is(NodeFlag.HOST_LET_GO)
        && connection != null
        && connection.role() == Role.STOPPED
        && !connection.is(ResourceFlag.FAILED)
        && ws.nodes().stream().filter(it -> !it.remoteKind() && it.online()).allMatch(Node::shutdown)) {
      freeze(node);
    }
  }

  /// How a host is does not follow from its connection.
  static void apply(Node node) {
    if (node.is(NodeFlag.HOST_FROZEN)) {
      node.setOnline(true);
      node.setUnclean(false);
      node.clear(NodeFlag.REMOTE_RESET);
    } else if (node.is(NodeFlag.HOST_DOWN) || node.isAway()) {
      node.setOnline(false);
      node.setUnclean(false);
    }
  }

  /// Notes the frozen hosts of which the history is not known: nobody can be asked.
  void noteUnseen() {
    for (var node : ws.nodes()) {
      if (node.is(NodeFlag.HOST_FROZEN) && isUnknown(node)) {
        node.set(NodeFlag.UNSEEN);
      }
    }
  }

  /// Blocks what may run on those, and in guests that are frozen with their hosts.
  void blockUnknown() {
    noteUnseen();
    for (var node : ws.nodes()) {
      if (node.is(NodeFlag.HOST_FROZEN) && node.is(NodeFlag.UNSEEN)) {
        mayRunOn(node).forEach(it -> blockUnknown(it, node));
      }
    }
  }

  /// In a bundle's replica nothing runs but what belongs to the bundle.
  private List<Resource> mayRunOn(Node node) {
    var bundle = node.isBundleNode() && node.remote() != null ? node.remote().top(true) : null;
    if (!(bundle instanceof Bundle it)) {
      return ws.resources();
    }
    return it.child() == null ? List.of() : List.of(it.child());
  }

  private boolean isUnknown(Node host) {
    return host.is(NodeFlag.HISTORY_LOST) || !host.is(NodeFlag.UNPACKED) || unheard.contains(host);
  }

  private static void blockUnknown(Resource resource, Node node) {
    resource.children().forEach(it -> blockUnknown(it, node));
    if (resource.isPrimitive()
        && mayRun(resource, node)
        && !resource.is(ResourceFlag.REMOTE_CONNECTION)
        && !resource.is(ResourceFlag.FENCE_DEVICE)) {
      ActiveResources.block(resource);
    }
  }

  /// Whether a resource may run on a host of which the history is not known.
  static boolean mayRun(Resource resource, Node host) {
    return resource.active().stream().noneMatch(it -> ranThere(resource, it)) && !resource.probed().contains(host);
  }

  /// Whether it is known to have run on a node where it counts as active. All that is known may be that nobody could look:
  /// then it can be anywhere.
  private static boolean ranThere(Resource resource, Node node) {
    return resource.cluster().historyIndex().entries(node, resource).stream()
        .anyMatch(it -> !it.isProbe() || it.tellsActive() || it.is(OcfCode.FAILED_PROMOTED));
  }
}
