package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.BundleAddresses;

/// Finds the remote and guest nodes that the resources section implies.
final class RemoteNodes {
  private static final String DEFAULT_CONNECT_TIMEOUT = "60s";
  static final Set<String> RESOURCES = Set.of("primitive", "group", "clone", "bundle");

  private final WorkingSet ws;
  private final NodeReader nodes;
  private final List<Element> connections = new ArrayList<>();
  private final Set<String> taken = new HashSet<>(); // names of resources

  RemoteNodes(WorkingSet ws, NodeReader nodes) {
    this.ws = ws;
    this.nodes = nodes;
  }

  /// Creates the nodes, and returns the resources section with a connection for each guest node.
  Element read(Element resources) {
    note(resources);
    for (var resource : resources.children()) {
      if (BundleAddresses.isConnection(resource)) {
        createNode(resource.id());
      } else if (resource.is("primitive")) {
        createNode(guest(resource));
      } else if (resource.is("group")) {
        for (var member : resource.children()) {
          createNode(guest(member));
        }
      }
    }
    var all = resources;
    for (var connection : connections) {
      all = all.plus(connection);
    }
    return all;
  }

  private void note(Element within) {
    for (var each : within.children()) {
      if (each.id() != null && RESOURCES.contains(each.name())) {
        taken.add(each.get("id", ""));
        if (BundleAddresses.isConnection(each) && !within.is("resources")) {
          ws.configWarning(
              "%s is a connection, and part of %s: it makes no remote node. A connection has to stand by itself"
                  .formatted(each.id(), within.id()));
        }
        note(each);
      }
    }
  }

  private void createNode(@Nullable String name) {
    if (name != null && ws.node(name) == null) {
      nodes.createRemote(name, 0);
    }
  }

  /// The name of the guest node that a resource makes, null if it makes none.
  private @Nullable String guest(Element resource) {
    var values = new GuestValues(resource);
    if (values.name == null) {
      return null;
    }
    var why =
        ws.isMember(values.name) // which Pacemaker fences, or takes for the guest
            ? "a cluster node is called so, or has that id"
            : ws.otherNodeOf(values.name) == null && taken.add(values.name) ? null : "a resource, or another guest node, is called so";
    if (why != null) {
      ws.configError("Ignoring the guest node %s: %s".formatted(values.name, why));
      return null;
    }
    connections.add(
        connection(
            values.name,
            resource.get("id", ""),
            values.allowMigrate,
            values.managed,
            values.connectTimeout,
            values.address,
            values.port));
    return values.name;
  }

  /// The meta-attributes that make a guest node; rules and references do not count here.
  private static final class GuestValues {
    @Nullable String name;
    @Nullable String address;
    @Nullable String port;
    @Nullable String allowMigrate;
    @Nullable String managed;
    @Nullable String connectTimeout = DEFAULT_CONNECT_TIMEOUT;

    GuestValues(Element resource) {
      for (var block : resource.children("meta_attributes")) {
        for (var pair : block.children()) {
          take(pair.get("name", ""), pair.get("value"));
        }
      }
    }

    private void take(String key, @Nullable String value) {
      switch (key) {
        case "remote-node" -> name = value;
        case "remote-addr" -> address = value;
        case "remote-port" -> port = value;
        case "remote-connect-timeout" -> connectTimeout = value;
        case "remote-allow-migrate" -> allowMigrate = value;
        case "is-managed" -> managed = value;
        default -> {}
      }
    }
  }

  /// The implicit resource that connects to a guest or bundle node.
  static Element connection(
      String name,
      String container,
      @Nullable String allowMigrate,
      @Nullable String managed,
      @Nullable String startTimeout,
      @Nullable String address,
      @Nullable String port) {
    var metaId = name + "-meta_attributes";
    var meta =
        Element.builder("meta_attributes")
            .attr("id", metaId)
            .add(pair(metaId, "internal_rsc", "true"))
            .add(pair(metaId, "container", container))
            .add(pair(metaId, "allow-migrate", allowMigrate))
            .add(pair(metaId, "is-managed", managed));
    var remote =
        Element.builder("primitive")
            .attr("id", name)
            .attr("class", "ocf")
            .attr("provider", "pacemaker")
            .attr("type", "remote")
            .add(meta);
    if (address != null || port != null) {
      var attributesId = name + "-instance_attributes";
      remote.add(
          Element.builder("instance_attributes")
              .attr("id", attributesId)
              .add(pair(attributesId, "addr", address))
              .add(pair(attributesId, "port", port)));
    }
    var operations =
        Element.builder("operations").add(operation(name, TaskName.MONITOR, "30s", "30s"));
    if (startTimeout != null) {
      operations.add(operation(name, TaskName.START, "0", startTimeout));
    }
    return remote.add(operations).build();
  }

  /// A name-value pair with the id the block's id implies; nothing without a value.
  static @Nullable Element pair(String blockId, String name, @Nullable String value) {
    return value == null
        ? null
        : Element.of("nvpair", "id", blockId + "-" + name, "name", name, "value", value);
  }

  static Element operation(String prefix, String task, String interval, @Nullable String timeout) {
    return Element.builder("op")
        .attr("id", prefix + "-" + task + "-" + interval)
        .attr("interval", interval)
        .attr("name", task)
        .attr("timeout", timeout)
        .build();
  }
}
