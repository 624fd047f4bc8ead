package org.systole.controld.io;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// The node attribute by which a node runs nothing, in the configuration.
public final class Standby {
  private record Ids(String set, String pair) {}

  private Standby() {}

  /// The change that sets it for a node.
  ///
  /// @param node the node's entry without attributes
  public static CibOp set(@Nullable Element cib, Element node, String value) {
    var ids = present(cib, node.get("id", ""));
    var set =
        Element.builder("instance_attributes")
            .attr("id", ids.set())
            .add(Element.of("nvpair", "id", ids.pair(), "name", "standby", "value", value))
            .build();
    return CibOp.put("nodes", node.plus(set));
  }

  /// The ids of the attribute in the CIB, or what they are to be.
  private static Ids present(@Nullable Element cib, String id) {
    var nodes = cib == null ? null : cib.path("configuration", "nodes");
    var node = nodes == null ? null : nodes.first("node", id);
    if (node != null) {
      for (var set : node.children("instance_attributes")) {
        for (var pair : set.children("nvpair")) {
          if ("standby".equals(pair.get("name"))) {
            return new Ids(set.get("id", ""), pair.get("id", ""));
          }
        }
      }
    }
    return new Ids("nodes-" + id, "nodes-" + id + "-standby");
  }
}
