package org.systole.tools.fencing;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.CalendarText;
import org.systole.common.values.IsoTime;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// How fencing operations are shown.
final class FencingHistory {
  private FencingHistory() {}

  /// Writes one operation.
  ///
  /// @param history all operations, the latest first
  /// @param full whether all operations are shown, rather than the last of each kind
  /// @param detailed with who did it, for whom, and when, as an administrator of fencing wants it
  static void show(
      Output out,
      FenceRecord record,
      List<FenceRecord> history,
      boolean full,
      boolean detailed,
      ZoneId zone) {
    switch (out) {
      case HtmlOutput html ->
          html.item(
              switch (record.progress()) {
                case DONE -> "successful-stonith-event";
                case FAILED -> "failed-stonith-event";
                case QUERYING, EXECUTING, DUPLICATE -> "pending-stonith-event";
              },
              describe(record, laterSuccess(record, history), full, detailed, zone));
      case TextOutput text ->
          text.indented(
              describe(record, laterSuccess(record, history), full, detailed, zone) + "\n");
      case XmlOutput xml -> {
        var node =
            xml.add(
                "fence_event",
                "action",
                record.action(),
                "target",
                record.target().text(),
                "client",
                record.client(),
                "origin",
                record.origin().text());
        switch (record.progress()) {
          case FAILED ->
              node.attr("status", "failed").attr("exit-reason", emptyToNull(record.exitReason()));
          case DONE -> node.attr("status", "success");
          case QUERYING -> node.attr("status", "pending").attr("extended-status", 0);
          case EXECUTING -> node.attr("status", "pending").attr("extended-status", 1);
          case DUPLICATE -> node.attr("status", "pending").attr("extended-status", 3);
        }
        node.attr("delegate", emptyToNull(record.delegate()));
        if (isOver(record)) {
          node.attr("completed", time(record, zone));
        }
      }
    }
    out.countItem();
  }

  private static @Nullable String emptyToNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static boolean isOver(FenceRecord record) {
    return record.progress() == Progress.DONE || record.progress() == Progress.FAILED;
  }

  /// In words: `reboot of node1 successful: delegate=node2, client=...`.
  static String describe(
      FenceRecord record,
      @Nullable String laterSuccess,
      boolean full,
      boolean detailed,
      ZoneId zone) {
    var failed = record.progress() == Progress.FAILED;
    var words = new StringBuilder(action(record)).append(" of ").append(record.target());
    if (!detailed) {
      if (isOver(record) && !record.delegate().isEmpty()) {
        words.append(" by ").append(record.delegate());
      }
      words.append(" for ").append(record.client()).append('@').append(record.origin());
      words.append(full ? "" : " last");
    }
    words.append(' ').append(state(record));
    if (failed && !record.exitReason().isEmpty()) {
      words.append(" (").append(record.exitReason()).append(')');
    }
    if (detailed) {
      words.append(": ");
      if (isOver(record) && !record.delegate().isEmpty()) {
        words.append("delegate=").append(record.delegate()).append(", ");
      }
      words.append("client=").append(record.client());
      words.append(", origin=").append(record.origin());
      if (isOver(record)) {
        words.append(full ? ", completed" : failed ? ", last-failed" : ", last-successful");
        words.append("='").append(time(record, zone)).append('\'');
      }
    } else if (isOver(record)) {
      words.append(" at ").append(time(record, zone));
    }
    if (failed && laterSuccess != null) {
      words.append(" (a later attempt from ").append(laterSuccess).append(" succeeded)");
    }
    return words.toString();
  }

  private static String action(FenceRecord record) {
    return switch (record.action()) {
      case "on" -> "unfencing";
      case "off" -> "turning off";
      default -> record.action();
    };
  }

  private static String state(FenceRecord record) {
    return switch (record.progress()) {
      case FAILED -> "failed";
      case DONE -> "successful";
      case QUERYING, EXECUTING, DUPLICATE -> "pending";
    };
  }

  /// The node from which a later attempt of the same kind succeeded, null if none did.
  static @Nullable String laterSuccess(FenceRecord failed, List<FenceRecord> history) {
    @Nullable String other = null;
    for (var later : history) {
      if (later.id().equals(failed.id())) {
        break;
      }
      if (later.progress() == Progress.DONE
          && later.target().equalsIgnoreCase(failed.target())
          && later.action().equals(failed.action())
          && later.completedMillis() > failed.completedMillis()) {
        if (later.delegate().equalsIgnoreCase(failed.delegate())) {
          return later.delegate();
        }
        other = other == null ? later.delegate() : other;
      }
    }
    return other;
  }

  private static String time(FenceRecord record, ZoneId zone) {
    var at = Instant.ofEpochMilli(record.completedMillis());
    var time = IsoTime.of(at, zone);
    return "%s %s.%06d%s"
        .formatted(
            time.formatDate(IsoTime.Style.CALENDAR),
            time.formatTime(),
            at.getNano() / 1000,
            time.formatOffset());
  }

  /// Seconds since 1970 as `Sat Nov 21 00:45:19 2026`.
  static String longTime(long seconds, ZoneId zone) {
    return CalendarText.withDayOfWeek(
        LocalDateTime.ofInstant(Instant.ofEpochSecond(seconds), zone));
  }
}
