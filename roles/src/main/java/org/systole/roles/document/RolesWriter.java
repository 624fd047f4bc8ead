package org.systole.roles.document;

import org.systole.common.xml.Element;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;

/// Writes the roles document. Equal documents have one text.
public final class RolesWriter {
  private RolesWriter() {}

  public static Element write(RolesDocument document) {
    var jigs = Element.builder("jigs");
    document
        .jigs()
        .forEach((id, active) -> jigs.add(Element.of("jig", "id", id.text(), "active", "" + active)));
    var roles = Element.builder("roles");
    document.roles().values().forEach(it -> roles.add(RoleElements.element(it)));
    var nodes = Element.builder("nodes");
    document.nodes().values().forEach(it -> nodes.add(node(it)));
    var deployments = Element.builder("deployments");
    for (var deployment : document.deployments().values()) {
      var parent = deployment.parent();
      deployments.add(
          Element.builder("deployment")
              .attr("id", deployment.id().text())
              .attr("parent", parent == null ? null : parent.text()));
    }
    var snapshots = Element.builder("snapshots");
    document.snapshots().values().forEach(it -> snapshots.add(snapshot(it)));
    return Element.builder("roles-document")
        .attr("version", 1)
        .attr("domain", document.domain())
        .attr("spent", document.spent() == 0 ? null : "" + document.spent())
        .add(jigs)
        .add(roles)
        .add(nodes)
        .add(deployments)
        .add(snapshots)
        .build();
  }

  /// A role by itself.
  public static Element role(Role role) {
    return RoleElements.element(role);
  }

  private static Element node(RoleNode node) {
    var element =
        Element.builder("node")
            .attr("name", node.name().text())
            .attr("admin", node.admin() ? "true" : null)
            .attr("alive", node.alive())
            .attr("available", node.available())
            .attr("deployment", node.deployment().text());
    node.once()
        .forEach(
            (role, once) ->
                element.add(Element.of("once", "role", role.text(), "done", "" + once.done())));
    return element.build();
  }

  private static Element snapshot(Snapshot snapshot) {
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
    snapshot.nodeRoles().values().forEach(it -> element.add(nodeRole(it)));
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
