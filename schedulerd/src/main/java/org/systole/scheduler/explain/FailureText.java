package org.systole.scheduler.explain;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.ScoreCause;

/// What is said of a ban for a failure: what failed and why, where the history still has it.
final class FailureText {
  private FailureText() {}

  /// @param named whether the source is a resource, whose fail count is meant
  static String of(Element cib, ScoreCause cause, boolean named) {
    if (named) {
      return "it failed there as often as migration-threshold allows";
    }
    var entry = entry(cib, cause.node(), cause.source());
    return entry == null ? "it failed there, and must not be started after that" : text(entry);
  }

  private static String text(HistoryEntry entry) {
    var status = entry.status();
    var code = OcfCode.of(entry.rc(OcfCode.UNKNOWN_ERROR.number()));
    var how = status == ExecStatus.DONE || status == ExecStatus.ERROR ? code == null ? "Unknown" : code.text() : status.text();
    var reason = entry.exitReason();
    return "its %s there ended with '%s'%s"
        .formatted(entry.isProbe() ? "probe" : entry.operation(), how, reason.isEmpty() ? "" : ": " + reason);
  }

  private static @Nullable HistoryEntry entry(Element cib, Node node, String id) {
    var status = cib.first("status");
    if (status == null || id.isEmpty()) {
      return null;
    }
    for (var state : status.children("node_state")) {
      if (node.name().equalsIgnoreCase(state.get("uname", ""))) {
        var found = state.find(it -> it.is(HistoryEntry.ELEMENT) && id.equals(it.id()));
        if (found != null) {
          return new HistoryEntry(found);
        }
      }
    }
    return null;
  }
}
