package org.systole.scheduler.unpack;

import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.operations.Task;

/// Sees recorded results as what they mean: the executor does not know which result was expected.
final class ResultRemapper {
  private final WorkingSet ws;
  private final FailedActions failed;

  ResultRemapper(WorkingSet ws, FailedActions failed) {
    this.ws = ws;
    this.failed = failed;
  }

  void remap(HistoryEntry entry, ResourceHistory history, boolean expired) {
    degraded(entry, expired);
    if (entry.isMaskedProbe()
        && (entry.status != Results.DONE || entry.result != Results.NOT_RUNNING)) {
      entry.status = Results.DONE;
      entry.result = Results.NOT_RUNNING;
    }
    switch (entry.status) {
      case Results.DONE, Results.ERROR -> {
        compareWithExpected(entry);
        byResult(entry, history, expired);
      }
      case Results.NO_FENCE_DEVICE, Results.NO_SECRETS -> entry.status = Results.ERROR_HARD;
      default -> {} // the executor's word is final
    }
  }

  private void degraded(HistoryEntry entry, boolean expired) {
    var effective =
        switch (entry.result) {
          case Results.DEGRADED -> Results.OK;
          case Results.DEGRADED_PROMOTED -> Results.RUNNING_PROMOTED;
          default -> entry.result;
        };
    if (effective != entry.result) {
      entry.result = effective;
      if (!expired && (!entry.node.shutdown || entry.node.online)) {
        failed.add(entry);
      }
    }
  }

  private void compareWithExpected(HistoryEntry entry) {
    if (entry.expected < 0) {
      entry.status = Results.ERROR;
      ws.configWarning(
          "Expected result not found for "
              + entry.key
              + " on "
              + entry.node.name
              + " (corrupt or obsolete CIB?)");
    } else {
      entry.status = entry.result == entry.expected ? Results.DONE : Results.ERROR;
    }
  }

  private void byResult(HistoryEntry entry, ResourceHistory history, boolean expired) {
    var resource = entry.resource;
    switch (entry.result) {
      case Results.OK -> {
        if (entry.isProbe() && entry.expected == Results.NOT_RUNNING) {
          entry.status = Results.DONE;
          ws.info(
              "Probe found "
                  + resource.id
                  + " active on "
                  + entry.node.name
                  + " at "
                  + entry.changedAt());
        }
      }
      case Results.NOT_RUNNING -> {
        if (entry.isProbe()
            || entry.expected == entry.result
            || !resource.is(ResourceFlag.MANAGED)) {
          entry.status = Results.DONE;
          resource.role = Role.STOPPED;
          history.onFail = OnFail.IGNORE;
          resource.nextRole = Role.UNKNOWN;
        }
      }
      case Results.RUNNING_PROMOTED -> {
        if (entry.isProbe() && entry.result != entry.expected) {
          entry.status = Results.DONE;
          ws.info(
              "Probe found "
                  + resource.id
                  + " active and promoted on "
                  + entry.node.name
                  + " at "
                  + entry.changedAt());
        }
        if (!expired || entry.result == entry.expected) {
          resource.role = Role.PROMOTED;
        }
      }
      case Results.FAILED_PROMOTED -> {
        if (!expired) {
          resource.role = Role.PROMOTED;
        }
        entry.status = Results.ERROR;
      }
      case Results.NOT_CONFIGURED -> entry.status = Results.ERROR_FATAL;
      case Results.UNIMPLEMENTED -> {
        if (entry.intervalMs == 0) {
          hardError(entry, expired);
        } else {
          entry.status = Results.NOT_SUPPORTED;
        }
      }
      case Results.NOT_INSTALLED, Results.INVALID_PARAMETER, Results.INSUFFICIENT_PRIVILEGES ->
          hardError(entry, expired);
      default -> {
        if (entry.status == Results.DONE) {
          ws.info(
              "Treating unknown exit status "
                  + entry.result
                  + " from "
                  + entry.taskText()
                  + " of "
                  + resource.id
                  + " on "
                  + entry.node.name
                  + " at "
                  + entry.changedAt()
                  + " as failure");
          entry.status = Results.ERROR;
        }
      }
    }
  }

  private void hardError(HistoryEntry entry, boolean expired) {
    if (!expired) {
      blockIfUnrecoverable(entry);
    }
    entry.status = Results.ERROR_HARD;
  }

  /// A failed stop can be recovered from by fencing only.
  private void blockIfUnrecoverable(HistoryEntry entry) {
    if (!entry.is(Task.STOP) || Fencing.canFence(ws, entry.node)) {
      return;
    }
    ws.error(
        "block_if_unrecoverable",
        "No further recovery can be attempted for "
            + entry.resource.id
            + " because "
            + entry.task
            + " on "
            + entry.node.name
            + " failed ("
            + entry.resultText()
            + ") at "
            + entry.changedAt(),
        "rc=" + entry.result + " id=" + entry.id);
    entry.resource.clear(ResourceFlag.MANAGED);
    entry.resource.set(ResourceFlag.BLOCKED);
  }
}
