package org.systole.scheduler.status;

import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Node;

/// Shows the hosts that host HA looks after.
final class HostsView {
  private HostsView() {}

  /// What a list of nodes says of a host beside whether it is online, of which the plan has an opinion of its own; empty if
  /// that is all, as it always is where host HA is off.
  static String beside(Node node) {
    var host = node.host();
    if (host == null || host.hold() == HostStatus.Hold.NONE) {
      return "";
    }
    return " (host HA: %s%s)".formatted(host.state(), host.lost() ? ", connection lost" : "");
  }

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
          .attr("reason", host.why().isEmpty() ? null : host.why())
          .attr("held", host.held());
    }
  }

  private static void line(View view, Node node) {
    var host = node.host();
    if (host != null && view.out() instanceof TextOutput text) {
      text.item(
          "%s: %s%s%s%s"
              .formatted(
                  node.name(),
                  host.state(),
                  held(host.held()),
                  host.since() == 0 ? "" : " since " + view.time(host.since()),
                  host.why().isEmpty() ? "" : ": " + host.why()));
    }
  }

  private static String held(@Nullable String why) {
    return why == null ? "" : why.isEmpty() ? ", held" : ", held (%s)".formatted(why);
  }
}
