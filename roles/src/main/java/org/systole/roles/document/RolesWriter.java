package org.systole.roles.document;

import java.util.List;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.roles.model.Deployment;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.Past;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Same;
import org.systole.roles.model.Snapshot;

/// Writes the roles document. Equal documents have one text.
public final class RolesWriter {
  private RolesWriter() {}

  /// A document and what was written of it.
  public record Written(RolesDocument document, Element element) {}

  public static Element write(RolesDocument document) {
    return write(document, null);
  }

  /// @param before what was written before it, by this class; what is the same object in both is not
  ///     written again
  public static Element write(RolesDocument document, @Nullable Written before) {
    return Element.builder("roles-document")
        .attr("version", 1)
        .attr("domain", document.domain())
        .attr("spent", document.spent() == 0 ? null : "" + document.spent())
        .attr("anew", document.past().anew() == 0 ? null : "" + document.past().anew())
        .add(section("jigs", document, before, RolesDocument::jigs, RolesWriter::jig))
        .add(section("roles", document, before, RolesDocument::roles, (_, it) -> role(it)))
        .add(section("nodes", document, before, RolesDocument::nodes, (_, it) -> node(it)))
        .add(
            section(
                "deployments", document, before, RolesDocument::deployments, (_, it) -> deployment(it)))
        .add(
            section(
                "snapshots", document, before, RolesDocument::snapshots, (_, it) -> snapshot(it, before)))
        .add(gone(document.past()))
        .build();
  }

  private static <K, V> Element section(
      String name,
      RolesDocument document,
      @Nullable Written before,
      Function<RolesDocument, SortedMap<K, V>> part,
      BiFunction<K, V, Element> writing) {
    var known = before == null ? null : before.element().first(name);
    if (before != null && known != null && Same.inAll(part.apply(before.document()), part.apply(document))) {
      return known;
    }
    var section = Element.builder(name);
    part.apply(document).forEach((key, value) -> section.add(writing.apply(key, value)));
    return section.build();
  }

  private static Element jig(JigId id, boolean active) {
    return Element.of("jig", "id", id.text(), "active", "" + active);
  }

  private static Element deployment(Deployment deployment) {
    var parent = deployment.parent();
    return Element.builder("deployment")
        .attr("id", deployment.id().text())
        .attr("parent", parent == null ? null : parent.text())
        .build();
  }

  /// A role by itself.
  public static Element role(Role role) {
    return RoleElements.element(role);
  }

  /// @return null if there is nothing to keep
  private static @Nullable Element gone(Past past) {
    var section = Element.builder("gone");
    past.gone()
        .forEach(
            (name, once) -> {
              var element = Element.builder("node").attr("name", name.text());
              add(once, element);
              section.add(element);
            });
    return past.gone().isEmpty() ? null : section.build();
  }

  private static void add(SortedMap<RoleId, RoleNode.Once> all, Element.Builder to) {
    all.forEach(
        (role, once) -> to.add(Element.of("once", "role", role.text(), "done", "" + once.done())));
  }

  private static Element node(RoleNode node) {
    var element =
        Element.builder("node")
            .attr("name", node.name().text())
            .attr("admin", node.admin() ? "true" : null)
            .attr("alive", node.alive())
            .attr("available", node.available())
            .attr("deployment", node.deployment().text());
    add(node.once(), element);
    return element.build();
  }

  private static Element snapshot(Snapshot snapshot, @Nullable Written before) {
    var was = before == null ? null : before.document().snapshots().get(snapshot.id());
    var section = before == null ? null : before.element().first("snapshots");
    if (before == null || was == null || section == null) {
      return snapshot(snapshot, null, null);
    }
    var place = before.document().snapshots().headMap(snapshot.id()).size();
    var known = section.child(place);
    return was == snapshot ? known : snapshot(snapshot, was, known);
  }

  /// @param was the snapshot before
  /// @param known what was written of that, its noderoles in their order
  private static Element snapshot(
      Snapshot snapshot, @Nullable Snapshot was, @Nullable Element known) {
    var element =
        Element.builder("snapshot")
            .attr("deployment", snapshot.id().deployment().text())
            .attr("number", snapshot.id().number())
            .attr("state", snapshot.state().word());
    snapshot
        .deploymentRoles()
        .forEach(
            (role, data) ->
                element.add(
                    Element.of("deployment-role", "role", role.text())
                        .withText(data.isEmpty() ? null : data.toString())));
    if (was == null || known == null) {
      snapshot.nodeRoles().values().forEach(it -> element.add(nodeRole(it)));
      return element.build();
    }
    var others = List.copyOf(was.nodeRoles().values());
    var at = 0;
    for (var it : snapshot.nodeRoles().values()) {
      while (at < others.size() && others.get(at) != it && others.get(at).id().compareTo(it.id()) < 0) {
        at++;
      }
      var same = at < others.size() && others.get(at) == it;
      element.add(same ? known.child(was.deploymentRoles().size() + at) : nodeRole(it));
    }
    return element.build();
  }

  private static Element nodeRole(NodeRole noderole) {
    var element =
        Element.builder("noderole")
            .attr("role", noderole.id().role().text())
            .attr("node", noderole.id().node().text())
            .attr("state", noderole.state().word())
            .attr("run", noderole.run() == 0 ? null : Integer.toString(noderole.run()))
            .attr("cause", noderole.cause().isEmpty() ? null : noderole.cause());
    for (var parent : noderole.parents()) {
      element.add(
          Element.of("parent", "role", parent.role().text(), "node", parent.node().text()));
    }
    RoleElements.data("user", noderole.user()).forEach(element::add);
    RoleElements.data("system", noderole.system()).forEach(element::add);
    RoleElements.data("wall", noderole.wall()).forEach(element::add);
    return element.build();
  }
}
