package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.OperationConfig;

/// Interprets the results of operations in the history, one after the other.
final class OperationReader {
  private final WorkingSet ws;
  private final FailedActions failed;
  private final FailureExpiry expiry;
  private final ResultRemapper remapper;
  private final Migrations migrations;

  OperationReader(WorkingSet ws) {
    this.ws = ws;
    this.failed = new FailedActions(ws);
    this.expiry = new FailureExpiry(ws);
    this.remapper = new ResultRemapper(ws, failed);
    this.migrations = new Migrations(ws);
  }

  void read(Resource resource, Node node, Element xml, ResourceHistory history) {
    if (!isUsable(resource, node, xml)) {
      return;
    }
    var entry = new RecordedResult(resource, node, xml);
    var recorded = entry.result;
    var expired = expiry.isExpired(entry);
    remapper.remap(entry, history, expired);
    if (expired && ignoreExpired(entry, recorded)) {
      return;
    }
    if (entry.isMaskedProbe()) {
      maskProbeFailure(entry, recorded, history);
      return;
    }
    switch (entry.status) {
      case PENDING -> pending(entry, history);
      case DONE -> succeeded(entry, entry.result, history);
      case NOT_INSTALLED -> notInstalled(entry, history);
      default -> {
        var remote = node.remote();
        if (entry.status == ExecStatus.NOT_CONNECTED
            && node.remoteKind()
            && remote != null
            && remote.is(ResourceFlag.MANAGED)
            && !CleanedUpConnection.is(ws, remote)) {
          remote.set(ResourceFlag.FAILED);
          remote.set(ResourceFlag.STOP_IF_FAILED);
          node.noteConnectionFailure(Long.MAX_VALUE);
        }
        failed(entry, history);
      }
    }
  }

  private boolean isUsable(Resource resource, Node node, Element xml) {
    var id = xml.id();
    var where = " for " + resource.id() + " on " + node.name();
    if (id == null) {
      ws.configError("unpack_rsc_op", "Ignoring resource history entry" + where + " without ID");
      return false;
    }
    var task = xml.get("operation");
    if (task == null) {
      ws.configError(
          "unpack_rsc_op", "Ignoring resource history entry " + id + where + " without operation");
      return false;
    }
    if (!canAffectState(task)) {
      return false;
    }
    var status = xml.get("op-status");
    var known = new HistoryEntry(xml).status();
    if (!Numbers.isNumber(status) || known == ExecStatus.UNKNOWN || known == ExecStatus.CANCELLED) {
      ws.configError(
          "unpack_action_result",
          "Ignoring resource history entry "
              + id
              + where
              + " with invalid op-status '"
              + xml.get("op-status", "")
              + "'");
      return false;
    }
    var result = xml.get("rc-code");
    var code = Numbers.parseInt(result, -1);
    if (!Numbers.isNumber(result) || code < 0 || code > OcfCode.MAX) {
      ws.configError(
          "unpack_action_result",
          "Ignoring resource history entry "
              + id
              + where
              + " with invalid rc-code '"
              + xml.get("rc-code", "")
              + "'");
      return false;
    }
    return true;
  }

  private static boolean canAffectState(String task) {
    return switch (task) {
      case TaskName.MONITOR,
          TaskName.START,
          TaskName.STOP,
          TaskName.PROMOTE,
          TaskName.DEMOTE,
          TaskName.MIGRATE_TO,
          TaskName.MIGRATE_FROM,
          TaskName.ASYNC_MONITOR ->
          true;
      default -> false;
    };
  }

  /// Deals with an expired entry; false if it is to be read like any other.
  private boolean ignoreExpired(RecordedResult entry, int recorded) {
    var resource = entry.resource;
    if (entry.isMaskedProbe() && recorded != entry.expected) {
      if (!resource.role().above(Role.STOPPED)) {
        resource.setRole(Role.UNKNOWN);
      }
      return true;
    }
    if (entry.result == entry.expected) {
      return false; // only failures expire
    }
    if (entry.intervalMs == 0) {
      ws.notice(
          "Ignoring resource history entry "
              + entry.id
              + " for "
              + entry.task
              + " of "
              + resource.id()
              + " on "
              + entry.node.name()
              + ": Expired failure");
      return true;
    }
    if (entry.node.online() && !entry.node.unclean()) {
      ws.notice(
          "Rescheduling "
              + Interval.format(entry.intervalMs)
              + "-interval "
              + entry.task
              + " of "
              + resource.id()
              + " on "
              + entry.node.name()
              + " after failure expired");
      // No parameters have this digest, so the operation will be started anew.
      ws.changeHistory(
          entry.xml, entry.xml.with("op-restart-digest", "calculated-failure-timeout"));
      return true;
    }
    return false;
  }

  private void maskProbeFailure(RecordedResult entry, int recorded, ResourceHistory history) {
    var resource = entry.resource;
    var banned = resource.is(ResourceFlag.UNIQUE) ? resource : resource.top(false);
    ws.notice(
        "Treating probe result '"
            + org.systole.common.output.ExitStatus.text(recorded)
            + "' for "
            + resource.id()
            + " on "
            + entry.node.name()
            + " as 'not running'");
    succeeded(entry, entry.expected, history);
    failed.add(entry);
    banned.prefer(entry.node, -Score.INFINITY);
    ws.noteBan(banned, entry.node, ScoreCause.Kind.FAILURES, entry.id);
  }

  private void pending(RecordedResult entry, ResourceHistory history) {
    if (isSupersededBy(entry, history.lastFailure)) {
      return;
    }
    var resource = entry.resource;
    switch (entry.task) {
      case TaskName.START -> {
        resource.set(ResourceFlag.START_PENDING);
        setActive(resource);
      }
      case TaskName.PROMOTE -> resource.setRole(Role.PROMOTED);
      case TaskName.MIGRATE_TO -> {
        var name = entry.xml.get("migrate_target");
        var target = name == null ? null : ws.node(name);
        if (entry.node.unclean() && target != null) {
          Actions.stop(resource, target, false);
        } else if (entry.node.online() && !entry.node.unclean() && !resource.is(ResourceFlag.REMOTE_CONNECTION)) {
          resource.set(ResourceFlag.MIGRATING);
          resource.setMigratingTo(target);
        }
      }
      default -> {}
    }
    if (resource.pendingAction() == null && !entry.isProbe()) {
      resource.setPendingAction(entry.task);
      resource.setPendingNode(entry.node);
    }
  }

  /// Whether the failure of a recurring operation is newer than its pending entry: failures are
  /// recorded in an entry of their own.
  private static boolean isSupersededBy(RecordedResult entry, @Nullable Element failure) {
    if (failure == null
        || !entry.task.equals(failure.get("operation"))
        || !Numbers.isNumber(failure.get("interval"))
        || entry.intervalMs != Numbers.parse(failure.get("interval"), 0)) {
      return false;
    }
    var changed = entry.xml.get("last-rc-change");
    var failedAt = failure.get("last-rc-change");
    return Numbers.isNumber(changed)
        && Numbers.isNumber(failedAt)
        && Numbers.parse(failedAt, 0) >= Numbers.parse(changed, 0);
  }

  private static void setActive(Resource resource) {
    resource.setRole(
        resource.top(false).is(ResourceFlag.PROMOTABLE) ? Role.UNPROMOTED : Role.STARTED);
  }

  /// What a result that is no failure says about the resource, and which failures it makes good.
  private void succeeded(RecordedResult entry, int result, ResourceHistory history) {
    if (affectsState(entry, result, history)) {
      clearPastFailures(entry, history);
    }
  }

  private boolean affectsState(RecordedResult entry, int result, ResourceHistory history) {
    var resource = entry.resource;
    if (OcfCode.NOT_INSTALLED.is(result) || entry.isMaskedProbe()) {
      resource.setRole(Role.STOPPED);
      return false;
    }
    if (OcfCode.NOT_RUNNING.is(result)) {
      return true;
    }
    switch (entry.task) {
      case TaskName.MONITOR -> {
        activeAtLeast(resource);
        return history.lastFailure != null
            && entry.key.equals(new HistoryEntry(history.lastFailure).key());
      }
      case TaskName.START, TaskName.MIGRATE_FROM -> resource.setRole(Role.STARTED);
      case TaskName.STOP -> resource.setRole(Role.STOPPED);
      case TaskName.PROMOTE -> resource.setRole(Role.PROMOTED);
      case TaskName.DEMOTE -> {
        resource.setRole(Role.UNPROMOTED);
        return history.onFail == OnFail.DEMOTE;
      }
      case TaskName.MIGRATE_TO -> {
        migrations.toSucceeded(entry);
        // The start that made good what failed before is no longer on record: its host would be fenced.
        return resource.is(ResourceFlag.REMOTE_CONNECTION);
      }
      default -> {
        activeAtLeast(resource);
        return false;
      }
    }
    return true;
  }

  private static void activeAtLeast(Resource resource) {
    if (resource.role().below(Role.STARTED)) {
      setActive(resource);
    }
  }

  private static void clearPastFailures(RecordedResult entry, ResourceHistory history) {
    switch (history.onFail) {
      case STOP, BAN, STANDBY, FENCE -> {} // not made good by a later success
      case BLOCK, IGNORE, DEMOTE, RESTART, RESTART_CONTAINER -> {
        history.onFail = OnFail.IGNORE;
        entry.resource.setNextRole(Role.UNKNOWN);
      }
      case RESET_REMOTE -> {
        // With a reconnect interval, the failure itself has to be cleared first.
        if (entry.resource.reconnectIntervalMs() == 0) {
          history.onFail = OnFail.IGNORE;
          entry.resource.setNextRole(Role.UNKNOWN);
        }
      }
    }
  }

  private record Handling(OnFail onFail, Role role) {}

  private static Handling handling(RecordedResult entry) {
    var config = OperationConfig.find(entry.resource, entry.task, entry.intervalMs, true);
    var meta =
        OperationConfig.meta(entry.resource, entry.node, entry.task, entry.intervalMs, config);
    var onFail =
        OperationConfig.onFail(entry.resource, entry.task, entry.intervalMs, meta.get("on-fail"));
    return new Handling(
        onFail, OperationConfig.roleAfterFailure(entry.resource, entry.task, onFail));
  }

  private static Resource whole(Resource resource) {
    return resource.is(ResourceFlag.UNIQUE) ? resource : resource.top(false);
  }

  private void notInstalled(RecordedResult entry, ResourceHistory history) {
    var handling = handling(entry);
    if (handling.onFail == OnFail.IGNORE) {
      ws.logWarning(
          "unpack_rsc_op",
          "Cannot ignore failed "
              + entry.task
              + " of "
              + entry.resource.id()
              + " on "
              + entry.node.name()
              + ": Resource agent doesn't exist",
          "status=" + entry.status + " rc=" + entry.result + " id=" + entry.id);
      history.onFail = OnFail.BAN;
    }
    var whole = whole(entry.resource);
    whole.prefer(entry.node, -Score.INFINITY);
    ws.noteBan(whole, entry.node, ScoreCause.Kind.FAILURES, entry.id);
    recordFailure(entry, handling, history);
  }

  private void failed(RecordedResult entry, ResourceHistory history) {
    var handling = handling(entry);
    var resource = entry.resource;
    if (handling.onFail == OnFail.IGNORE
        || handling.onFail == OnFail.RESTART_CONTAINER && entry.is(TaskName.STOP)) {
      ws.logWarning(
          "unpack_rsc_op",
          "Pretending failed "
              + entry.task
              + " ("
              + entry.resultText()
              + ") of "
              + resource.id()
              + " on "
              + entry.node.name()
              + " at "
              + entry.changedAt()
              + " succeeded",
          entry.id);
      succeeded(entry, entry.expected, history);
      resource.set(ResourceFlag.IGNORE_FAILURE);
      failed.add(entry);
      if (handling.onFail == OnFail.RESTART_CONTAINER && !history.onFail.above(OnFail.RESTART)) {
        history.onFail = handling.onFail;
      }
      return;
    }
    recordFailure(entry, handling, history);
    var whole = whole(resource);
    if (entry.status == ExecStatus.ERROR_HARD) {
      var text =
          "Preventing "
              + whole.id()
              + " from restarting on "
              + entry.node.name()
              + " because of hard failure ("
              + entry.resultText()
              + ")";
      if (entry.is(OcfCode.NOT_INSTALLED)) {
        ws.notice(text);
      } else {
        ws.logError("unpack_rsc_op", text, entry.id);
      }
      whole.prefer(entry.node, -Score.INFINITY);
      ws.noteBan(whole, entry.node, ScoreCause.Kind.FAILURES, entry.id);
    } else if (entry.status == ExecStatus.ERROR_FATAL) {
      ws.error(
          "unpack_rsc_op",
          "Preventing "
              + whole.id()
              + " from restarting anywhere because of fatal failure ("
              + entry.resultText()
              + ")",
          entry.id);
      whole.preferEverywhere(-Score.INFINITY);
      ws.noteBan(whole, null, ScoreCause.Kind.FAILURES, entry.id);
    }
  }

  private void recordFailure(RecordedResult entry, Handling handling, ResourceHistory history) {
    var resource = entry.resource;
    history.lastFailure = entry.xml;
    if (ws.is(ClusterFlag.SYMMETRIC) || !entry.is(OcfCode.NOT_INSTALLED)) {
      report(entry);
      failed.add(entry);
    }
    if (history.onFail.below(handling.onFail)) {
      history.onFail = handling.onFail;
    }
    roleAfter(entry, handling);
    if (entry.isProbe() && entry.is(OcfCode.NOT_INSTALLED)) {
      resource.setRole(Role.STOPPED);
    } else {
      activeAtLeast(resource);
    }
    if (handling.role != Role.STARTED && resource.nextRole().below(handling.role)) {
      resource.setNextRole(handling.role);
    }
    if (handling.role == Role.STOPPED) {
      banEverywhere(resource, entry);
    }
  }

  private void report(RecordedResult entry) {
    var resource = entry.resource;
    ws.warning(
        "unpack_rsc_op_failure",
        "Unexpected result ("
            + entry.resultText()
            + ") was recorded for "
            + entry.taskText()
            + " of "
            + resource.id()
            + " on "
            + entry.node.name()
            + " at "
            + entry.changedAt(),
        "exit-status=" + entry.result + " id=" + entry.id);
    if (entry.isProbe()
        && !entry.is(OcfCode.OK)
        && !entry.is(OcfCode.NOT_RUNNING)
        && !entry.is(OcfCode.RUNNING_PROMOTED)) {
      ws.notice(
          "If it is not possible for "
              + resource.id()
              + " to run on "
              + entry.node.name()
              + ", see the resource-discovery option for location constraints");
    }
  }

  private void roleAfter(RecordedResult entry, Handling handling) {
    var resource = entry.resource;
    switch (entry.task) {
      case TaskName.STOP -> {
        resource.prefer(entry.node, -Score.INFINITY);
        ws.noteBan(resource, entry.node, ScoreCause.Kind.FAILURES, entry.id);
      }
      case TaskName.MIGRATE_TO -> migrations.toFailed(entry);
      case TaskName.MIGRATE_FROM -> migrations.fromFailed(entry);
      case TaskName.PROMOTE -> resource.setRole(Role.PROMOTED);
      case TaskName.DEMOTE -> {
        if (handling.onFail == OnFail.BLOCK) {
          resource.setRole(Role.PROMOTED);
          resource.setNextRole(Role.STOPPED);
        } else if (entry.is(OcfCode.NOT_RUNNING)) {
          resource.setRole(Role.STOPPED);
        } else {
          // To keep it promoted would have it demoted over and over; it is stopped anyway.
          resource.setRole(Role.UNPROMOTED);
        }
      }
      default -> {}
    }
  }

  private void banEverywhere(Resource resource, RecordedResult entry) {
    var top = resource.top(false);
    var banned = top instanceof Clone clone && !clone.isUnique() ? clone : resource;
    ws.notice(banned.id() + " will not be started under current conditions");
    banned.banEverywhere();
    ws.noteBan(banned, null, ScoreCause.Kind.FAILURES, entry.id);
  }
}
