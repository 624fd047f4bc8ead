package org.systole.scheduler.sim;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events to pretend.
///
/// @param nodesUp nodes that come online
/// @param nodesDown nodes that go offline in order
/// @param nodesFailed nodes that are lost
/// @param operations results of operations, as `RESOURCE_TASK_INTERVAL@NODE=CODE`
/// @param failures operations that fail if they are executed, in the same form
/// @param granted tickets that are granted
/// @param revoked tickets that are revoked
/// @param standby tickets that are put into standby
/// @param activated tickets that leave standby
/// @param quorum whether the cluster has quorum; null to leave it as it is
/// @param watchdog whether there is a watchdog; null to leave it as it is
/// @param addNodes whether nodes that are not configured are added
public record Injections(
    List<String> nodesUp,
    List<String> nodesDown,
    List<String> nodesFailed,
    List<String> operations,
    List<String> failures,
    List<String> granted,
    List<String> revoked,
    List<String> standby,
    List<String> activated,
    @Nullable String quorum,
    @Nullable String watchdog,
    boolean addNodes) {
  public static final Injections NONE =
      new Injections(
          List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
          List.of(), null, null, false);

  /// Whether nothing changes before the scheduler runs. Quorum alone does not count, nor do
  /// failures that only occur during execution.
  boolean isEmpty() {
    return nodesUp.isEmpty()
        && nodesDown.isEmpty()
        && nodesFailed.isEmpty()
        && operations.isEmpty()
        && granted.isEmpty()
        && revoked.isEmpty()
        && standby.isEmpty()
        && activated.isEmpty()
        && watchdog == null;
  }
}
