package org.systole.scheduler.unpack;

import java.time.Instant;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.CalendarText;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;

/// One result in the operation history, as it is interpreted: the same entry may mean something
/// else than what was recorded.
final class RecordedResult {
  final Resource resource;
  final Node node;
  final Element xml;
  final HistoryEntry entry;
  final String id;
  final String task;
  final long intervalMs;
  final String key;
  final int expected;

  /// What the agent returned, and how the execution ended; both may be seen otherwise than
  /// recorded.
  int result;

  ExecStatus status;

  RecordedResult(Resource resource, Node node, Element xml) {
    this.resource = resource;
    this.node = node;
    this.xml = xml;
    this.entry = new HistoryEntry(xml);
    this.id = entry.id();
    this.task = entry.operation();
    this.intervalMs = entry.intervalMillis();
    this.key = entry.key();
    this.expected = entry.expectedRc();
    this.result = entry.rc(TransitionKey.NOT_KNOWN);
    this.status = entry.status();
  }

  boolean is(String otherTask) {
    return task.equals(otherTask);
  }

  boolean isProbe() {
    return Task.isProbe(task, intervalMs);
  }

  /// Whether it is a probe whose failure only says that the resource is not there.
  boolean isMaskedProbe() {
    return isMaskedProbe(entry) && !resource.isBundled();
  }

  static boolean isMaskedProbe(HistoryEntry entry) {
    return entry.isProbe()
        && (entry.is(OcfCode.NOT_INSTALLED)
            || entry.is(OcfCode.INVALID_PARAMETER)
            || entry.status() == ExecStatus.NOT_INSTALLED);
  }

  /// What the agent returned, null if it is none of the standard's codes.
  @Nullable OcfCode code() {
    return OcfCode.of(result);
  }

  boolean is(OcfCode code) {
    return code.is(result);
  }

  /// The result in words, with the agent's reason if it gave one.
  String resultText() {
    var reason = entry.exitReason();
    return ExitStatus.text(result) + (reason.isEmpty() ? "" : ": " + reason);
  }

  String statusText() {
    return ExecStatus.text(status.code());
  }

  /// The operation in words.
  String taskText() {
    return isProbe() ? "probe" : task;
  }

  /// When the result was last another one, for people.
  String changedAt() {
    var when = xml.get("last-rc-change");
    if (when == null || !Numbers.isNumber(when)) {
      return "unknown_time";
    }
    return CalendarText.date(
        LocalDateTime.ofInstant(
            Instant.ofEpochSecond(Numbers.parse(when, 0)), resource.cluster().zone()));
  }
}
