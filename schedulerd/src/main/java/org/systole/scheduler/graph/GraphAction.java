package org.systole.scheduler.graph;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// One action of a transition graph, or the mention of one as an input.
///
/// @param kind who runs it
/// @param id its number within the graph
/// @param xml the element it is written as; an input has no children
public record GraphAction(Kind kind, int id, Element xml) {
  private static final String META = "CRM_meta_";

  /// Who runs an action.
  public enum Kind {
    /// The executor on a node, through a resource agent.
    RESOURCE("rsc_op"),
    /// Nobody: a point that orders other actions.
    PSEUDO("pseudo_event"),
    /// The cluster itself: fencing, shutdown, clearing of fail counts.
    CLUSTER("crm_event");

    private final String element;

    Kind(String element) {
      this.element = element;
    }

    public String element() {
      return element;
    }

    static Optional<Kind> of(String element) {
      for (var kind : values()) {
        if (kind.element.equals(element)) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  /// The action an element describes.
  ///
  /// @throws IllegalArgumentException if it is no action or has no valid number
  public static GraphAction of(Element xml) {
    var kind =
        Kind.of(xml.name())
            .orElseThrow(
                () -> new IllegalArgumentException("unknown graph action <" + xml.name() + ">"));
    return new GraphAction(kind, Numbers.parse(xml.get("id"), "id of <" + xml.name() + ">"), xml);
  }

  public String operation() {
    return xml.get("operation", "");
  }

  public String key() {
    return xml.get("operation_key", "");
  }

  /// The name of the node it runs on, null for an action of the whole cluster.
  public @Nullable String onNode() {
    return xml.get("on_node");
  }

  /// The id of the node it runs on, null for an action of the whole cluster.
  public @Nullable String onNodeId() {
    return xml.get("on_node_uuid");
  }

  /// The cluster node through which an action on a remote node goes, null if it is not on one.
  public @Nullable String routerNode() {
    return xml.get("router_node");
  }

  /// The resource it acts on (`<primitive id= long-id= class= ...>`), null if there is none.
  public @Nullable Element resource() {
    for (var child : xml.children()) {
      if (child.is("primitive")) {
        return child;
      }
    }
    return null;
  }

  /// Parameters and meta-attributes (`CRM_meta_...`), in the order written.
  public Map<String, String> attributes() {
    var found = new LinkedHashMap<String, String>();
    var attributes = xml.first("attributes");
    if (attributes != null) {
      for (var at = 0; at < attributes.attributeCount(); at++) {
        found.put(attributes.attributeName(at), attributes.attributeValue(at));
      }
      // Names that cannot be attribute names are written as elements.
      for (var param : attributes.children("param")) {
        found.put(param.get("name", ""), param.get("value", ""));
      }
    }
    return found;
  }

  /// A meta-attribute by its plain name (`migrate_source`, `on-fail`), null if not set.
  public @Nullable String meta(String name) {
    var attributes = xml.first("attributes");
    return attributes == null ? null : attributes.get(META + name.replace('-', '_'));
  }

  /// Milliseconds it may take, the start delay included; 0 if none is set.
  public int timeout() {
    return Numbers.parse(meta("timeout"), 0) + Numbers.parse(meta("start-delay"), 0);
  }

  /// Milliseconds between runs of a recurring action, 0 if it runs once.
  public int interval() {
    return Numbers.parse(meta("interval"), 0);
  }

  /// Ids of the nodes that will be down once it is done.
  public List<String> downed() {
    return nodeIds("downed");
  }

  /// The ids of nodes whose maintenance state it records, with the state.
  public Map<String, Boolean> maintenance() {
    var found = new LinkedHashMap<String, Boolean>();
    var list = xml.first("maintenance");
    if (list != null) {
      for (var node : list.children("node")) {
        found.put(node.get("id", ""), "1".equals(node.get("node_in_maintenance")));
      }
    }
    return found;
  }

  private List<String> nodeIds(String listName) {
    var found = new ArrayList<String>();
    var list = xml.first(listName);
    if (list != null) {
      for (var node : list.children("node")) {
        found.add(node.get("id", ""));
      }
    }
    return found;
  }
}
