package org.systole.controld.dc;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Remote and guest nodes, to which nothing connects yet, taken out of what is planned.
///
/// A connection that is started and fails would have its node fenced, again and again, and all that
/// could run there would wait for it. So a remote node's connection stays stopped, and what makes a
/// guest node is an ordinary resource, as is a bundle without what should run inside it.
final class RemoteNodes {
  private final World world;
  private @Nullable Element seen;
  private @Nullable Element planned;
  private List<String> remotes = List.of();
  private List<String> told = List.of();

  RemoteNodes(World world) {
    this.world = world;
  }

  /// The same CIB for the scheduler. Says which nodes are concerned when these are others.
  Element leftOut(Element cib) {
    var configuration = cib.first("configuration");
    var resources = configuration == null ? null : configuration.first("resources");
    if (configuration == null || resources == null) {
      return cib;
    }
    var known = planned;
    if (resources != seen || known == null) {
      var names = new TreeSet<String>();
      var connections = new TreeSet<String>();
      known = new Mapping(resources, names, connections).mapped(resources);
      seen = resources;
      planned = known;
      remotes = List.copyOf(connections);
      names.addAll(connections);
      tell(List.copyOf(names));
    }
    if (known == resources) {
      return cib;
    }
    var changed = configuration.replace(configuration.indexOf(resources), known);
    return withStates(cib.replace(cib.indexOf(configuration), changed));
  }

  /// A remote node that the status does not have would be fenced, as one of which nothing is known.
  private Element withStates(Element cib) {
    var status = cib.first("status");
    if (status == null) {
      return cib;
    }
    var all = status;
    for (var name : remotes) {
      if (status.first("node_state", name) == null) {
        all =
            all.plus(
                Element.of("node_state", "id", name, "uname", name, "remote_node", "true"));
      }
    }
    return all == status ? cib : cib.replace(cib.indexOf(status), all);
  }

  private void tell(List<String> names) {
    if (!names.isEmpty() && !names.equals(told)) {
      world
          .log()
          .warning(
              "Nothing connects to remote and guest nodes yet: %s can run nothing, and will not be fenced"
                  .formatted(String.join(", ", names)));
    }
    told = names;
  }

  /// One reading of the resources.
  ///
  /// @param names is added what cannot be reached, but for remote nodes
  /// @param connections is added the remote nodes
  private record Mapping(Element all, TreeSet<String> names, TreeSet<String> connections) {
    Element mapped(Element from) {
      var children = new ArrayList<Element>();
      var same = true;
      for (var child : from.children()) {
        var now = resource(from, child);
        same &= now == child;
        if (now != null) {
          children.add(now);
        }
      }
      return same ? from : from.withChildren(children);
    }

    private @Nullable Element resource(Element parent, Element it) {
      return switch (it.name()) {
        case "primitive" -> {
          if (parent.is("bundle")) {
            names.add("the containers of " + parent.get("id", ""));
            yield null;
          }
          yield isConnection(it) ? stopped(it, connections) : mapped(it);
        }
        case "group", "clone", "master", "bundle", "template", "meta_attributes" -> mapped(it);
        case "nvpair" -> {
          var guest = parent.is("meta_attributes") && it.get("name", "").equals("remote-node");
          if (guest) {
            names.add(it.get("value", ""));
          }
          yield guest ? null : it;
        }
        default -> it;
      };
    }

    /// A resource made from a template has its agent from there.
    private boolean isConnection(Element primitive) {
      var template = all.first("template", primitive.get("template", ""));
      return AgentName.of(template == null ? primitive : template).isRemoteConnection();
    }
  }

  private static Element stopped(Element connection, TreeSet<String> connections) {
    var id = connection.get("id", "");
    connections.add(id);
    var role =
        Element.of(
            "nvpair",
            "id",
            id + "-out-of-reach-role",
            "name",
            "target-role",
            "value",
            "Stopped");
    return connection.insert(
        0,
        Element.builder("meta_attributes")
            .attr("id", id + "-out-of-reach")
            .attr("score", "INFINITY")
            .add(role)
            .build());
  }
}
