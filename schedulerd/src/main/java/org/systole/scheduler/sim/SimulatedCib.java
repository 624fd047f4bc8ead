package org.systole.scheduler.sim;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// A CIB that pretended events change. Each change counts in its version as it would in a cluster's.
final class SimulatedCib {
  private Element cib;
  private final boolean addNodes;

  SimulatedCib(Element cib, boolean addNodes) {
    this.cib = cib;
    this.addNodes = addNodes;
  }

  Element cib() {
    return cib;
  }

  void setAttribute(String name, String value) {
    cib = cib.with(name, value);
  }

  /// Changes the first child of that name, which is added at the end if there is none.
  static Element change(Element parent, String childName, UnaryOperator<Element> how) {
    var child = parent.first(childName);
    return child == null
        ? parent.plus(how.apply(Element.of(childName)))
        : parent.replace(parent.indexOf(child), how.apply(child));
  }

  /// Changes the first child with that attribute value, which is added at the end if there is none.
  static Element change(
      Element parent,
      String childName,
      String attribute,
      String value,
      UnaryOperator<Element> how) {
    for (var at = 0; at < parent.childCount(); at++) {
      var child = parent.child(at);
      if (child.is(childName) && value.equals(child.get(attribute))) {
        return parent.replace(at, how.apply(child));
      }
    }
    return parent.plus(how.apply(Element.of(childName, attribute, value)));
  }

  static Element remove(Element parent, String childName) {
    var child = parent.first(childName);
    return child == null ? parent : parent.remove(parent.indexOf(child));
  }

  private void changeStatus(UnaryOperator<Element> how) {
    cib = change(cib, "status", how);
    count("num_updates", 1);
  }

  private void changeConfiguration(UnaryOperator<Element> how) {
    cib = change(cib, "configuration", how);
    count("epoch", 1);
    cib = cib.has("num_updates") ? cib.with("num_updates", "0") : cib;
  }

  /// A CIB that has no version gets none.
  private void count(String number, int changes) {
    var before = cib.get(number);
    if (before != null) {
      cib = cib.with(number, Integer.toString(Numbers.parseInt(before, 0) + changes));
    }
  }

  /// Changes a node's state, which is added if there is none.
  ///
  /// @param id the node's id if it is known, else looked up in the configuration
  void changeNode(String name, @Nullable String id, UnaryOperator<Element> how) {
    if (addNodes) {
      addNode(name);
    }
    var known = id != null ? id : configuredId(name);
    var found = cib.first("status");
    var status = found == null ? Element.of("status") : found;
    var byName = indexOf(status, "uname", name);
    var at = byName < 0 && known != null ? indexOf(status, "id", known) : byName;
    if (at < 0) {
      var state = Element.builder("node_state").attr("id", known).attr("uname", name).build();
      changeStatus(_ -> status.plus(state)); // it is made, then changed
      changeNode(name, id, how);
      return;
    }
    var before = status.child(at);
    var after = how.apply(before);
    if (after != before || !name.equals(before.get("uname"))) {
      changeStatus(_ -> status.replace(at, after.with("uname", name)));
    }
  }

  private static int indexOf(Element status, String attribute, String value) {
    for (var at = 0; at < status.childCount(); at++) {
      var child = status.child(at);
      if (child.is("node_state") && value.equals(child.get(attribute))) {
        return at;
      }
    }
    return -1;
  }

  private @Nullable Element nodes() {
    return cib.path("configuration", "nodes");
  }

  /// The id of a node known by its name, whatever its case: a configured one, a remote or guest
  /// node, or what is left of one in the status section.
  private @Nullable String configuredId(String name) {
    var nodes = nodes();
    if (nodes != null) {
      for (var node : nodes.children("node")) {
        if (name.equalsIgnoreCase(node.get("uname"))) {
          return node.id();
        }
      }
    }
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      for (var primitive : resources.children("primitive")) {
        if (isConnectionTo(name, primitive)) {
          return primitive.id();
        }
        for (var block : primitive.children("meta_attributes")) {
          for (var pair : block.children("nvpair")) {
            if ("remote-node".equals(pair.get("name"))
                && name.equalsIgnoreCase(pair.get("value"))) {
              return pair.get("value");
            }
          }
        }
      }
    }
    return null;
  }

  private static boolean isConnectionTo(String name, Element primitive) {
    return name.equalsIgnoreCase(primitive.id())
        && "ocf".equals(primitive.get("class"))
        && "pacemaker".equals(primitive.get("provider"))
        && "remote".equals(primitive.get("type"));
  }

  private void addNode(String name) {
    var nodes = nodes();
    if (nodes == null
        || nodes.children("node").stream().noneMatch(it -> name.equals(it.get("uname")))) {
      changeConfiguration(
          configuration ->
              change(
                  configuration,
                  "nodes",
                  known -> known.plus(Element.of("node", "id", name, "uname", name))));
    }
  }

  /// Marks a node as a member of the cluster, or as one that left it.
  void setMember(String name, boolean up) {
    changeNode(
        name,
        null,
        state ->
            state
                .with("in_ccm", Boolean.toString(up))
                .with("crmd", up ? "online" : "offline")
                .with("join", up ? "member" : "down")
                .with("expected", up ? "member" : "down")
                .with("crm-debug-origin", "crm_simulate"));
  }

  /// Forgets a node's operation history and transient attributes.
  void clearNode(String name) {
    changeNode(name, null, state -> remove(remove(state, "lrm"), "transient_attributes"));
  }

  /// Sets a cluster option in the block that counts first.
  void setOption(String name, String value) {
    var block = "cib-bootstrap-options";
    changeConfiguration(
        configuration ->
            change(
                configuration,
                "crm_config",
                config -> {
                  var existing = config.first("cluster_property_set");
                  var id = existing == null ? block : existing.get("id", block);
                  return change(
                      config,
                      "cluster_property_set",
                      "id",
                      id,
                      set ->
                          change(
                              set,
                              "nvpair",
                              "name",
                              name,
                              pair -> pair(pair, id + "-" + name, name, value)));
                }));
  }

  private static Element pair(Element pair, String id, String name, String value) {
    return pair.has("id")
        ? pair.with("value", value)
        : Element.of("nvpair", "id", id, "name", name, "value", value);
  }

  /// Sets an attribute of a ticket's state.
  void setTicket(String ticket, String attribute, boolean value) {
    changeStatus(
        status ->
            change(
                status,
                "tickets",
                tickets ->
                    change(
                        tickets,
                        "ticket_state",
                        "id",
                        ticket,
                        state -> state.with(attribute, Boolean.toString(value)))));
  }

  /// Sets a transient attribute in a node's state.
  static Element setTransient(Element state, String name, String value) {
    var nodeId = state.get("id", "");
    return change(
        state,
        "transient_attributes",
        attributes ->
            change(
                attributes.has("id") ? attributes : attributes.with("id", nodeId),
                "instance_attributes",
                block -> {
                  var named = block.has("id") ? block : block.with("id", nodeId);
                  var id = named.id() + "-" + name;
                  return change(
                      named,
                      "nvpair",
                      "id",
                      id,
                      pair -> pair.with("name", name).with("value", value));
                }));
  }

  /// The value of a transient attribute, null if it is not set.
  static @Nullable String getTransient(Element state, String name) {
    var attributes = state.first("transient_attributes");
    var pair =
        attributes == null
            ? null
            : attributes.find(it -> it.is("nvpair") && name.equals(it.get("name")));
    return pair == null ? null : pair.get("value");
  }
}
