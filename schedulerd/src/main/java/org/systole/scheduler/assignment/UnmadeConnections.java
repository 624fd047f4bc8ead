package org.systole.scheduler.assignment;

import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;

/// Connections to remote nodes whose move was given up before the target was asked to make them, and that are to be
/// elsewhere now: their source still has them.
///
/// Pacemaker counts such a connection as active on both, stops it on both and starts it where it is to be. If that is given up
/// half way, too, as when the members leave one after the other, nobody is connected while resources run there, and the plan has
/// these stopped by way of a connection that never was, without end.
final class UnmadeConnections {
  private UnmadeConnections() {}

  /// To be called once the connection is assigned.
  static void settle(Resource connection) {
    var source = connection.partialMigrationSource();
    var target = connection.partialMigrationTarget();
    if (source == null
        || target == null
        || connection.launcher() != null
        || connection.parent() != null
        || isAssigned(connection, target)
        || isAsked(connection, source, target)) {
      return;
    }
    connection.active().remove(target);
    target.running().remove(connection);
    connection.setPartialMigrationSource(null);
    connection.setPartialMigrationTarget(null);
  }

  private static boolean isAssigned(Resource connection, Node node) {
    var assigned = connection.assigned();
    return assigned != null && assigned.node() == node;
  }

  /// Its `migrate_from` is recorded before it begins.
  private static boolean isAsked(Resource connection, Node source, Node target) {
    return connection
            .cluster()
            .historyIndex()
            .operation(target.name(), connection.id(), TaskName.MIGRATE_FROM, source.name())
        != null;
  }
}
