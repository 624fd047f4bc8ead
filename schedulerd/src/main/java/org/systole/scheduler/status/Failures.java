package org.systole.scheduler.status;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Resource;

/// Shows failed actions.
public final class Failures {
  private Failures() {}

  /// The key of a history entry; old entries have it as their id.
  static String key(Element entry) {
    return entry.get("operation_key", entry.get("id", ""));
  }

  static boolean isProbe(Element entry) {
    return TaskName.MONITOR.equals(entry.get("operation"))
        && Interval.parse(entry.get("interval")) == 0;
  }

  /// Whether it is a probe that only found the resource not to be there, which is no failure to
  /// show.
  static boolean isMaskedProbe(Element entry) {
    var exit = Numbers.parseInt(entry.get("rc-code"), 0);
    return isProbe(entry)
        && (exit == ExitStatus.NOT_INSTALLED.code()
            || exit == ExitStatus.INVALID_PARAM.code()
            || Numbers.parseInt(entry.get("op-status"), -2) == 7);
  }

  /// The masked probe of a resource on a node (null for any), null if there is none.
  static @Nullable Element failedProbe(Resource rsc, @Nullable String node) {
    var id = rsc.id();
    if (rsc.top(false) instanceof Clone clone && clone.childXml() != null) {
      id = clone.childXml().get("id", id);
    }
    for (var entry : rsc.cluster().failed()) {
      var on = entry.get("on_node");
      if (on == null || !isMaskedProbe(entry) || node != null && !on.equalsIgnoreCase(node)) {
        continue;
      }
      var key = OperationKey.parse(key(entry));
      if (key != null && key.resource().text().equals(id)) {
        return entry;
      }
    }
    return null;
  }

  /// Shows the list of failed actions.
  public static boolean show(View view, boolean spacer) {
    var section = new Section(view.out(), spacer, "Failed Resource Actions");
    for (var entry : view.cluster().failed()) {
      var key = OperationKey.parse(key(entry));
      if (view.nodes().hasNode(entry.get("uname", ""))
          && !isMaskedProbe(entry)
          && key != null
          && view.resources().has(key.resource().text())) {
        section.begin();
        show(view, entry);
      }
    }
    return section.end();
  }

  private static void show(View view, Element entry) {
    switch (view.out()) {
      case TextOutput text ->
          text.item(
              view.shows(Show.FAILED_DETAIL) ? technical(view, entry) : friendly(view, entry));
      case XmlOutput xml -> showXml(view, xml, entry);
    }
  }

  private static String node(Element entry) {
    var name = entry.get("uname", "");
    return name.isEmpty() ? "unknown node" : name;
  }

  private static String friendly(View view, Element entry) {
    var key = OperationKey.parse(key(entry));
    var line = new StringBuilder();
    var interval = key == null ? 0 : key.intervalMillis();
    line.append(key == null ? "unknown resource" : key.resource().text()).append(' ');
    if (interval != 0) {
      line.append(Interval.format(interval)).append("-interval ");
    }
    var task = key == null ? "unknown action" : key.operation().text();
    line.append(Task.MONITOR.is(task) && interval == 0 ? "probe" : task);
    line.append(" on ").append(node(entry));
    var reason = entry.get("exit-reason", "");
    var status = number(entry, "op-status");
    if (status == 0) {
      line.append(" returned '").append(exitText(entry)).append('\'');
      line.append(reason.isEmpty() ? "" : " (" + reason + ")");
    } else {
      line.append(" could not be executed (").append(ExecStatus.text(status));
      line.append(reason.isEmpty() ? "" : ": " + reason).append(')');
    }
    var changed = View.seconds(entry.get("last-rc-change"));
    if (changed != null) {
      line.append(" at ").append(view.time(changed));
    }
    var took = Numbers.parse(entry.get("exec-time"), 0);
    if (took > 0) {
      line.append(" after ").append(Interval.format(took));
    }
    return line.toString();
  }

  private static String exitText(Element entry) {
    return ExitStatus.text(number(entry, "rc-code"));
  }

  private static String statusText(Element entry) {
    return ExecStatus.text(number(entry, "op-status"));
  }

  /// As it is shown: what is listed here has ended, whatever its record says, so nothing is below 0.
  private static int number(Element entry, String attribute) {
    return Math.max(0, Numbers.parseInt(entry.get(attribute), 0));
  }

  private static String technical(View view, Element entry) {
    var key = key(entry);
    var call = entry.get("call-id", "");
    var line = new StringBuilder(key.isEmpty() ? "unknown operation" : key);
    line.append(" on ").append(node(entry));
    line.append(" '").append(exitText(entry)).append("' (");
    line.append(number(entry, "rc-code")).append("): call=");
    line.append(call.isEmpty() ? "unknown" : call);
    line.append(", status='").append(statusText(entry)).append('\'');
    addIfSet(line, ", exitreason='", entry.get("exit-reason"), "'");
    var changed = View.seconds(entry.get("last-rc-change"));
    if (changed != null) {
      line.append(", last-rc-change='").append(view.time(changed)).append('\'');
    }
    addIfSet(line, ", queued=", entry.get("queue-time"), "ms");
    addIfSet(line, ", exec=", entry.get("exec-time"), "ms");
    return line.toString();
  }

  private static void addIfSet(
      StringBuilder line, String before, @Nullable String value, String after) {
    if (value != null && !value.isEmpty()) {
      line.append(before).append(value).append(after);
    }
  }

  private static void showXml(View view, XmlOutput out, Element entry) {
    var item =
        out.add("failure")
            .attr(entry.has("operation_key") ? "op_key" : "id", key(entry))
            .attr("node", entry.get("uname"))
            .attr("exitstatus", exitText(entry))
            .attr("exitreason", entry.get("exit-reason", "none"))
            .attr("exitcode", number(entry, "rc-code"))
            .attr("call", entry.get("call-id"))
            .attr(TaskName.STATUS, statusText(entry));
    var changed = View.seconds(entry.get("last-rc-change"));
    if (changed != null && changed > 0) {
      var time = IsoTime.of(java.time.Instant.ofEpochSecond(changed), view.zone());
      item.attr("last-rc-change", time.format(IsoTime.Style.CALENDAR, true))
          .attr("queued", entry.get("queue-time"))
          .attr("exec", entry.get("exec-time"))
          .attr("interval", Numbers.unsigned(entry.get("interval"), 0))
          .attr("task", entry.get("operation"));
    }
  }
}
