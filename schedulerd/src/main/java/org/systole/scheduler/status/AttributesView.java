package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.HtmlOutput.Span;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;

/// Shows node attributes.
public final class AttributesView {
  private static final List<String> INTERNAL =
      List.of(FailureAttribute.COUNT, FailureAttribute.LAST, "shutdown", "terminate", "standby", "#");

  private AttributesView() {}

  /// Shows the attributes of all online nodes.
  public static boolean show(View view, boolean spacer) {
    var section = new Section(view.out(), spacer, "Node Attributes");
    for (var node : view.cluster().nodes()) {
      if (!node.online() || !view.nodes().hasNode(node.name())) {
        continue;
      }
      var names = new TreeSet<String>();
      for (var name : node.attributes().keySet()) {
        if (INTERNAL.stream().noneMatch(name::startsWith)) {
          names.add(name);
        }
      }
      if (!names.isEmpty()) {
        section.begin();
        NodesView.begin(view, node);
        names.forEach(name -> show(view, node, name));
        view.out().end();
      }
    }
    return section.end();
  }

  private static void show(View view, Node node, String name) {
    var value = node.attributes().get(name);
    var expected = expected(node, node.running(), name);
    switch (view.out()) {
      case HtmlOutput html -> showHtml(html, name, value, expected);
      case TextOutput text ->
          text.item(
              String.format(
                  Locale.ROOT,
                  "%-32s\t: %-10s%s",
                  name,
                  value,
                  expected == null ? "" : connectivity(value, expected)));
      case XmlOutput xml -> {
        var item = xml.add("attribute", "name", name).attr("value", value);
        if (expected != null) {
          item.attr("expected", expected);
        }
      }
    }
  }

  private static void showHtml(
      HtmlOutput html, String name, @Nullable String value, @Nullable Integer expected) {
    var line = name + ": " + value;
    if (expected == null) {
      html.item(line);
      return;
    }
    var actual = Numbers.parse(value, 0);
    var spans = new ArrayList<>(List.of(Span.of(line)));
    if (actual <= 0) {
      spans.add(new Span("(connectivity is lost)", "bold"));
    } else if (actual < expected) {
      spans.add(new Span("(connectivity is degraded -- expected " + expected + ")", "bold"));
    }
    html.item(spans);
  }

  private static String connectivity(@Nullable String value, int expected) {
    var actual = Numbers.parse(value, 0);
    if (actual <= 0) {
      return "\t: Connectivity is lost";
    }
    return actual < expected ? "\t: Connectivity is degraded (Expected=" + expected + ")" : "";
  }

  /// The value an attribute should have when a running ping resource sets it and reaches every
  /// host; null if none sets it.
  private static @Nullable Integer expected(Node node, List<Resource> resources, String name) {
    for (var rsc : resources) {
      var inside = expected(node, rsc.children(), name);
      if (inside != null) {
        return inside;
      }
      var type = rsc.xml().get("type", "");
      if (!type.equalsIgnoreCase("ping") && !type.equalsIgnoreCase("pingd")) {
        continue;
      }
      var parameters = rsc.parameters(node);
      if (parameters.getOrDefault("name", "pingd").equalsIgnoreCase(name)) {
        var hosts = parameters.get("host_list");
        var count = hosts == null ? 0 : hosts.split(" ", -1).length;
        return count * Numbers.parseInt(parameters.get("multiplier"), 1);
      }
    }
    return null;
  }
}
