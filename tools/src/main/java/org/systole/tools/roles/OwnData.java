package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.roles.data.DeepDiff;
import org.systole.roles.data.Json;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// Data that were set for all nodes and do not reach some: a noderole begins with a copy of what its role had
/// when it was bound, and what is its own counts more. Who sets them for all means those, too.
final class OwnData {
  private OwnData() {}

  /// What hands a definition's new template on to those who still have the old one as it was: what people have
  /// set of the deployment or of a noderole stays.
  static List<Element> handedOn(Role role, RolesDocument now) {
    var known = now.roles().get(role.id());
    var committed = now.snapshot(DeploymentId.SYSTEM, SnapshotState.COMMITTED);
    var ofAll = committed == null ? null : committed.deploymentRoles().get(role.id());
    if (known == null || ofAll == null || known.data().equals(role.data()) || !ofAll.equals(known.data())) {
      return List.of();
    }
    var data = role.data().toString();
    var steps = new ArrayList<Element>();
    steps.add(Element.of("set", "role", role.id().text()).withText(data));
    for (var it : committed.nodeRoles().values()) {
      if (it.id().role().equals(role.id()) && !it.user().isEmpty() && it.user().equals(known.data())) {
        steps.add(Element.of("set", "role", role.id().text(), "node", it.id().node().text()).withText(data));
      }
    }
    return steps;
  }

  /// A line for each value that a request has changed for all nodes, or in a definition, and that stays as it was
  /// on some.
  static List<String> kept(Element steps, RolesDocument before, RolesDocument after) {
    var lines = new ArrayList<String>();
    for (var step : steps.children()) {
      var role = RoleId.of(step.is("role") ? step.get("id") : step.get("role"));
      if (role != null && step.is("set") && !step.has("node")) {
        var deployment = step.has("deployment") ? DeploymentId.of(step.get("deployment")) : DeploymentId.SYSTEM;
        var was = deployment == null ? null : wanted(before, deployment);
        var is = deployment == null ? null : wanted(after, deployment);
        if (is != null) {
          lines.addAll(kept(role, DeepDiff.difference(ofAll(was, role), ofAll(is, role)), is));
        }
      } else if (role != null && step.is("role") && before.roles().containsKey(role)) {
        lines.addAll(ofDefinition(role, before, after));
      }
    }
    return List.copyOf(lines);
  }

  static void tell(Output out, List<String> kept) {
    switch (out) {
      case TextOutput text -> kept.forEach(it -> text.print(it + "\n"));
      case XmlOutput xml -> kept.forEach(it -> xml.add("kept", "text", it));
    }
  }

  private static List<String> ofDefinition(RoleId role, RolesDocument before, RolesDocument after) {
    var was = before.roles().get(role);
    var is = after.roles().get(role);
    if (was == null || is == null || was.data().equals(is.data())) {
      return List.of();
    }
    var lines = new ArrayList<String>();
    for (var snapshot : after.snapshots().values()) {
      var bound = snapshot.nodeRoles().keySet().stream().anyMatch(it -> it.role().equals(role));
      var known = snapshot.deploymentRoles().get(role);
      if (snapshot.state() == SnapshotState.COMMITTED && bound && known != null && !known.equals(is.data())) {
        var of = snapshot.id().deployment();
        var option = of.equals(DeploymentId.SYSTEM) ? "" : " -D " + of;
        lines.add(
            "%s: the new data are for what is bound later; deployment %s goes on with %s. For all: crm_role%s --set '%s=%s' --commit"
                .formatted(role, of, known, option, role, is.data()));
      }
    }
    return lines;
  }

  /// A value of its own that lies over one that was set for all.
  private record Own(String path, Json stays, Json wanted) {}

  private static List<String> kept(RoleId role, Json.Obj changed, Snapshot snapshot) {
    var nodes = new LinkedHashMap<Own, List<String>>();
    for (var it : snapshot.nodeRoles().values()) {
      if (it.id().role().equals(role)) {
        for (var own : own("", changed, it.user())) {
          nodes.computeIfAbsent(own, unused -> new ArrayList<>()).add(it.id().node().text());
        }
      }
    }
    var lines = new ArrayList<String>();
    nodes.forEach(
        (own, names) ->
            lines.add(
                "%s%s stays %s on %s, where it was set or copied before. To change it there, too: crm_role %s --commit"
                    .formatted(role, own.path, own.stays, String.join(" ", names), sets(role, own, names))));
    return lines;
  }

  private static String sets(RoleId role, Own own, List<String> nodes) {
    return nodes.stream()
        .map(it -> "--set '%s@%s%s=%s'".formatted(role, it, own.path, own.wanted))
        .collect(Collectors.joining(" "));
  }

  private static List<Own> own(String path, Json.Obj changed, Json.Obj user) {
    var found = new ArrayList<Own>();
    changed
        .entries()
        .forEach(
            (name, value) -> {
              var own = user.entries().get(name);
              var at = path + "/" + name.replace("~", "~0").replace("/", "~1");
              if (own instanceof Json.Obj inner && value instanceof Json.Obj outer) {
                found.addAll(own(at, outer, inner));
              } else if (own != null && !own.equals(value)) {
                found.add(new Own(at, own, value));
              }
            });
    return found;
  }

  private static Json.Obj ofAll(@Nullable Snapshot snapshot, RoleId role) {
    var data = snapshot == null ? null : snapshot.deploymentRoles().get(role);
    return data == null ? Json.Obj.EMPTY : data;
  }

  private static @Nullable Snapshot wanted(RolesDocument document, DeploymentId deployment) {
    var open = document.snapshot(deployment, SnapshotState.PROPOSED);
    return open == null ? document.snapshot(deployment, SnapshotState.COMMITTED) : open;
  }
}
