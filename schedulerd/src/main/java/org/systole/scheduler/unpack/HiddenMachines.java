package org.systole.scheduler.unpack;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// Guests, bundles' replicas too, whose machines are, or may be, where nobody can look now: on a host that host HA looks into, on a
/// remote node that was lost before it was looked at, or on one that was removed while it may run them.
///
/// Of what runs in such a guest nobody knows more than of what runs beside it: it is left alone, and so is the connection to it. That this
/// is lost tells of the host, and the machine would be stopped for it; and where a machine is not found, as nobody can look for it, the
/// guest would count as fenced. Pacemaker has no such nodes.
final class HiddenMachines {
  private final WorkingSet ws;
  private final HostHolds hosts;
  private final Set<String> leftBehind = new TreeSet<>(); // on remote nodes that were removed

  HiddenMachines(WorkingSet ws, HostHolds hosts) {
    this.ws = ws;
    this.hosts = hosts;
  }

  /// All histories but those of guests have been read.
  void note(@Nullable Element status) {
    hosts.noteUnseen();
    UnknownRemotes.note(ws, status);
    leftBehind.addAll(RemovedRemotes.mayRunOnAny(ws, status));
  }

  /// Freezes a guest if its machine is one of these.
  void freeze(Node guest) {
    var connection = guest.isGuest() ? guest.remote() : null;
    var machine = connection == null ? null : connection.launcher();
    if (connection != null && machine != null && isHidden(machine)) {
      HostHolds.freeze(guest);
      ActiveResources.block(connection);
    }
  }

  private boolean isHidden(Resource machine) {
    return machine.active().isEmpty() && leftBehind.contains(machine.id())
        || ws.nodes().stream().anyMatch(it -> isHiddenOn(machine, it));
  }

  private static boolean isHiddenOn(Resource machine, Node node) {
    return !node.isGuest()
        && (node.is(NodeFlag.HOST_FROZEN) && machine.active().contains(node)
            || node.is(NodeFlag.UNSEEN) && HostHolds.mayRun(machine, node));
  }
}
