package org.systole.common.transition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.output.Product;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;

/// One action of a transition graph, or the mention of one as an input. What it says is read when
/// it is asked for.
///
/// @param kind who runs it
/// @param id its number within the graph
/// @param xml the element it is written as; an input has no children
public record GraphAction(Kind kind, int id, Element xml) {
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

    static @Nullable Kind of(String element) {
      for (var kind : values()) {
        if (kind.element.equals(element)) {
          return kind;
        }
      }
      return null;
    }
  }

  /// Reads an action that another process wrote.
  ///
  /// @throws XmlException if it is none
  public static GraphAction read(Element xml) throws XmlException {
    try {
      return of(xml);
    } catch (IllegalArgumentException e) {
      throw new XmlException(String.valueOf(e.getMessage()), 0);
    }
  }

  /// The action an element describes.
  ///
  /// @throws IllegalArgumentException if it is no action or has no valid number
  public static GraphAction of(Element xml) {
    var kind = Kind.of(xml.name());
    if (kind == null) {
      throw new IllegalArgumentException("unknown graph action <" + xml.name() + ">");
    }
    return new GraphAction(kind, TransitionGraph.number(xml), xml);
  }

  /// What is to be done; a [Task], or a name that only the agent knows.
  public String operation() {
    return xml.get("operation", "");
  }

  public @Nullable Task task() {
    return Task.of(operation());
  }

  public boolean is(Task task) {
    return task.is(operation());
  }

  /// Such as `web_start_0`; in notifications, what tells them apart.
  public String key() {
    return xml.get("operation_key", "");
  }

  /// The node it runs on; null for an action of the whole cluster.
  public @Nullable NodeName node() {
    return NodeName.of(xml.get("on_node"));
  }

  /// The id of the node it runs on; null for an action of the whole cluster.
  public @Nullable CibNodeId nodeId() {
    return CibNodeId.of(xml.get("on_node_uuid"));
  }

  /// Whether it runs on a remote node, through the cluster node that holds the connection.
  public boolean isRouted() {
    return xml.has("router_node");
  }

  /// The cluster node that carries it out: for a remote node, the one that holds its connection.
  /// Null for an action of the whole cluster.
  public @Nullable NodeName executor() {
    return isRouted() ? NodeName.of(xml.get("router_node")) : node();
  }

  /// Whether it changes the CIB only, for want of a node to ask.
  public boolean isOfCib() {
    return "cib".equals(xml.get("mode"));
  }

  /// The resource it acts on (`<primitive id= long-id= class= ...>`), null if there is none.
  public @Nullable Element primitive() {
    return xml.first("primitive");
  }

  /// The resource it is about, as its node knows it: instances of an anonymous clone are one. Null
  /// if there is none.
  public @Nullable ResourceId resource() {
    var primitive = primitive();
    return primitive == null ? null : ResourceId.of(primitive.id());
  }

  /// Parameters and meta-attributes (`CRM_meta_...`), in the order written.
  public Map<String, String> parameters() {
    var found = new LinkedHashMap<String, String>();
    for (var attributes : xml.children("attributes")) {
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
    return attributes == null ? null : attributes.get(OperationRequest.meta(name));
  }

  private long metaNumber(String name) {
    return Numbers.parse(meta(name), 0);
  }

  /// How long it may take, the start delay included; zero if nothing is set.
  public Duration timeout() {
    return Duration.ofMillis(Math.max(0, metaNumber("timeout") + metaNumber("start-delay")));
  }

  /// Milliseconds between runs of a recurring action, 0 if it runs once.
  public long intervalMillis() {
    return metaNumber("interval");
  }

  /// The exit code that counts as success.
  public int expectedRc() {
    return Numbers.parseInt(meta("op_target_rc"), OcfCode.OK.number());
  }

  /// When its resource was locked to its node, seconds since 1970; 0 if it is not.
  public long lockTime() {
    return Numbers.parse(xml.get("shutdown-lock"), 0);
  }

  public boolean isPseudo() {
    return kind == Kind.PSEUDO;
  }

  public boolean isFencing() {
    return kind == Kind.CLUSTER && is(Task.FENCE);
  }

  /// Connects a member to a remote or guest node, looks whether it is connected, or looks for a resource
  /// there. Whatever else is planned anew, this has to be done.
  public boolean findsOut() {
    return connects() || primitive() != null && isProbe() && (isRouted() || isOfConnection());
  }

  /// Connects a member to a remote or guest node. Little work, and as long a wait as the node takes to boot.
  public boolean connects() {
    return kind == Kind.RESOURCE && is(Task.START) && isOfConnection();
  }

  /// Looks whether a member is connected to a remote or guest node, which that member knows: no agent is run for it.
  public boolean looksForConnection() {
    return isProbe() && isOfConnection();
  }

  private boolean isOfConnection() {
    var primitive = primitive();
    return primitive != null && AgentName.of(primitive).isRemoteConnection();
  }

  /// Looks for a resource where it should not be active.
  public boolean isProbe() {
    return kind == Kind.RESOURCE && Task.isProbe(operation(), intervalMillis());
  }

  public boolean isMigration() {
    var task = task();
    return task != null && task.isMigration();
  }

  /// Whether its end is not waited for.
  public boolean noWait() {
    return "true".equals(meta("op_no_wait"));
  }

  /// Ids of the nodes that will be down once it is done.
  public List<CibNodeId> downed() {
    var found = new ArrayList<CibNodeId>();
    var list = xml.first("downed");
    for (var node : list == null ? List.<Element>of() : list.children("node")) {
      var id = CibNodeId.of(node.id());
      if (id != null) {
        found.add(id);
      }
    }
    return found;
  }

  /// Whether this action, when done, means that the node is down.
  public boolean downs(CibNodeId node) {
    var list = xml.first("downed");
    return list != null && list.first("node", node.text()) != null;
  }

  /// What the executor of the node is asked for.
  ///
  /// @param transitionKey under which the result is to come back
  /// @return null if the action names no resource and no operation, or what can never be one
  public @Nullable OperationRequest request(String transitionKey) {
    var primitive = primitive();
    var resource = resource();
    var operation = OperationName.of(operation());
    if (primitive == null || resource == null || operation == null) {
      return null;
    }
    var parameters = parameters();
    parameters.remove(OperationRequest.meta("op_target_rc"));
    parameters.putIfAbsent(OperationRequest.FEATURE_SET, Product.FEATURE_SET);
    return OperationRequest.of(
        resource,
        AgentName.of(primitive),
        operation,
        intervalMillis(),
        parameters,
        transitionKey);
  }

  @Override
  public String toString() {
    var node = node();
    return "%s%s (action %d)".formatted(key(), node == null ? "" : " on " + node, id);
  }
}
