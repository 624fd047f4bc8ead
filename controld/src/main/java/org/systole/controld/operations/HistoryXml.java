package org.systole.controld.operations;

import java.util.List;
import org.systole.common.operation.AgentName;
import org.systole.common.xml.Element;

/// The frame in which the status section holds history entries.
public final class HistoryXml {
  private HistoryXml() {}

  /// A resource with its entries.
  public static Element.Builder resource(String resource, AgentName agent) {
    return agent.on(Element.builder("lrm_resource").attr("id", resource));
  }

  /// `resources` in the frame of their node.
  public static Element nodeState(String nodeId, String nodeName, List<Element> resources) {
    return Element.builder("node_state")
        .attr("id", nodeId)
        .attr("uname", nodeName)
        .attr("crm-debug-origin", "controld_update_resource_history")
        .add(lrm(nodeId, resources))
        .build();
  }

  public static Element lrm(String nodeId, List<Element> resources) {
    return Element.builder("lrm")
        .attr("id", nodeId)
        .add(Element.builder("lrm_resources").addAll(resources))
        .build();
  }
}
