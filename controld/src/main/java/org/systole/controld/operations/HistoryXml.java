package org.systole.controld.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.values.Bool;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// The frame in which the status section holds history entries.
public final class HistoryXml {
  /// Marks the `node_state` of a remote or guest node.
  public static final String REMOTE = "remote_node";

  private static final String LOST = "history-lost";

  private HistoryXml() {}

  /// Marks a node's `lrm` as one that may lack a resource that runs there: all resources are to be
  /// probed.
  public static Element lost(Element lrm) {
    return lrm.with(LOST, "true");
  }

  public static boolean isLost(Element lrm) {
    return Bool.isTrue(lrm.get(LOST));
  }

  /// A resource with its entries.
  public static Element.Builder resource(ResourceId resource, AgentName agent) {
    return agent.on(Element.builder("lrm_resource").attr("id", resource.text()));
  }

  /// The number of the last call that is recorded of a resource; 0 if none is.
  public static long lastCallId(@Nullable Element resource) {
    var last = 0L;
    for (var each : resource == null ? List.<Element>of() : resource.children(HistoryEntry.ELEMENT)) {
      last = Math.max(last, Numbers.whole(each.get("call-id"), 0));
    }
    return last;
  }

  /// `resources` in the frame of their node.
  public static Element nodeState(CibNodeId nodeId, NodeName nodeName, List<Element> resources) {
    return node(nodeId, nodeName)
        .attr("crm-debug-origin", "controld_update_resource_history")
        .add(lrm(nodeId, resources))
        .build();
  }

  /// A `node_state` with the node's id and name only.
  public static Element.Builder node(CibNodeId nodeId, NodeName nodeName) {
    return Element.builder("node_state").attr("id", nodeId.text()).attr("uname", nodeName.text());
  }

  public static Element lrm(CibNodeId nodeId, List<Element> resources) {
    return Element.builder("lrm")
        .attr("id", nodeId.text())
        .add(Element.builder("lrm_resources").addAll(resources))
        .build();
  }

  /// What the CIB has of the resources of a node, null if it has nothing.
  public static @Nullable Element resources(Element cib, CibNodeId node) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", node.text());
    return state == null ? null : state.path("lrm", "lrm_resources");
  }

  /// The transition key of the last call that is in a node's history, empty if there was none.
  public static String lastKey(Element nodeState) {
    var lrm = nodeState.path("lrm", "lrm_resources");
    var last = "";
    var lastCall = 0L;
    for (var resource : lrm == null ? List.<Element>of() : lrm.children("lrm_resource")) {
      for (var entry : resource.children(HistoryEntry.ELEMENT)) {
        var call = Numbers.whole(entry.get("call-id"), 0);
        if (call > lastCall) {
          lastCall = call;
          last = entry.get("transition-key", "");
        }
      }
    }
    return last;
  }
}
