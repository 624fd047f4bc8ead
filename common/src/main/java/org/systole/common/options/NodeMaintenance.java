package org.systole.common.options;

import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Bool;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// Whether a node is in maintenance by its own attribute.
public final class NodeMaintenance {
  private NodeMaintenance() {}

  /// As the scheduler sees it: by the node's attributes in the status, or else in the configuration, with
  /// their rules, in all ways to say yes.
  public static boolean isOn(Element cib, NodeName node, IsoTime now) {
    var blocks = new NameValues(new Rules(cib, Diagnostics.NONE));
    var values = new TreeMap<String, String>(); // names that are there keep their value
    var state = named(cib.first("status"), node);
    for (var of : Arrays.asList(
        state == null ? null : state.first("transient_attributes"),
        named(cib.path("configuration", "nodes"), node))) {
      if (of != null) {
        blocks.unpack(of, "instance_attributes", RuleContext.at(now), values);
      }
    }
    return Bool.isTrue(values.get("maintenance"));
  }

  private static @Nullable Element named(@Nullable Element section, NodeName node) {
    for (var entry : section == null ? List.<Element>of() : section.children()) {
      if (node.text().equals(entry.get("uname"))) {
        return entry;
      }
    }
    return null;
  }
}
