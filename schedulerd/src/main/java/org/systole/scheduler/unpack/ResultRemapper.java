package org.systole.scheduler.unpack;

import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;

/// Sees recorded results as what they mean: the executor does not know which result was expected.
final class ResultRemapper {
  private final WorkingSet ws;
  private final FailedActions failed;

  ResultRemapper(WorkingSet ws, FailedActions failed) {
    this.ws = ws;
    this.failed = failed;
  }

  void remap(RecordedResult entry, ResourceHistory history, boolean expired) {
    degraded(entry, expired);
    if (entry.isMaskedProbe()
        && (entry.status != ExecStatus.DONE || !entry.is(OcfCode.NOT_RUNNING))) {
      entry.status = ExecStatus.DONE;
      entry.result = OcfCode.NOT_RUNNING.number();
    }
    switch (entry.status) {
      case DONE, ERROR -> {
        compareWithExpected(entry);
        byResult(entry, history, expired);
      }
      case NO_FENCE_DEVICE, NO_SECRETS -> entry.status = ExecStatus.ERROR_HARD;
      default -> {} // the executor's word is final
    }
  }

  private void degraded(RecordedResult entry, boolean expired) {
    var effective = OcfCode.undegraded(entry.result);
    if (effective != entry.result) {
      entry.result = effective;
      if (!expired && (!entry.node.shutdown() || entry.node.online())) {
        failed.add(entry);
      }
    }
  }

  private void compareWithExpected(RecordedResult entry) {
    if (entry.expected < 0) {
      entry.status = ExecStatus.ERROR;
      ws.configWarning(
          "Expected result not found for "
              + entry.key
              + " on "
              + entry.node.name()
              + " (corrupt or obsolete CIB?)");
    } else {
      entry.status = entry.result == entry.expected ? ExecStatus.DONE : ExecStatus.ERROR;
    }
  }

  private void byResult(RecordedResult entry, ResourceHistory history, boolean expired) {
    var resource = entry.resource;
    switch (entry.code()) {
      case OK -> {
        if (entry.isProbe() && OcfCode.NOT_RUNNING.is(entry.expected)) {
          found(entry, "active");
        }
      }
      case NOT_RUNNING -> {
        if (entry.isProbe()
            || entry.expected == entry.result
            || !resource.is(ResourceFlag.MANAGED)) {
          entry.status = ExecStatus.DONE;
          resource.setRole(Role.STOPPED);
          history.onFail = OnFail.IGNORE;
          resource.setNextRole(Role.UNKNOWN);
        }
      }
      case RUNNING_PROMOTED -> {
        if (entry.isProbe() && entry.result != entry.expected) {
          found(entry, "active and promoted");
        }
        if (!expired || entry.result == entry.expected) {
          resource.setRole(Role.PROMOTED);
        }
      }
      case FAILED_PROMOTED -> {
        if (!expired) {
          resource.setRole(Role.PROMOTED);
        }
        entry.status = ExecStatus.ERROR;
      }
      case NOT_CONFIGURED -> entry.status = ExecStatus.ERROR_FATAL;
      case UNIMPLEMENTED -> {
        if (entry.intervalMs == 0) {
          hardError(entry, expired);
        } else {
          entry.status = ExecStatus.NOT_SUPPORTED;
        }
      }
      case NOT_INSTALLED, INVALID_PARAMETER, INSUFFICIENT_PRIVILEGES -> hardError(entry, expired);
      case null, default -> {
        if (entry.status == ExecStatus.DONE) {
          unknown(entry);
        }
      }
    }
  }

  private void found(RecordedResult entry, String how) {
    entry.status = ExecStatus.DONE;
    ws.info(
        "Probe found %s %s on %s at %s"
            .formatted(entry.resource.id(), how, entry.node.name(), entry.changedAt()));
  }

  private void unknown(RecordedResult entry) {
    entry.status = ExecStatus.ERROR;
    ws.info(
        "Treating unknown exit status %d from %s of %s on %s at %s as failure"
            .formatted(
                entry.result,
                entry.taskText(),
                entry.resource.id(),
                entry.node.name(),
                entry.changedAt()));
  }

  private void hardError(RecordedResult entry, boolean expired) {
    if (!expired) {
      blockIfUnrecoverable(entry);
    }
    entry.status = ExecStatus.ERROR_HARD;
  }

  /// A failed stop can be recovered from by fencing only.
  private void blockIfUnrecoverable(RecordedResult entry) {
    if (!entry.is(TaskName.STOP) || Fencing.canFence(ws, entry.node)) {
      return;
    }
    ws.error(
        "block_if_unrecoverable",
        "No further recovery can be attempted for "
            + entry.resource.id()
            + " because "
            + entry.task
            + " on "
            + entry.node.name()
            + " failed ("
            + entry.resultText()
            + ") at "
            + entry.changedAt(),
        "rc=" + entry.result + " id=" + entry.id);
    ActiveResources.block(entry.resource);
  }
}
