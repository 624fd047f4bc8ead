package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.HtmlOutput.Span;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;

/// Shows single resources.
final class PrimitiveView {
  private PrimitiveView() {}

  static boolean show(View view, Primitive rsc) {
    if (Filters.hides(view.resources(), rsc, true)) {
      return false;
    }
    if (view.out() instanceof XmlOutput xml) {
      return showXml(view, xml, rsc);
    }
    var current = rsc.currentNode();
    return showText(view, rsc, rsc.printableId(), current != null ? current : rsc.pendingNode());
  }

  /// Shows one line under a name that need not be its own.
  static boolean showText(View view, Resource rsc, String name, @Nullable Node node) {
    if (Bool.isTrue(rsc.meta().get("internal_rsc")) && !view.shows(Show.IMPLICIT)) {
      return false;
    }
    var line = text(view, rsc, name, node, rsc.meta().get("target-role"), true);
    if (view.out() instanceof HtmlOutput html) {
      html.item(List.of(new Span(line, look(rsc))));
    } else {
      view.out().item(line);
    }
    return true;
  }

  private static String look(Resource rsc) {
    if (!rsc.is(ResourceFlag.MANAGED)) {
      return "rsc-managed";
    }
    if (rsc.is(ResourceFlag.FAILED) || rsc.active().isEmpty()) {
      return "rsc-failed";
    }
    if (rsc.active().size() > 1) {
      return "rsc-multiple";
    }
    return rsc.is(ResourceFlag.IGNORE_FAILURE) ? "rsc-failure-ignored" : "rsc-ok";
  }

  /// The line for a resource.
  ///
  /// @param listNodes whether to name all nodes if it is active on several
  static String text(
      View view,
      Resource rsc,
      String name,
      @Nullable Node where,
      @Nullable String targetRole,
      boolean listNodes) {
    var several = rsc.active().size() > 1;
    var node = where == null ? rsc.lockNode() : where;
    if (view.shows(Show.RESOURCE_ONLY) || several) {
      node = null;
    }
    var line = new StringBuilder(name);
    line.append("\t(").append(agent(rsc)).append("):\t");
    line.append(state(view, rsc));
    if (node != null) {
      line.append(' ').append(node.name());
    }
    line.append(failedProbe(rsc, node));
    line.append(ResourceView.remarks(remarks(view, rsc, node, targetRole)));
    if (view.shows(Show.RESOURCE_ONLY) || view.shows(Show.DESCRIPTION) || several) {
      line.append(ResourceView.inParentheses(rsc.xml().get("description")));
    }
    if (listNodes && several && !view.shows(Show.RESOURCE_ONLY)) {
      line.append(" [");
      rsc.active().forEach(active -> line.append(' ').append(active.name()));
      line.append(" ]");
    }
    return line.toString();
  }

  /// Standard, provider and type of the agent.
  static String agent(Resource rsc) {
    var standard = rsc.xml().get("class", "unknown");
    var provider = standard.equalsIgnoreCase("ocf") ? rsc.xml().get("provider") : null;
    return standard
        + (provider == null ? "" : ":" + provider)
        + ":"
        + rsc.xml().get("type", "unknown");
  }

  private static String state(View view, Resource rsc) {
    var state = new StringBuilder();
    if (rsc.is(ResourceFlag.REMOVED)) {
      state.append(" ORPHANED");
    }
    var role = shownRole(rsc);
    if (rsc.is(ResourceFlag.FAILED)) {
      state.append(" FAILED");
      if (role.above(Role.UNPROMOTED)) {
        state.append(' ').append(role.text());
      }
    } else {
      state.append(' ').append(shownState(view, rsc));
    }
    return state.toString();
  }

  private static Role shownRole(Resource rsc) {
    var promotable = rsc.top(false).is(ResourceFlag.PROMOTABLE);
    return rsc.role() == Role.STARTED && promotable ? Role.UNPROMOTED : rsc.role();
  }

  private static String shownState(View view, Resource rsc) {
    var pending = view.shows(Show.PENDING) ? pendingState(rsc) : null;
    return pending != null ? pending : shownRole(rsc).text();
  }

  private static @Nullable String pendingState(Resource rsc) {
    if (rsc.pendingAction() == null) {
      return null;
    }
    return switch (rsc.pendingAction()) {
      case TaskName.START -> "Starting";
      case TaskName.STOP -> "Stopping";
      case TaskName.MIGRATE_TO, TaskName.MIGRATE_FROM -> "Migrating";
      case TaskName.PROMOTE -> "Promoting";
      case TaskName.DEMOTE -> "Demoting";
      default -> null;
    };
  }

  private static @Nullable String pendingAction(View view, Resource rsc) {
    return view.shows(Show.PENDING) && TaskName.MONITOR.equals(rsc.pendingAction())
        ? "Monitoring"
        : null;
  }

  private static String failedProbe(Resource rsc, @Nullable Node node) {
    var probe =
        shownRole(rsc) == Role.STOPPED
            ? Failures.failedProbe(rsc, node == null ? null : node.name())
            : null;
    return probe == null
        ? ""
        : " (" + ExitStatus.text(Numbers.parseInt(probe.get("rc-code"), 0)) + ") ";
  }

  private static List<String> remarks(
      View view, Resource rsc, @Nullable Node node, @Nullable String targetRole) {
    var remarks = new ArrayList<String>();
    if (node != null && !node.online() && node.unclean()) {
      remarks.add("UNCLEAN");
    }
    if (node != null && node == rsc.lockNode()) {
      remarks.add("LOCKED");
    }
    var pending = pendingAction(view, rsc);
    if (pending != null) {
      remarks.add(pending);
    }
    if (targetRole != null) {
      addTarget(remarks, rsc, targetRole);
    }
    if (rsc.is(ResourceFlag.BLOCKED)) {
      remarks.add("blocked");
    } else if (rsc.is(ResourceFlag.MAINTENANCE)) {
      remarks.add("maintenance");
    } else if (!rsc.is(ResourceFlag.MANAGED)) {
      remarks.add("unmanaged");
    }
    if (rsc.is(ResourceFlag.IGNORE_FAILURE)) {
      remarks.add("failure ignored");
    }
    return remarks;
  }

  private static void addTarget(List<String> remarks, Resource rsc, String targetRole) {
    switch (Role.parse(targetRole)) {
      case STOPPED -> remarks.add("disabled");
      case UNPROMOTED -> {
        if (rsc.top(false).is(ResourceFlag.PROMOTABLE)) {
          remarks.add("target-role:" + targetRole);
        }
      }
      case UNKNOWN, STARTED, PROMOTED -> {}
    }
  }

  private static boolean showXml(View view, XmlOutput out, Primitive rsc) {
    var provider = rsc.xml().get("provider");
    var agent =
        rsc.xml().get("class", "(null)")
            + (provider == null ? "" : ":" + provider)
            + ":"
            + rsc.xml().get("type", "(null)");
    var removed = Boolean.toString(rsc.is(ResourceFlag.REMOVED));
    out.open("resource", "id", rsc.printableId(), "resource_agent", agent)
        .attr("role", shownState(view, rsc))
        .attr("target_role", rsc.meta().get("target-role"))
        .attr("active", rsc.isActive(true))
        .attr("orphaned", removed)
        .attr("removed", removed)
        .attr("blocked", rsc.is(ResourceFlag.BLOCKED))
        .attr("maintenance", rsc.is(ResourceFlag.MAINTENANCE))
        .attr("managed", rsc.is(ResourceFlag.MANAGED))
        .attr("failed", rsc.is(ResourceFlag.FAILED))
        .attr("failure_ignored", rsc.is(ResourceFlag.IGNORE_FAILURE))
        .attr("nodes_running_on", rsc.active().size())
        .attr("pending", pendingAction(view, rsc))
        .attr("locked_to", rsc.lockNode() == null ? null : rsc.lockNode().name())
        .attr("description", ResourceView.description(view, rsc));
    for (var node : rsc.active()) {
      out.add("node", "name", node.name(), "id", node.id()).attr("cached", node.online());
    }
    out.close();
    return true;
  }
}
