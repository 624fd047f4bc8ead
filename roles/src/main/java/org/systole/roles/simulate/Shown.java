package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;
import org.systole.roles.view.DotGraph;
import org.systole.roles.view.GroupedView;
import org.systole.roles.view.LiveRoles;
import org.systole.roles.view.SnapshotDiff;
import org.systole.roles.view.SvgGraph;
import org.systole.roles.view.Visible;
import org.systole.roles.view.Waits;

/// Views of a document as elements.
public final class Shown {
  private final RolesDocument document;
  private final LiveRoles roles;
  private final Collection<RoleId> gate;

  public Shown(RolesDocument document) {
    this(document, List.of());
  }

  /// @param gate the roles that the join gate waits for
  public Shown(RolesDocument document, Collection<RoleId> gate) {
    this.document = document;
    this.roles = new LiveRoles(document);
    this.gate = List.copyOf(gate);
  }

  /// Whether there is neither a role nor a node.
  public boolean isEmpty() {
    return document.roles().isEmpty() && document.nodes().isEmpty();
  }

  public boolean has(NodeRoleId id) {
    return roles.get(id) != null;
  }

  public boolean has(SnapshotId id) {
    return document.snapshots().containsKey(id);
  }

  List<Element> show(Element step, StepReader reader) throws DocumentFault {
    return switch (step.get("what", "").strip()) {
      case "graph" -> {
        var deployment = reader.deployment(step, "deployment");
        yield List.of(
            step.has("number")
                ? graph(new SnapshotId(deployment, reader.number(step, "number")))
                : graph());
      }
      case "proposed" -> List.of(proposed(reader.deployment(step, "deployment")));
      case "waits" -> List.of(waits());
      case "attributes" -> List.of(attributes(reader.nodeRole(step)));
      case "data" -> List.of(data(reader.nodeRole(step)));
      case "groups" -> List.of(groups());
      case "difference" -> {
        var deployment = reader.deployment(step, "deployment");
        yield List.of(
            difference(
                new SnapshotId(deployment, reader.number(step, "from")),
                new SnapshotId(deployment, reader.number(step, "to"))));
      }
      case "dot" -> List.of(Element.of("dot").withText(dot()));
      case "document" -> List.of(RolesWriter.write(document));
      default -> List.of();
    };
  }

  /// The live noderoles with what they rest on.
  public Element graph() {
    var graph = Element.builder("graph");
    roles.all().values().forEach(it -> graph.add(line(it)));
    return graph.build();
  }

  /// Those of one snapshot.
  private Element graph(SnapshotId id) {
    var graph = Element.builder("graph").attr("snapshot", id.toString());
    var snapshot = document.snapshots().get(id);
    if (snapshot != null) {
      snapshot.nodeRoles().values().forEach(it -> graph.add(line(it)));
    }
    return graph.build();
  }

  private Element proposed(DeploymentId deployment) {
    var snapshot = document.snapshot(deployment, SnapshotState.PROPOSED);
    return snapshot == null ? Element.of("graph") : graph(snapshot.id());
  }

  private static Element line(NodeRole noderole) {
    var element =
        Element.builder("noderole")
            .attr("id", noderole.id().toString())
            .attr("state", noderole.state().word())
            .attr("cause", noderole.cause().isEmpty() ? null : noderole.cause());
    noderole.parents().forEach(it -> element.add(Element.of("rests-on", "noderole", "" + it)));
    return element.build();
  }

  /// What is not active, with the ways to where its waiting begins.
  public Element waits() {
    var waits = new Waits(roles, gate);
    var all = Element.builder("waits");
    for (var id : waits.all().keySet()) {
      waits.chains(id).forEach(it -> all.add(Element.of("chain", "noderole", "" + id, "text", it)));
    }
    return all.build();
  }

  /// What the jig of a noderole would be given, each value with its origin.
  public Element attributes(NodeRoleId id) {
    var visible = new Visible(roles).of(id);
    var all =
        Element.builder("attributes")
            .attr("noderole", id.toString())
            .attr("merged", visible.merged().toString());
    visible
        .origins()
        .forEach((pointer, from) -> all.add(Element.of("value", "at", pointer, "from", "" + from)));
    return all.build();
  }

  /// What is known of a noderole.
  public Element data(NodeRoleId id) {
    var noderole = roles.get(id);
    var data = Element.builder("data").attr("noderole", id.toString());
    if (noderole != null) {
      data.attr("user", noderole.user().toString());
      data.attr("system", noderole.system().toString());
      data.attr("wall", noderole.wall().toString());
      data.attr("run", noderole.run());
    }
    return data.build();
  }

  /// A line for each deployment and role.
  public Element groups() {
    var all = Element.builder("groups");
    for (var group : GroupedView.of(roles)) {
      var counts = new ArrayList<String>();
      group
          .counts()
          .forEach((state, count) -> counts.add(count + " " + state.name().toLowerCase(Locale.ROOT)));
      var line =
          Element.builder("group")
              .attr("deployment", group.deployment().text())
              .attr("role", group.role().text())
              .attr("nodes", group.size())
              .attr("counts", String.join(", ", counts));
      for (var failed : group.trouble()) {
        line.add(Element.of("failed", "node", "" + failed.id().node(), "cause", failed.cause()));
      }
      if (group.more() > 0) {
        line.add(Element.of("more", "failed", "" + group.more()));
      }
      all.add(line);
    }
    return all.build();
  }

  /// The roles that no snapshot but archived ones has on a node.
  public Element unbound() {
    var all = Element.builder("unbound");
    for (var id : document.roles().keySet()) {
      var isBound =
          document.snapshots().values().stream()
              .filter(it -> it.state() != SnapshotState.ARCHIVED)
              .flatMap(it -> it.nodeRoles().keySet().stream())
              .anyMatch(it -> it.role().equals(id));
      if (!isBound) {
        all.add(Element.of("role", "id", id.text()));
      }
    }
    return all.build();
  }

  /// What one snapshot wants otherwise than another.
  public Element difference(SnapshotId from, SnapshotId to) {
    var before = document.snapshots().get(from);
    var after = document.snapshots().get(to);
    var all =
        Element.builder("difference").attr("from", from.toString()).attr("to", to.toString());
    if (before == null || after == null) {
      return all.attr("missing", (before == null ? from : to).toString()).build();
    }
    for (var change : SnapshotDiff.between(before, after)) {
      all.add(
          Element.builder("differs")
              .attr("subject", change.subject())
              .attr("at", change.pointer().isEmpty() ? null : change.pointer())
              .attr("before", change.before())
              .attr("after", change.after()));
    }
    return all.build();
  }

  /// The nodes, each with what is known of it.
  public Element nodes() {
    var all = Element.builder("nodes");
    for (var node : document.nodes().values()) {
      var states = new TreeMap<NodeRoleState, Integer>();
      for (var noderole : roles.all().values()) {
        if (noderole.id().node().equals(node.name())) {
          states.merge(noderole.state(), 1, Integer::sum);
        }
      }
      var counts = new ArrayList<String>();
      states.forEach((state, count) -> counts.add(count + " " + state.word()));
      all.add(
          Element.builder("node")
              .attr("name", node.name().text())
              .attr("deployment", node.deployment().text())
              .attr("alive", node.alive())
              .attr("available", node.available())
              .attr("roles", String.join(", ", counts)));
    }
    return all.build();
  }

  /// The snapshots, without what is in them.
  public Element snapshots() {
    var all = Element.builder("snapshots");
    for (var snapshot : document.snapshots().values()) {
      all.add(
          Element.builder("snapshot")
              .attr("id", snapshot.id().toString())
              .attr("state", snapshot.state().word())
              .attr("noderoles", snapshot.nodeRoles().size()));
    }
    return all.build();
  }

  /// The document itself.
  public Element document() {
    return RolesWriter.write(document);
  }

  /// The agents and packages that nodes have, as their role `agents` told.
  public Element inventory() {
    return Inventory.of(Inventory.told(roles));
  }

  /// The same with what nodes tell now. Versions that only the roles know of are told, too.
  ///
  /// @param now of each node that was asked, an object such as the role has in its wall
  /// @param untold why a node has told nothing
  public Element inventory(SortedMap<NodeName, Json.Obj> now, SortedMap<NodeName, String> untold) {
    var known = Inventory.told(roles);
    var told = new TreeMap<NodeName, Json.Obj>();
    now.forEach(
        (node, it) -> {
          var packages = known.getOrDefault(node, Json.Obj.EMPTY).entries().get("packages");
          told.put(
              node,
              packages == null
                  ? it
                  : DeepMerge.merge(
                      new Json.Obj(new TreeMap<>(Map.of("packages", packages))), it));
        });
    var all = Inventory.of(told);
    for (var it : untold.entrySet()) {
      all = all.plus(Element.of("untold", "node", it.getKey().text(), "why", it.getValue()));
    }
    return all;
  }

  /// The live graph as a picture.
  public String svg() {
    return SvgGraph.of(roles);
  }

  /// The live graph for Graphviz.
  public String dot() {
    return DotGraph.of(roles);
  }
}
