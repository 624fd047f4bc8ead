package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.ParameterCheck;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.BundleAddresses;
import org.systole.scheduler.operations.Digests;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.operations.Seconds;

/// Decides which failures no longer count, because they are old or the parameters have changed.
final class FailureExpiry {
  private final WorkingSet ws;

  FailureExpiry(WorkingSet ws) {
    this.ws = ws;
  }

  /// Whether an entry is older than the failure timeout; schedules that fail counts are cleared.
  boolean isExpired(RecordedResult entry) {
    if (entry.status == ExecStatus.NOT_INSTALLED) {
      return false; // only people can clear that
    }
    var resource = entry.resource;
    var lastFailureEntry = entry.id.endsWith("_last_failure_0");
    var timeout = Seconds.of(resource.failureTimeoutMs());
    var expired = false;
    var unexpiredFailures = 0;
    if (timeout > 0 && Numbers.isNumber(entry.xml.get("last-rc-change"))) {
      var changed = Numbers.parse(entry.xml.get("last-rc-change"), 0);
      expired = ws.nowSeconds() >= changed + timeout && !waitsForFencing(entry, lastFailureEntry);
      var failures = FailCounts.get(entry.node, resource, true, false, entry.xml);
      unexpiredFailures = failures.count();
      var expiry = failures.lastFailure() + timeout + 1;
      if (unexpiredFailures != 0 && ws.nowSeconds() < expiry) {
        ws.recheckBy(expiry);
      }
    }
    @Nullable String clear = null;
    if (expired) {
      if (FailCounts.get(entry.node, resource, false, false, entry.xml).count() != 0) {
        if (unexpiredFailures == 0) {
          clear = "it expired";
        } else {
          expired = false;
        }
      } else if (lastFailureEntry && resource.reconnectIntervalMs() > 0) {
        clear = "reconnect interval is set";
      }
    }
    if (!expired && lastFailureEntry && parametersChanged(entry)) {
      clear = "resource parameters have changed";
    }
    if (clear != null) {
      clearFailCount(entry, clear);
    }
    return expired && !isLastingProbe(entry);
  }

  /// What a probe found does not become untrue with time.
  private static boolean isLastingProbe(RecordedResult entry) {
    return entry.isProbe()
        && switch (entry.code()) {
          case OK, NOT_RUNNING, RUNNING_PROMOTED, DEGRADED, DEGRADED_PROMOTED -> true;
          case null, default -> false;
        };
  }

  /// A connection that is tried again in intervals keeps its failed monitor until the remote node
  /// was fenced: an unchanged bad result would not be reported again.
  private boolean waitsForFencing(RecordedResult entry, boolean lastFailureEntry) {
    if (entry.resource.reconnectIntervalMs() == 0
        || !ws.is(ClusterFlag.FENCING_ENABLED)
        || entry.intervalMs == 0
        || !entry.task.equalsIgnoreCase(TaskName.MONITOR)) {
      return false;
    }
    var remote = ws.remoteNode(entry.resource.id());
    if (remote == null || remote.is(NodeFlag.REMOTE_FENCED)) {
      return false;
    }
    if (lastFailureEntry) {
      ws.info(
          "Waiting to clear monitor failure for remote node "
              + entry.resource.id()
              + " until fencing has occurred");
    }
    return true;
  }

  private boolean parametersChanged(RecordedResult entry) {
    if (!entry.is(TaskName.START) && !entry.is(TaskName.MONITOR)) {
      return false;
    }
    if (BundleAddresses.needed(entry.resource)) {
      // The address depends on a placement that is not yet known.
      ws.parameterChecks()
          .addFirst(
              new ParameterCheck(
                  entry.resource, entry.node, entry.xml, ParameterCheck.Kind.LAST_FAILURE));
      return false;
    }
    return switch (Digests.compare(entry.resource, entry.xml, entry.node).result()) {
      case UNKNOWN, MATCH -> false;
      case MISMATCH, RESTART -> true;
    };
  }

  private void clearFailCount(RecordedResult entry, String reason) {
    var clear = FailCounts.clear(entry.resource, entry.node, reason);
    if (ws.is(ClusterFlag.FENCING_ENABLED) && entry.resource.reconnectIntervalMs() > 0) {
      ws.info(
          "Clearing "
              + entry.task
              + " failure will wait until any scheduled fencing of "
              + entry.resource.id()
              + " completes");
      var remote = ws.remoteNode(entry.resource.id());
      if (remote != null) {
        Actions.order(
            Fencing.fenceAction(ws, remote, null, true, null, false),
            clear,
            Relation.FIRST_IMPLIES_THEN);
      }
    }
  }
}
