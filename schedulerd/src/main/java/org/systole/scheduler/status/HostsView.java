package org.systole.scheduler.status;

import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Node;

/// Shows the hosts that host HA looks after.
final class HostsView {
  private HostsView() {}

  /// Shows all of them; nothing if there are none.
  static boolean show(View view, boolean spacer) {
    var nodes = view.cluster().nodes().stream().filter(it -> it.host() != null).toList();
    if (nodes.isEmpty()) {
      return false;
    }
    if (spacer) {
      view.out().spacer();
    }
    if (view.out() instanceof XmlOutput xml) {
      xml.open("hosts");
      nodes.forEach(it -> add(view, xml, it));
      xml.close();
    } else {
      view.out().begin("Hosts");
      nodes.forEach(it -> line(view, it));
      view.out().end();
    }
    return true;
  }

  private static void add(View view, XmlOutput xml, Node node) {
    var host = node.host();
    if (host != null) {
      xml.add("host", "name", node.name(), "state", host.state())
          .attr("since", host.since() == 0 ? null : view.time(host.since()))
          .attr("reason", host.why().isEmpty() ? null : host.why());
    }
  }

  private static void line(View view, Node node) {
    var host = node.host();
    if (host != null && view.out() instanceof TextOutput text) {
      text.item(
          "%s: %s%s%s"
              .formatted(
                  node.name(),
                  host.state(),
                  host.since() == 0 ? "" : " since " + view.time(host.since()),
                  host.why().isEmpty() ? "" : ": " + host.why()));
    }
  }
}
