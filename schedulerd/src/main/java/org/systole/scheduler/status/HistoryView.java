package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.MergeSort;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.unpack.HistoryOrder;

/// Shows the operation history, or how often resources failed.
public final class HistoryView {
  private final View view;
  private final boolean operations;

  private HistoryView(View view, boolean operations) {
    this.view = view;
    this.operations = operations;
  }

  /// @param operations whether to show operations, else only fail counts
  public static boolean show(View view, boolean operations, boolean spacer) {
    var status = view.cluster().cib().first(TaskName.STATUS);
    if (status == null) {
      return false;
    }
    var section = new Section(view.out(), spacer, operations ? "Operations" : "Migration Summary");
    var history = new HistoryView(view, operations);
    for (var state : status.children("node_state")) {
      var id = state.id();
      var node = id == null ? null : view.cluster().nodeById(id);
      if (node != null && node.online() && view.nodes().hasNode(node.name())) {
        section.begin();
        history.showNode(node, state);
      }
    }
    return section.end();
  }

  private void showNode(Node node, Element state) {
    var resources = state.path("lrm", "lrm_resources");
    var begun = false;
    for (var entry : resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
      var id = entry.id();
      var rsc = id == null ? null : view.cluster().resource(id);
      if (id == null || rsc == null || hides(rsc)) {
        continue;
      }
      var failures = FailureCount.of(view.cluster(), node, rsc);
      var entries = operations ? operations(entry) : List.<Element>of();
      if (operations ? entries.isEmpty() : failures.count() <= 0) {
        continue;
      }
      if (!begun) {
        begun = true;
        NodesView.begin(view, node);
      }
      if (operations) {
        beginResource(rsc, rsc.printableId(), true, failures);
        entries.forEach(this::showOperation);
        view.out().end();
      } else {
        showResource(rsc, id, failures);
      }
    }
    if (begun) {
      view.out().end();
    }
  }

  private boolean hides(Resource rsc) {
    var top = rsc.top(false);
    if (top instanceof Group) {
      return !view.resources().has(rsc.printableId()) && !view.resources().has(top.printableId());
    }
    return Filters.hides(view.resources(), rsc, true);
  }

  /// The entries worth showing, by call id: no notifications, no probes that found nothing.
  private List<Element> operations(Element resource) {
    var found = new ArrayList<Element>();
    for (var entry : resource.children(HistoryEntry.ELEMENT)) {
      var task = entry.get("operation", "");
      var probe = Task.MONITOR.is(task) && entry.get("interval", "0").equals("0");
      var idle = Numbers.parseInt(entry.get("rc-code"), 0) == ExitStatus.NOT_RUNNING.code();
      if (!Task.NOTIFY.is(task) && !(probe && idle)) {
        found.add(entry);
      }
    }
    MergeSort.sort(found, (a, b) -> HistoryOrder.compare(view.cluster(), a, b));
    return found;
  }

  private String line(@Nullable Resource rsc, String id, boolean all, FailureCount failures) {
    if (rsc == null) {
      return id + ": orphan";
    }
    if (!all && failures.count() == 0 && failures.last() <= 0) {
      return id + ":";
    }
    return id
        + ": migration-threshold="
        + rsc.migrationThreshold()
        + (failures.count() > 0 ? " fail-count=" + failures.count() : "")
        + (failures.last() > 0 ? " last-failure='" + view.time(failures.last()) + "'" : "");
  }

  private void showResource(Resource rsc, String id, FailureCount failures) {
    switch (view.out()) {
      case TextOutput text -> text.item(line(rsc, id, false, failures));
      case XmlOutput xml -> {
        openXml(xml, rsc, id, false, failures);
        xml.close();
      }
    }
  }

  private void beginResource(Resource rsc, String id, boolean all, FailureCount failures) {
    switch (view.out()) {
      case TextOutput text -> text.begin(line(rsc, id, all, failures));
      case XmlOutput xml -> openXml(xml, rsc, id, all, failures);
    }
  }

  private void openXml(XmlOutput out, Resource rsc, String id, boolean all, FailureCount failures) {
    var item = out.open("resource_history", "id", id);
    if (all || failures.count() != 0 || failures.last() > 0) {
      item.attr("orphan", false)
          .attr("removed", false)
          .attr("migration-threshold", rsc.migrationThreshold());
      if (failures.count() > 0) {
        item.attr("fail-count", failures.count());
      }
      if (failures.last() > 0) {
        item.attr("last-failure", view.time(failures.last()));
      }
    }
  }

  private void showOperation(Element entry) {
    var interval = entry.get("interval", "0");
    var recurring = !interval.equals("0");
    var task = entry.get("operation", "");
    var shownTask = task.equalsIgnoreCase(TaskName.MONITOR) && !recurring ? "probe" : task;
    switch (view.out()) {
      case TextOutput text -> text.item(operationText(entry, shownTask, recurring, interval));
      case XmlOutput xml -> operationXml(xml, entry, shownTask, recurring, interval);
    }
  }

  private String operationText(Element entry, String task, boolean recurring, String interval) {
    var line = new StringBuilder();
    line.append('(').append(entry.get("call-id")).append(") ").append(task);
    var every = recurring ? " interval=\"" + interval + "ms\"" : "";
    if (!view.shows(Show.TIMING)) {
      return line.append(recurring ? ":" : "").append(every).toString();
    }
    line.append(':').append(every);
    var changed = View.seconds(entry.get("last-rc-change"));
    if (changed != null && changed > 0) {
      line.append(" last-rc-change=\"").append(view.time(changed)).append('"');
    }
    addTime(line, "exec-time", entry);
    addTime(line, "queue-time", entry);
    var exit = Numbers.parseInt(entry.get("rc-code"), 0);
    return line.append(" rc=" + exit + " (" + ExitStatus.text(exit) + ")").toString();
  }

  private static void addTime(StringBuilder line, String name, Element entry) {
    var value = entry.get(name);
    if (value != null) {
      line.append(' ').append(name).append("=\"").append(value).append("ms\"");
    }
  }

  private void operationXml(
      XmlOutput out, Element entry, String task, boolean recurring, String interval) {
    var exit = Numbers.parseInt(entry.get("rc-code"), 0);
    var item =
        out.add("operation_history")
            .attr("call", entry.get("call-id"))
            .attr("task", task)
            .attr("rc", exit)
            .attr("rc_text", ExitStatus.text(exit));
    if (recurring) {
      item.attr("interval", interval + "ms");
    }
    if (view.shows(Show.TIMING)) {
      var changed = View.seconds(entry.get("last-rc-change"));
      if (changed != null && changed > 0) {
        item.attr("last-rc-change", view.time(changed));
      }
      item.attr("exec-time", milliseconds(entry.get("exec-time")))
          .attr("queue-time", milliseconds(entry.get("queue-time")));
    }
  }

  private static @Nullable String milliseconds(@Nullable String value) {
    return value == null ? null : value + "ms";
  }
}
