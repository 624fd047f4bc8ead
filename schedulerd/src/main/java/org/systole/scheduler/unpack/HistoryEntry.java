package org.systole.scheduler.unpack;

import java.time.Instant;
import java.time.LocalDateTime;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.CalendarText;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.operations.Task;

/// One result in the operation history, as it is interpreted.
final class HistoryEntry {
  final Resource resource;
  final Node node;
  final Element xml;
  final String id;
  final String task;
  final long intervalMs;
  final String key;
  final int expected;

  /// What the agent returned, and how the execution ended; both may be seen otherwise than
  /// recorded.
  int result;

  int status;

  HistoryEntry(Resource resource, Node node, Element xml) {
    this.resource = resource;
    this.node = node;
    this.xml = xml;
    this.id = xml.get("id", "");
    this.task = xml.get("operation", "");
    this.intervalMs = Numbers.unsigned(xml.get("interval"), 0);
    this.key = key(xml);
    this.expected = expectedResult(xml);
    this.result = Numbers.integer(xml.get("rc-code"), -1);
    this.status = Numbers.integer(xml.get("op-status"), Results.UNKNOWN);
  }

  boolean is(String otherTask) {
    return task.equals(otherTask);
  }

  boolean isProbe() {
    return Task.isProbe(task, intervalMs);
  }

  /// Whether it is a probe whose failure only says that the resource is not there.
  boolean isMaskedProbe() {
    return isMaskedProbe(xml) && !resource.isBundled();
  }

  static boolean isMaskedProbe(Element xml) {
    if (!Task.isProbe(xml.get("operation", ""), Numbers.unsigned(xml.get("interval"), 0))) {
      return false;
    }
    var result = Numbers.integer(xml.get("rc-code"), Results.OK);
    return result == Results.NOT_INSTALLED
        || result == Results.INVALID_PARAMETER
        || Numbers.integer(xml.get("op-status"), Results.UNKNOWN) == Results.STATUS_NOT_INSTALLED;
  }

  /// The operation key; very old entries have it as their id.
  static String key(Element xml) {
    var key = xml.get("operation_key", "");
    return key.isEmpty() ? xml.get("id", "") : key;
  }

  /// The result the controller expected when it asked for the operation, -1 if that is not known.
  static int expectedResult(Element xml) {
    var transition = Transition.ofKey(xml.get("transition-key"));
    return transition == null ? -1 : transition.expected();
  }

  /// The result in words, with the agent's reason if it gave one.
  String resultText() {
    var reason = xml.get("exit-reason", "");
    return ExitStatus.text(result) + (reason.isEmpty() ? "" : ": " + reason);
  }

  String statusText() {
    return ExecStatus.text(status);
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
            Instant.ofEpochSecond(Numbers.parse(when, 0)), resource.cluster.zone()));
  }

  /// The transition an operation belonged to.
  ///
  /// @param id its number, -1 for a shutdown
  /// @param expected the expected result
  record Transition(int id, int expected, String uuid) {
    private static final java.util.regex.Pattern KEY =
        java.util.regex.Pattern.compile("\\s*(-?\\d+):\\s*(-?\\d+):\\s*(-?\\d+):\\s*(\\S{1,36}).*");

    static @Nullable Transition ofKey(@Nullable String key) {
      var parts = key == null ? null : KEY.matcher(key);
      return parts == null || !parts.matches()
          ? null
          : new Transition(
              Numbers.parseInt(parts.group(2), -1),
              Numbers.parseInt(parts.group(3), -1),
              parts.group(4));
    }

    static @Nullable Transition ofMagic(String magic) {
      var semicolon = magic.indexOf(';');
      return semicolon < 0 ? null : ofKey(magic.substring(semicolon + 1));
    }
  }
}
