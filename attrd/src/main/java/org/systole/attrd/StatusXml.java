package org.systole.attrd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// One node's attributes as the CIB's status section has them.
final class StatusXml {
  private final CibNodeId nodeId;
  private final NodeName node;
  private final Map<String, Element.Builder> sets = new LinkedHashMap<>();

  /// @param nodeId the id of the node's `node_state`
  StatusXml(CibNodeId nodeId, NodeName node) {
    this.nodeId = nodeId;
    this.node = node;
  }

  /// The XPath of all attributes of a node.
  static String everythingOf(NodeName node) {
    return "//node_state[@uname=" + CibXPath.literal(node.text()) + "]/transient_attributes";
  }

  /// Adds a value to be set, or an operation that deletes it.
  void add(Attribute attribute, @Nullable String value, List<CibOp> deletions) {
    var setName = attribute.kind().utilization() ? "utilization" : "instance_attributes";
    var setId = setId(attribute);
    var pairId = pairId(attribute);
    if (value == null) {
      deletions.add(
          CibOp.deleteXPath(
              "/cib/status/node_state[@id=%1$s]/transient_attributes[@id=%1$s]/%2$s[@id=%3$s]/nvpair[@id=%4$s]"
                  .formatted(
                      CibXPath.literal(nodeId.text()),
                      setName,
                      CibXPath.literal(setId),
                      CibXPath.literal(pairId))));
    } else {
      sets.computeIfAbsent(setName + " " + setId, _ -> Element.builder(setName).attr("id", setId))
          .add(Element.of("nvpair", "id", pairId, "name", attribute.name(), "value", value));
    }
  }

  /// Whether a CIB has this value.
  boolean has(Element cib, Attribute attribute, String value) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", nodeId.text());
    var attributes = state == null ? null : state.first("transient_attributes");
    if (attributes == null) {
      return false;
    }
    for (var set : attributes.children()) {
      var pair = set.first("nvpair", pairId(attribute));
      if (pair != null && value.equals(pair.get("value"))) {
        return true;
      }
    }
    return false;
  }

  /// The node's attributes in a CIB. The CIB does not hold the attributes' delays.
  List<AttrPeerMessage.Value> read(Element cib) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", nodeId.text());
    var attributes = state == null ? null : state.first("transient_attributes");
    var found = new ArrayList<AttrPeerMessage.Value>();
    for (var set : attributes == null ? List.<Element>of() : attributes.children()) {
      var id = set.get("id", "");
      var usual = id.equals(clean("status-" + nodeId));
      var kind = new AttrMessage.Kind(usual ? "" : id, set.name().equals("utilization"), false);
      for (var pair : set.children("nvpair")) {
        found.add(
            new AttrPeerMessage.Value(
                pair.get("name", ""), kind, 0, node, pair.get("value"), false));
      }
    }
    return found;
  }

  private String setId(Attribute attribute) {
    var given = attribute.kind().set();
    return clean(given.isEmpty() ? "status-" + nodeId : given);
  }

  private String pairId(Attribute attribute) {
    var given = attribute.kind().set();
    return clean((given.isEmpty() ? "status-" + nodeId : given) + "-" + attribute.name());
  }

  /// What is to be merged into the status section; null if nothing is to be set.
  @Nullable Element merge() {
    if (sets.isEmpty()) {
      return null;
    }
    var attributes = Element.builder("transient_attributes").attr("id", nodeId.text());
    sets.values().forEach(attributes::add);
    return Element.builder("node_state")
        .attr("id", nodeId.text())
        .attr("uname", node.text())
        .add(attributes)
        .build();
  }

  /// Makes an XML id out of a text.
  static String clean(String text) {
    var clean = new StringBuilder(text.length());
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      var plain =
          c < 128 && Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.' || c == ':';
      clean.append(plain || c >= 128 && Character.isLetter(c) ? c : '.');
    }
    return clean.toString();
  }
}
