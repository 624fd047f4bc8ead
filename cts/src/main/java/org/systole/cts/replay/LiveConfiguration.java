package org.systole.cts.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// A case's configuration for nodes of the lab: the same resources, constraints and options, with agents
/// that leave evidence in the place of the case's.
public final class LiveConfiguration {
  /// What the lab has in the place of what the case names.
  public interface Stage {
    /// Attributes of a resource's agent (class, provider, type) and its parameters, of the lab.
    ///
    /// @param promotable whether it may be promoted
    Element agent(Element primitive, boolean promotable);

    /// The bundle, with what the lab runs in a container.
    Element bundle(Element bundle);
  }

  /// Where everything is to be that has its place in the case, whatever its constraints want.
  private static final String HOLD = "replay-hold-";

  /// What the ids of the case's options begin with.
  private static final String OPTIONS = "replay-option-";

  /// Options that say what the cluster is, and are the cluster's own.
  private static final Set<String> OWN =
      Set.of(
          "have-watchdog",
          "dc-version",
          "cluster-infrastructure",
          "cluster-name",
          "last-lrm-refresh",
          "no-quorum-policy");

  private final CorpusCase played;
  private final Part part;
  private final Stage stage;

  public LiveConfiguration(CorpusCase played, Part part, Stage stage) {
    this.played = played;
    this.part = part;
    this.stage = stage;
  }

  /// As the case has it.
  ///
  /// @param lab the configuration that the cluster has otherwise: its nodes and their ids, what the cluster
  ///     itself has put there, and defaults of operations
  public Element of(Element lab) {
    return assemble(lab, resources(), constraints());
  }

  /// With everything held in the place where the case has it at its begin; the rest is stopped.
  public Element held(Element lab) {
    var places = played.places();
    var resources = new ArrayList<Element>();
    var constraints = new ArrayList<Element>();
    var held = new TreeSet<String>();
    for (var resource : resources()) {
      if (!resource.is("primitive")) {
        resources.add(resource);
        continue;
      }
      var id = resource.get("id", "");
      var nodes = part.places(id, places.getOrDefault(id, List.of()));
      held.add(id);
      resources.add(withRole(resource, nodes.isEmpty() ? "Stopped" : "Started"));
      for (var node : nodes) {
        constraints.add(
            Element.of(
                "rsc_location", "id", HOLD + id, "rsc", id, "node", node, "score", "INFINITY"));
      }
    }
    constraints().stream()
        .filter(it -> !it.is("rsc_location") || !held.contains(it.get("rsc", "")))
        .forEach(constraints::add);
    return assemble(lab, resources, constraints);
  }

  private static Element withRole(Element primitive, String role) {
    var id = primitive.get("id", "") + "-replay-role";
    var without = new ArrayList<Element>();
    for (var child : primitive.children()) {
      without.add(child.is("meta_attributes") ? withoutRole(child) : child);
    }
    without.addFirst(
        Element.of("meta_attributes", "id", id)
            .plus(
                Element.of("nvpair", "id", id + "-1", "name", "target-role", "value", role)));
    return primitive.withChildren(without);
  }

  private static Element withoutRole(Element attributes) {
    return attributes.withChildren(
        attributes.children().stream()
            .filter(it -> !"target-role".equals(it.get("name")))
            .toList());
  }

  private Element assemble(Element lab, List<Element> resources, List<Element> constraints) {
    var sections = new ArrayList<Element>();
    for (var section : lab.children()) {
      sections.add(
          switch (section.name()) {
            case "resources" -> section.withChildren(resources);
            case "constraints" -> section.withChildren(constraints);
            case "crm_config" -> section.withChildren(options(section));
            case "nodes" -> section.withChildren(nodes(section));
            case "rsc_defaults" -> section.withChildren(played.section("rsc_defaults"));
            default -> section;
          });
    }
    if (lab.first("constraints") == null) {
      sections.add(Element.of("constraints").withChildren(constraints));
    }
    return lab.withChildren(sections);
  }

  private List<Element> options(Element section) {
    var all = new ArrayList<>(section.children());
    all.removeIf(it -> it.get("id", "").startsWith(OPTIONS));
    for (var set : played.section("crm_config")) {
      var its = set.children().stream().filter(it -> !OWN.contains(it.get("name", ""))).toList();
      if (!its.isEmpty() && its.stream().allMatch(it -> it.is("nvpair"))) {
        all.addFirst(
            Element.of("cluster_property_set", "id", OPTIONS + set.id(), "score", "1")
                .withChildren(its.stream().map(it -> it.with("id", OPTIONS + it.id())).toList()));
      }
    }
    // the case's members have nothing else to do, whatever the lab's machine has
    var load =
        Element.of(
            "nvpair", "id", OPTIONS + "load", "name", "load-threshold", "value", "0%");
    all.addFirst(
        Element.of("cluster_property_set", "id", OPTIONS + "set", "score", "2").plus(load));
    return all;
  }

  /// The lab's nodes with the attributes that the case's have.
  private List<Element> nodes(Element section) {
    var all = new ArrayList<>(section.children());
    for (var node : played.section("nodes")) {
      var here = part.node(node.get("uname", ""));
      if (here == null || node.childCount() == 0) {
        continue;
      }
      var at = indexOf(all, here);
      if (at >= 0) {
        all.set(at, withAttributesOf(all.get(at), node));
      } else if ("remote".equals(node.get("type"))) {
        all.add(node);
      }
    }
    return all;
  }

  private static int indexOf(List<Element> nodes, String name) {
    for (var at = 0; at < nodes.size(); at++) {
      if (name.equals(nodes.get(at).get("uname"))) {
        return at;
      }
    }
    return -1;
  }

  private static Element withAttributesOf(Element lab, Element node) {
    var children = new ArrayList<>(lab.children());
    for (var child : node.children()) {
      children.removeIf(it -> String.valueOf(child.id()).equals(it.id()));
      children.add(child);
    }
    return lab.withChildren(children);
  }

  private List<Element> resources() {
    return played.section("resources").stream()
        .filter(it -> !it.isComment() && !part.isLeftOut(it.get("id", "")))
        .map(this::resource)
        .toList();
  }

  private Element resource(Element resource) {
    if (resource.is("primitive")) {
      return stage.agent(resource, false);
    }
    var staged = resource.is("bundle") ? stage.bundle(resource) : resource;
    var isPromotable =
        staged.find(it -> it.is("nvpair") && "promotable".equals(it.get("name"))) != null
            || staged.find(it -> !it.get("promoted-max", "0").equals("0")) != null;
    return staged.withChildren(inside(staged, isPromotable));
  }

  private List<Element> inside(Element container, boolean promotable) {
    return container.children().stream()
        .map(
            it -> {
              if (it.is("primitive")) {
                return stage.agent(it, promotable);
              }
              return it.is("group") ? it.withChildren(inside(it, promotable)) : it;
            })
        .toList();
  }

  private List<Element> constraints() {
    return played.section("constraints").stream()
        .filter(it -> !it.isComment() && isPlayed(it))
        .map(this::renamed)
        .toList();
  }

  private boolean isPlayed(Element constraint) {
    for (var name : List.of("rsc", "with-rsc", "first", "then", "node")) {
      if (part.isLeftOut(constraint.get(name, ""))) {
        return false;
      }
    }
    var set = constraint.find(it -> it.is("resource_ref") && part.isLeftOut(it.get("id", "")));
    return set == null;
  }

  /// With the nodes' names that are used here.
  private Element renamed(Element element) {
    var changed = element;
    var node = element.has("node") ? part.node(element.get("node", "")) : null;
    if (node != null) {
      changed = changed.with("node", node);
    }
    var value = isAboutName(element) ? part.node(element.get("value", "")) : null;
    if (value != null) {
      changed = changed.with("value", value);
    }
    return changed.withChildren(changed.children().stream().map(this::renamed).toList());
  }

  private static boolean isAboutName(Element element) {
    @Nullable String attribute = element.get("attribute");
    return element.is("expression") && "#uname".equals(attribute);
  }
}
