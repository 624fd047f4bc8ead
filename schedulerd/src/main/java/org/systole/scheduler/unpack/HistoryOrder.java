package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.TaskName;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.MergeSort;
import org.systole.scheduler.model.WorkingSet;

/// The age of history entries relative to each other.
public final class HistoryOrder {
  private HistoryOrder() {}

  /// The entries of an `lrm_resource`, oldest first.
  public static List<Element> sorted(WorkingSet ws, Element history) {
    var entries = new ArrayList<Element>();
    for (var entry : history.children()) {
      if (entry.is(HistoryEntry.ELEMENT)) {
        entries.addFirst(entry); // of equal ones, the later in the document counts as older
      }
    }
    MergeSort.sort(entries, (a, b) -> compare(ws, a, b));
    return entries;
  }

  /// Negative if `a` is older than `b`, positive if it is newer, 0 if that cannot be told.
  public static int compare(WorkingSet ws, Element a, Element b) {
    var sameNode = a.get("on_node", "").equalsIgnoreCase(b.get("on_node", ""));
    if (sameNode && a.get("id", "").equals(b.get("id", ""))) {
      ws.configError("pe__is_newer_op", "Duplicate lrm_rsc_op entries named " + a.id());
      return 0;
    }
    var callA = Numbers.integer(a.get("call-id"), -1);
    var callB = Numbers.integer(b.get("call-id"), -1);
    if (callA == -1 && callB == -1) {
      return 0; // both pending
    }
    if (sameNode && callA >= 0 && callA < callB) {
      return -1;
    }
    if (sameNode && callB >= 0 && callA > callB) {
      return 1;
    }
    if (callA >= 0 && callB >= 0 && (!sameNode || callA == callB)) {
      return byChange(a, b);
    }
    return byTransition(a, b, callA, callB);
  }

  private static int byChange(Element a, Element b) {
    var changeA = Numbers.whole(a.get("last-rc-change"), -1);
    var changeB = Numbers.whole(b.get("last-rc-change"), -1);
    if (changeA >= 0 && changeA < changeB) {
      return -1;
    }
    return changeB >= 0 && changeA > changeB ? 1 : 0;
  }

  /// One of the two is pending, so has no call id yet.
  private static int byTransition(Element a, Element b, int callA, int callB) {
    var ofA = TransitionKey.ofMagic(a.get("transition-magic"));
    var ofB = TransitionKey.ofMagic(b.get("transition-magic"));
    if (ofA == null || ofB == null) {
      return 0;
    }
    if (!ofA.engine().equalsIgnoreCase(ofB.engine()) || ofA.transition() == ofB.transition()) {
      return callB == -1 ? -1 : callA == -1 ? 1 : 0;
    }
    if (ofA.transition() >= 0 && ofA.transition() < ofB.transition() || !ofB.isPlanned()) {
      return -1;
    }
    return ofB.transition() >= 0 && ofA.transition() > ofB.transition() || !ofA.isPlanned() ? 1 : 0;
  }

  /// From where on sorted history entries tell of an active resource.
  ///
  /// @param start index of the entry that made it active, -1 if none did
  /// @param stop index of the last successful stop, -1 if there is none
  public record Active(int start, int stop) {}

  /// Which of the sorted entries of a resource matter while it is active.
  public static Active active(List<Element> sorted) {
    var start = -1;
    var stop = -1;
    var monitored = -1;
    var promoted = -1;
    for (var at = 0; at < sorted.size(); at++) {
      var entry = sorted.get(at);
      switch (entry.get("operation", "").toLowerCase(java.util.Locale.ROOT)) {
        case TaskName.STOP -> {
          if (new HistoryEntry(entry).status() == ExecStatus.DONE) {
            stop = at;
          }
        }
        case TaskName.START, TaskName.MIGRATE_FROM -> start = at;
        case TaskName.MONITOR -> {
          var found = new HistoryEntry(entry);
          if (monitored <= stop && (found.is(OcfCode.OK) || found.is(OcfCode.RUNNING_PROMOTED))) {
            monitored = at;
          }
        }
        case TaskName.PROMOTE, TaskName.DEMOTE -> promoted = at;
        default -> {}
      }
    }
    if (start == -1) {
      start = promoted != -1 ? promoted : monitored;
    }
    return new Active(start, stop);
  }
}
