package org.systole.scheduler.assignment;

import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Connections to remote nodes whose history was cleaned up. The remote node's own entry still names the member that is
/// connected, and that member will be asked.
///
/// Where the cluster is to make no connection any more, as the administrator takes the node out, what runs there is stopped
/// over the one that there is. Before its member was asked nobody can say that there is none, so that the node had to be fenced.
///
/// Pacemaker's controllers name no member in such an entry; without that all is as in Pacemaker.
final class ForgottenConnections {
  private ForgottenConnections() {}

  /// Has a remote node, to which no connection will be made, not be fenced before its member was asked.
  static void ask(Resource connection, Node remote) {
    if (!remote.is(NodeFlag.SEEN) && isLookedFor(connection)) { // who is seen is to be fenced for something else
      remote.setUnclean(false);
      remote.set(NodeFlag.CONNECTION_SOUGHT);
    }
  }

  /// Whether the member that a connection's node names will be asked for it, of which nothing else is known.
  private static boolean isLookedFor(Resource connection) {
    var member = connection.launcher() == null ? named(connection.cluster(), connection.id()) : null;
    return member != null
        && connection.active().isEmpty()
        && !connection.is(ResourceFlag.FAILED)
        && !connection.probed().contains(member)
        && isAsked(connection, member);
  }

  private static @Nullable Node named(WorkingSet cluster, String remote) {
    var name = cluster.connectedMember(remote);
    return name == null ? null : cluster.node(name);
  }

  private static boolean isAsked(Resource connection, Node member) {
    var entry = connection.allowed().get(member);
    return member.online()
        && !member.unclean()
        && member.is(NodeFlag.PROBES_ALLOWED)
        && (connection.cluster().is(ClusterFlag.PROBE_RESOURCES) || member.is(NodeFlag.HISTORY_LOST))
        && (entry == null ? member.probeMode() : entry.probeMode()) != ProbeMode.NEVER;
  }
}
