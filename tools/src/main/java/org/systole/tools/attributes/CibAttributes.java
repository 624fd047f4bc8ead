package org.systole.tools.attributes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.tools.cli.CommandException;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Cluster options, defaults, and node, utilization and ticket attributes where they stand in the
/// CIB:
/// found by section, node, set and name, whichever are known.
final class CibAttributes {
  /// Which attributes are meant; empty parts say nothing.
  ///
  /// @param section `crm_config`, `rsc_defaults`, `op_defaults`, `nodes`, `status` or `tickets`
  /// @param node the id of the node, for `nodes` and `status`
  /// @param setType the kind of set, empty for the section's usual one
  record Place(String section, String node, String setType, String set, String id, String name) {
    Place named(String newName) {
      return new Place(section, node, setType, set, "", newName);
    }

    Place any() {
      return new Place(section, node, setType, set, "", "");
    }

    private boolean isNode() {
      return section.equals("nodes") || section.equals("status");
    }

    private boolean isTicket() {
      return section.equals("tickets");
    }
  }

  /// What was found.
  record Found(Rc rc, List<Element> nvpairs) {}

  private final CibTarget cib;
  private final Output out;

  CibAttributes(CibTarget cib, Output out) {
    this.cib = cib;
    this.out = out;
  }

  Found find(Place place) {
    if (place.isNode() && place.node().isEmpty()) {
      return new Found(Rc.EINVAL, List.of());
    }
    var path = path(place);
    if (path == null) {
      return new Found(Rc.ENOMSG, List.of());
    }
    var answer = cib.query(CibQuery.xpath(path));
    if (answer.rc() != Rc.OK || answer.xml() == null) {
      return new Found(answer.rc(), List.of());
    }
    try {
      var root = XmlReader.parse(answer.xml());
      return new Found(Rc.OK, root.is("nvpair") ? List.of(root) : root.children("nvpair"));
    } catch (XmlException e) {
      return new Found(Rc.ERROR, List.of());
    }
  }

  /// Sets a value: of the one attribute that is there, else of a new one.
  Rc update(Place place, String value, boolean remoteNode) {
    var found = find(place);
    Element top;
    var section = place.isTicket() ? "status" : place.section();
    var set = place.set();
    var name = place.name();
    if (found.rc() == Rc.OK) {
      if (found.nvpairs().size() > 1) {
        warnMultiple(found.nvpairs(), name);
        return Rc.ENOTUNIQ;
      }
      top = nvpair(found.nvpairs().getFirst().get("id", ""), name, value);
      section = place.section();
    } else if (found.rc() == Rc.ENXIO) {
      set = set.isEmpty() ? usualSet(place) : set;
      top = created(place, set, value, remoteNode);
    } else {
      return found.rc();
    }
    var rc = cib.update(CibOp.modify(section, top).withScore()).rc();
    if (rc != Rc.OK) {
      out.error(
          "Error setting %s=%s (section=%s, set=%s): %s"
              .formatted(name, value, section, set.isEmpty() ? "<null>" : set, rc.text()));
    }
    return rc;
  }

  Rc delete(Place place) {
    var shownId = "(null)";
    var id = place.id();
    if (id.isEmpty()) {
      var found = find(place);
      if (found.rc() != Rc.OK) {
        return found.rc();
      }
      if (found.nvpairs().size() > 1) {
        warnMultiple(found.nvpairs(), place.name());
        return Rc.OK;
      }
      id = found.nvpairs().getFirst().get("id", "");
      shownId = id;
    }
    var object = Element.builder("nvpair").attr("id", id);
    if (!place.name().isEmpty()) {
      object.attr("name", place.name());
    }
    var rc = cib.update(CibOp.delete(place.section(), object.build())).rc();
    if (rc == Rc.OK) {
      out.info(
          "Deleted %s %s: id=%s%s%s"
              .formatted(
                  place.section(),
                  place.isNode() ? "attribute" : "option",
                  shownId,
                  place.set().isEmpty() ? "" : " set=" + place.set(),
                  place.name().isEmpty() ? "" : " name=" + place.name()));
    }
    return rc;
  }

  /// The id of a node by its name, and whether it is a remote one; null if no node has that name.
  @Nullable NodeId node(String name) throws CommandException {
    Element root;
    try {
      root = cib.cib();
    } catch (org.systole.cibd.client.CibException e) {
      if (e.rc() == Rc.EACCES) {
        throw new CommandException(
            e.rc().exit(), "Could not look node %s up: %s".formatted(name, e.rc().text()));
      }
      return null;
    }
    for (var node : below(root, "configuration", "nodes")) {
      if (node.is("node") && same(name, node.get("uname"))) {
        var remote = "remote".equalsIgnoreCase(node.get("type"));
        return new NodeId(remote ? node.get("uname", name) : node.get("id", ""), remote);
      }
    }
    var inResources = remoteInResources(root, name);
    if (inResources != null) {
      return inResources;
    }
    for (var state : below(root, "status")) {
      if (state.is("node_state")
          && "true".equals(state.get("remote_node"))
          && same(name, state.id())) {
        return new NodeId(state.get("uname", name), true);
      }
    }
    return null;
  }

  record NodeId(String id, boolean remote) {}

  private static @Nullable NodeId remoteInResources(Element root, String name) {
    for (var primitive : below(root, "configuration", "resources")) {
      if (!primitive.is("primitive")) {
        continue;
      }
      if ("remote".equals(primitive.get("type"))
          && "pacemaker".equals(primitive.get("provider"))
          && same(name, primitive.id())) {
        return new NodeId(primitive.get("id", name), true);
      }
      for (var meta : primitive.children("meta_attributes")) {
        for (var pair : meta.children("nvpair")) {
          if ("remote-node".equals(pair.get("name")) && same(name, pair.get("value"))) {
            return new NodeId(pair.get("value", name), true);
          }
        }
      }
    }
    return null;
  }

  private static boolean same(String name, @Nullable String other) {
    return other != null && other.equalsIgnoreCase(name);
  }

  private static List<Element> below(Element root, String... path) {
    var at = root.path(path);
    return at == null ? List.of() : at.children();
  }

  private static @Nullable String path(Place place) {
    var base =
        switch (place.section().toLowerCase(Locale.ROOT)) {
          case "crm_config" -> "//crm_config";
          case "rsc_defaults" -> "//rsc_defaults";
          case "op_defaults" -> "//op_defaults";
          case "nodes" -> "//nodes";
          case "status" -> "//status";
          case "tickets" -> "//status//tickets";
          default -> null;
        };
    if (base == null) {
      return null;
    }
    var path = new StringBuilder(base);
    if (place.section().equals("nodes")) {
      path.append("//node[@id=").append(CibXPath.literal(place.node())).append(']');
    } else if (place.section().equals("status")) {
      path.append("//node_state[@id=").append(CibXPath.literal(place.node())).append(']');
    }
    path.append("//").append(searchedSet(place));
    if (!place.set().isEmpty()) {
      path.append("[@id=").append(CibXPath.literal(place.set())).append(']');
    }
    path.append("//nvpair");
    var id = CibXPath.literal(place.id());
    var name = CibXPath.literal(place.name());
    if (!place.id().isEmpty() && !place.name().isEmpty()) {
      path.append("[@id=%s and @name=%s]".formatted(id, name));
    } else if (!place.id().isEmpty()) {
      path.append("[@id=%s]".formatted(id));
    } else if (!place.name().isEmpty()) {
      path.append("[@name=%s]".formatted(name));
    }
    return path.toString();
  }

  private static String searchedSet(Place place) {
    return switch (place.section()) {
      case "crm_config" -> "cluster_property_set";
      case "rsc_defaults", "op_defaults" -> "meta_attributes";
      case "status" -> "transient_attributes";
      default -> place.setType().isEmpty() ? "instance_attributes" : place.setType();
    };
  }

  private static String usualSet(Place place) {
    if (place.section().equals("crm_config")) {
      return "cib-bootstrap-options";
    }
    if (place.isTicket()) {
      return "status-tickets";
    }
    if (place.isNode()) {
      var suffix = place.setType().isEmpty() ? "" : "-" + place.setType();
      return place.section() + "-" + place.node() + suffix;
    }
    return place.section() + "-options";
  }

  private static Element created(Place place, String set, String value, boolean remoteNode) {
    var id = place.id().isEmpty() ? sanitized(set + "-" + place.name()) : place.id();
    var name = place.name().isEmpty() ? place.id() : place.name();
    var pair = nvpair(id, name, value);
    var setName =
        switch (place.section()) {
          case "crm_config" -> "cluster_property_set";
          case "rsc_defaults", "op_defaults" -> "meta_attributes";
          default -> place.setType().isEmpty() ? "instance_attributes" : place.setType();
        };
    var block = Element.of(setName, "id", set).plus(pair);
    return switch (place.section()) {
      case "tickets" -> Element.of("status").plus(Element.of("tickets").plus(block));
      case "nodes" ->
          remoteNode
              ? Element.of("nodes")
                  .plus(
                      Element.of(
                              "node", "type", "remote", "id", place.node(), "uname", place.node())
                          .plus(block))
              : Element.of("node", "id", place.node()).plus(block);
      case "status" ->
          Element.of("node_state", "id", place.node())
              .plus(Element.of("transient_attributes", "id", place.node()).plus(block));
      default -> Element.of(place.section()).plus(block);
    };
  }

  private static Element nvpair(String id, String name, String value) {
    var pair = Element.builder("nvpair").attr("id", id);
    if (!name.isEmpty()) {
      pair.attr("name", name);
    }
    return pair.attr("value", value).build();
  }

  /// An id as XML allows it: what does not belong there becomes a dot.
  private static String sanitized(String id) {
    return id.replaceAll("[^A-Za-z0-9_.\\-]", ".");
  }

  private void warnMultiple(List<Element> nvpairs, String name) {
    out.info("Multiple attributes match name=" + name);
    for (var pair : nvpairs) {
      out.info("  Value: %s \t(id=%s)".formatted(pair.get("value", ""), pair.get("id", "")));
    }
  }

  /// All names in a place that a pattern finds itself in.
  static List<String> names(List<Element> nvpairs, java.util.regex.Pattern pattern) {
    var names = new ArrayList<String>();
    for (var pair : nvpairs) {
      var name = pair.get("name");
      if (name != null && pattern.matcher(name).find() && !names.contains(name)) {
        names.add(name);
      }
    }
    return names;
  }
}
