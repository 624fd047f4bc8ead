package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.HtmlOutput.Span;
import org.systole.common.output.Product;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.unpack.Health;

/// Shows nodes.
public final class NodesView {
  private NodesView() {}

  /// The name people see, with the host of a guest and the id if ids are shown.
  static String displayName(Node node, boolean detail) {
    var name = new StringBuilder(node.name());
    if (!detail) {
      return node.name();
    }
    if (node.isGuest() && node.remote() != null && node.remote().launcher() != null) {
      var host = node.remote().launcher().currentNode();
      name.append('@').append(host == null ? "" : host.name());
    }
    if (!node.id().equalsIgnoreCase(node.name())) {
      name.append(" (").append(node.id()).append(')');
    }
    return name.toString();
  }

  /// The feature set a cluster node reports, null if it reports none.
  static @Nullable String featureSet(Node node) {
    return node.online() && node.is(NodeFlag.EXPECTED_UP) && !node.remoteKind()
        ? node.attributes().getOrDefault(Product.FEATURE_SET_ATTRIBUTE, "<3.15.1")
        : null;
  }

  /// Shows the list of nodes.
  public static boolean showAll(View view, boolean spacer) {
    if (view.out() instanceof XmlOutput xml) {
      xml.begin("nodes");
      for (var node : view.cluster().nodes()) {
        if (view.nodes().hasNode(node.name())) {
          showXml(view, xml, node);
        }
      }
      xml.end();
      return true;
    }
    if (view.out() instanceof HtmlOutput html) {
      return showHtml(view, html);
    }
    var section = new Section(view.out(), spacer, "Node List");
    var lists = new LinkedHashMap<String, List<String>>();
    for (var title : List.of("Online", "OFFLINE", "RemoteOnline", "RemoteOFFLINE", "GuestOnline")) {
      lists.put(title, new ArrayList<>());
    }
    for (var node : view.cluster().nodes()) {
      if (view.nodes().hasNode(node.name())) {
        section.begin();
        if (isShownAlone(view, node)) {
          show(view, node);
        } else {
          lists
              .getOrDefault(listOf(node), new ArrayList<>())
              .add(displayName(node, view.shows(Show.NODE_ID)));
        }
      }
    }
    lists.forEach(
        (title, names) -> {
          if (!names.isEmpty()) {
            names.removeIf(String::isEmpty);
            view.out().item(title, "[ " + String.join(" ", names) + " ]");
          }
        });
    return section.end();
  }

  private static boolean isShownAlone(View view, Node node) {
    return node.unclean()
        || node.pending()
        || node.is(NodeFlag.FAIL_STANDBY) && node.online()
        || node.is(NodeFlag.STANDBY)
        || node.maintenance()
        || !HostsView.beside(node).isEmpty()
        || view.shows(Show.BY_NODE)
        || view.shows(Show.FEATURE_SET)
        || Health.color(view.cluster(), node) != Health.Color.GREEN;
  }

  /// Guests that are offline are in no list.
  private static String listOf(Node node) {
    if (node.online()) {
      return node.isGuest() ? "GuestOnline" : node.isRemote() ? "RemoteOnline" : "Online";
    }
    return node.isRemote() ? "RemoteOFFLINE" : node.isGuest() ? "" : "OFFLINE";
  }

  /// Begins the display of something about a node.
  static void begin(View view, Node node) {
    switch (view.out()) {
      case HtmlOutput html -> html.begin(displayName(node, view.shows(Show.NODE_ID)) + ":");
      case TextOutput text -> text.begin("Node: " + displayName(node, view.shows(Show.NODE_ID)));
      case XmlOutput xml -> xml.open("node", "name", node.name());
    }
  }

  /// Shows one node with what runs on it, if that is shown by node.
  private static void show(View view, Node node) {
    var line = line(view, node);
    if (!view.shows(Show.BY_NODE)) {
      view.out().item(line);
      return;
    }
    if (view.shows(Show.BRIEF)) {
      var running = Filters.named(view.resources(), node.running());
      if (!running.isEmpty()) {
        view.out().begin(line);
        view.out().begin("Resources");
        BriefResources.show(view.with(Show.RESOURCE_ONLY).without(Show.INACTIVE), running);
        view.out().end();
        view.out().end();
      }
      return;
    }
    view.out().begin(line);
    view.out().begin("Resources");
    node.running().forEach(rsc -> ResourceView.show(view.with(Show.RESOURCE_ONLY), rsc));
    view.out().end();
    view.out().end();
  }

  private static String line(View view, Node node) {
    var kind = node.isGuest() ? "GuestNode" : node.isRemote() ? "RemoteNode" : "Node";
    var health =
        switch (Health.color(view.cluster(), node)) {
          case RED -> " (health is RED)";
          case YELLOW -> " (health is YELLOW)";
          case GREEN -> "";
        };
    var features = view.shows(Show.FEATURE_SET) ? featureSet(node) : null;
    return kind
        + " "
        + displayName(node, view.shows(Show.NODE_ID))
        + ": "
        + state(node)
        + HostsView.beside(node)
        + health
        + (features == null ? "" : ", feature set " + features);
  }

  private static String state(Node node) {
    if (node.unclean()) {
      return node.online()
          ? "UNCLEAN (online)"
          : node.pending() ? "UNCLEAN (pending)" : "UNCLEAN (offline)";
    }
    if (node.pending()) {
      return "pending";
    }
    if (node.is(NodeFlag.FAIL_STANDBY) && node.online()) {
      return "standby (on-fail)";
    }
    if (node.is(NodeFlag.STANDBY)) {
      if (!node.online()) {
        return "OFFLINE (standby)";
      }
      return node.running().isEmpty() ? "standby" : "standby (with active resources)";
    }
    if (node.maintenance()) {
      return node.online() ? "maintenance" : "OFFLINE (maintenance)";
    }
    return node.online() ? "online" : "OFFLINE";
  }

  private static boolean showHtml(View view, HtmlOutput html) {
    var section = new Section(html, false, "Node List");
    for (var node : view.cluster().nodes()) {
      if (view.nodes().hasNode(node.name())) {
        section.begin();
        if (view.shows(Show.BY_NODE)) {
          showWithResources(view, html, node);
        } else {
          var name = displayName(node, view.shows(Show.NODE_ID)) + ":";
          html.item(status(view, node, new Span(name, "bold")));
        }
      }
    }
    return section.end();
  }

  private static void showWithResources(View view, HtmlOutput html, Node node) {
    begin(view, node);
    html.beginItem(status(view, node, Span.of("Status:")));
    var resources = new Section(html, false, "Resources");
    if (view.shows(Show.BRIEF)) {
      var running = Filters.named(view.resources(), node.running());
      if (!running.isEmpty()) {
        resources.begin();
        BriefResources.show(view.with(Show.RESOURCE_ONLY).without(Show.INACTIVE), running);
      }
    } else {
      for (var rsc : node.running()) {
        resources.begin();
        ResourceView.show(view.with(Show.RESOURCE_ONLY), rsc);
      }
    }
    resources.end();
    html.endItem();
    html.end();
  }

  private static List<Span> status(View view, Node node, Span first) {
    var spans = new ArrayList<>(List.of(first));
    spans.add(node.online() ? new Span(" online", "online") : new Span(" OFFLINE", "offline"));
    var active = node.running().isEmpty() ? "" : ", with active resources";
    if (node.is(NodeFlag.FAIL_STANDBY)) {
      spans.add(new Span(" (in standby due to on-fail" + active + ")", "standby"));
    } else if (node.is(NodeFlag.STANDBY)) {
      spans.add(new Span(" (in standby" + active + ")", "standby"));
    }
    if (node.maintenance()) {
      spans.add(new Span(" (in maintenance mode)", "maint"));
    }
    if (!HostsView.beside(node).isEmpty()) {
      spans.add(Span.of(HostsView.beside(node)));
    }
    switch (Health.color(view.cluster(), node)) {
      case RED -> spans.add(new Span(" (health is RED)", "health_red"));
      case YELLOW -> spans.add(new Span(" (health is YELLOW)", "health_yellow"));
      case GREEN -> {}
    }
    var features = view.shows(Show.FEATURE_SET) ? featureSet(node) : null;
    if (features != null) {
      spans.add(Span.of(", feature set " + features));
    }
    return spans;
  }

  private static void showXml(View view, XmlOutput out, Node node) {
    var health =
        switch (Health.color(view.cluster(), node)) {
          case RED -> "red";
          case YELLOW -> "yellow";
          case GREEN -> "green";
        };
    var item =
        out.open("node", "name", node.name(), "id", node.id())
            .attr("online", node.online())
            .attr("standby", node.is(NodeFlag.STANDBY))
            .attr("standby_onfail", node.is(NodeFlag.FAIL_STANDBY))
            .attr("maintenance", node.maintenance())
            .attr("pending", node.pending())
            .attr("unclean", node.unclean())
            .attr("health", health)
            .attr("feature_set", featureSet(node))
            .attr("shutdown", node.shutdown())
            .attr("expected_up", node.is(NodeFlag.EXPECTED_UP))
            .attr("is_dc", node == view.cluster().dc())
            .attr("resources_running", node.running().size())
            .attr("type", node.remoteKind() ? "remote" : "member");
    if (node.isGuest() && node.remote() != null && node.remote().launcher() != null) {
      item.attr("id_as_resource", node.remote().launcher().id());
    }
    if (view.shows(Show.BY_NODE)) {
      node.running().forEach(rsc -> ResourceView.show(view.with(Show.RESOURCE_ONLY), rsc));
    }
    out.close();
  }
}
