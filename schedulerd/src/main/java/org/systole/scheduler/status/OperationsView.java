package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.unpack.HistoryOrder;

/// Shows the operations of the history, each on a line of its own.
public final class OperationsView {
  /// An entry of the history, and where it stands.
  private record Operation(String node, String resource, Element entry) {}

  private static final int UNKNOWN_STATUS = -2;

  private final View view;

  private OperationsView(View view) {
    this.view = view;
  }

  /// @param resource only of this one, as the history knows it; null for all
  /// @param node only on this one; null for all
  /// @param active only what tells of the present state
  /// @return whether anything was shown
  public static boolean show(
      View view, @Nullable String resource, @Nullable String node, boolean active) {
    return new OperationsView(view).showAll(resource, node, active);
  }

  private boolean showAll(@Nullable String resource, @Nullable String node, boolean active) {
    var found = find(resource, node, active);
    if (found.isEmpty()) {
      return false;
    }
    view.out().begin(null, null, "Resource Operations");
    found.forEach(this::show);
    view.out().end();
    return true;
  }

  private List<Operation> find(
      @Nullable String resource, @Nullable String nodeName, boolean active) {
    var found = new ArrayList<Operation>();
    var status = view.cluster().cib().first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var name = state.get("uname", "");
      var node = view.cluster().node(name);
      if (node == null
          || nodeName != null && !name.equalsIgnoreCase(nodeName)
          || !node.online() && !view.cluster().is(ClusterFlag.FENCING_ENABLED)) {
        continue;
      }
      var resources = state.path("lrm", "lrm_resources");
      for (var history :
          resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
        var id = history.get("id", "");
        if (resource == null || resource.equals(id)) {
          collect(name, id, history, active, found);
        }
      }
    }
    return found;
  }

  private void collect(
      String node, String id, Element history, boolean active, List<Operation> found) {
    var entries = HistoryOrder.sorted(view.cluster(), history);
    var first = 0;
    if (active) {
      var span = HistoryOrder.active(entries);
      if (span.start() < span.stop()) {
        return;
      }
      first = Math.max(0, span.start());
    }
    for (var entry : entries.subList(first, entries.size())) {
      found.add(new Operation(node, id, entry));
    }
  }

  private void show(Operation operation) {
    var rsc = view.cluster().resource(operation.resource());
    var status =
        ExecStatus.text((int) Numbers.parse(operation.entry().get("op-status"), UNKNOWN_STATUS));
    switch (view.out()) {
      case TextOutput text -> text.item(null, line(operation, rsc, status));
      case XmlOutput xml -> xml.add(element(operation, rsc, status));
    }
  }

  private static String key(Element entry) {
    return entry.get("operation_key", entry.get("id", ""));
  }

  private String line(Operation operation, @Nullable Resource rsc, String status) {
    var entry = operation.entry();
    var what = "Unknown resource " + operation.resource();
    if (rsc != null) {
      var current = rsc.currentNode();
      what =
          PrimitiveView.text(
              new View(
                  view.cluster(),
                  view.out(),
                  EnumSet.of(Show.RESOURCE_ONLY, Show.PENDING),
                  view.nodes(),
                  view.resources(),
                  view.zone()),
              rsc,
              rsc.printableId(),
              current != null ? current : rsc.pendingNode(),
              rsc.meta().get("target-role"),
              false);
    }
    var change = View.seconds(entry.get("last-rc-change"));
    return "%s: %s (node=%s, call=%s, rc=%s%s): %s"
        .formatted(
            what,
            key(entry),
            operation.node(),
            entry.get("call-id"),
            entry.get("rc-code"),
            change == null
                ? ""
                : ", last-rc-change='%s', exec=%sms"
                    .formatted(view.time(change), entry.get("exec-time")),
            status);
  }

  private Element element(Operation operation, @Nullable Resource rsc, String status) {
    var entry = operation.entry();
    var element =
        Element.builder("operation")
            .attr("op", key(entry))
            .attr("node", operation.node())
            .attr("call", entry.get("call-id"))
            .attr("rc", entry.get("rc-code"))
            .attr("status", status);
    if (rsc != null) {
      var standard = rsc.xml().get("class", "");
      var provider = standard.equalsIgnoreCase("ocf") ? rsc.xml().get("provider", "") : "";
      element
          .attr("rsc", rsc.printableId())
          .attr("agent", standard + ":" + provider + ":" + rsc.xml().get("type", ""));
    }
    var change = View.seconds(entry.get("last-rc-change"));
    if (change != null) {
      element.attr("last-rc-change", view.time(change)).attr("exec-time", entry.get("exec-time"));
    }
    return element.build();
  }
}
