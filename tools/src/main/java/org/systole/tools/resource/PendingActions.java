package org.systole.tools.resource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.WorkingSet;

/// What is left to do as the CIB says, also where it waits for something that has failed: a DC that
/// has carried out all it can is idle nevertheless.
///
/// @param actions those of a new plan that can be run, the last one planned first
/// @param recorded whether the status says of an operation that it is under way
public record PendingActions(List<Action> actions, boolean recorded) {
  private static final String LAST_FAILURE = "_last_failure_0";

  /// @param status of the present CIB, and not planned for yet
  public static PendingActions of(WorkingSet status) {
    var recorded = isAnyRecorded(status.cib());
    Scheduler.plan(status);
    return new PendingActions(
        status.actions().reversed().stream().filter(PendingActions::isPending).toList(), recorded);
  }

  boolean isNone() {
    return actions.isEmpty() && !recorded;
  }

  // Notifications do not count: those about what could not be run stay. Nor does that a failure is cleared, as one that has expired: it changes
  // nothing that runs, and comes with the next plan, which may be a quarter of an hour off.
  private static boolean isPending(Action action) {
    return action.is(ActionFlag.RUNNABLE)
        && !action.is(ActionFlag.OPTIONAL)
        && !action.is(ActionFlag.PSEUDO)
        && !action.task().equalsIgnoreCase(TaskName.NOTIFY)
        && !action.task().equals(TaskName.CLEAR_FAILCOUNT);
  }

  // A recurring monitor may stay recorded as under way when its failure has an entry of its own.
  static boolean isAnyRecorded(Element cib) {
    var failed = new HashSet<String>();
    var monitors = new HashSet<String>();
    for (var entry : entries(cib)) {
      if (entry.id().endsWith(LAST_FAILURE)) {
        failed.add(entry.key());
      }
      if (entry.is(OcfCode.NONE)) {
        if (!entry.is(Task.MONITOR) || entry.isProbe()) {
          return true;
        }
        monitors.add(entry.key());
      }
    }
    return !failed.containsAll(monitors);
  }

  private static List<HistoryEntry> entries(Element cib) {
    var entries = new ArrayList<HistoryEntry>();
    var status = cib.first("status");
    for (var node : status == null ? List.<Element>of() : status.children("node_state")) {
      for (var lrm : node.children("lrm")) {
        for (var resources : lrm.children("lrm_resources")) {
          for (var resource : resources.children("lrm_resource")) {
            resource.children(HistoryEntry.ELEMENT).forEach(it -> entries.add(new HistoryEntry(it)));
          }
        }
      }
    }
    return entries;
  }

  /// Each with the number it has in the plan.
  List<String> lines() {
    return actions.stream()
        .map(it -> "Action %d: %s%s".formatted(it.id(), it.key(), it.node() == null ? "" : "\ton " + it.node().name()))
        .toList();
  }

  /// Each as the DC names what it has under way.
  List<String> names() {
    return actions.stream().map(it -> it.key() + (it.node() == null ? "" : " on " + it.node().name())).toList();
  }
}
