package org.systole.scheduler.unpack;

import org.systole.common.operation.HistoryEntry;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// Connections to remote nodes that were lost, and cleaned up just then.
final class CleanedUpConnection {
  private CleanedUpConnection() {}

  /// Whether who had the connection to a remote node knows nothing of it, as its history was cleaned up, and with it that it was lost, or no
  /// more than that it was not found since: it is to be looked for, and made again. What failed by way of it tells of no more than that, but
  /// Pacemaker has the node fenced.
  static boolean is(WorkingSet ws, Resource connection) {
    var by = ws.connectedMember(connection.id());
    return by != null
        && connection.launcher() == null
        && ws.nodes().stream().filter(it -> !it.remoteKind() && it.online()).allMatch(it -> tellsNoLoss(ws, it, connection, by));
  }

  private static boolean tellsNoLoss(WorkingSet ws, Node member, Resource connection, String by) {
    return ws.historyIndex().resources(member.name(), connection.id()).stream()
        .allMatch(it -> HistoryEntry.tellsStopped(it) && (!member.name().equals(by) || isFromProbes(it)));
  }

  private static boolean isFromProbes(Element history) {
    return HistoryEntry.all(history).stream().allMatch(HistoryEntry::isProbe);
  }
}
