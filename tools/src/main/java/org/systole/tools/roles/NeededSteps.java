package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// Leaves out of a request what would make a snapshot that wants just what the committed one does: a
/// proposal of bindings and data that are there already, with its commit.
final class NeededSteps {
  private NeededSteps() {}

  /// @param steps of one request
  /// @return the same list if all are needed
  static List<Element> of(List<Element> steps, RolesDocument now) {
    var kept = new ArrayList<Element>();
    var at = 0;
    while (at < steps.size()) {
      var end = endOfWhatIsThere(steps, at, now);
      if (end > at) {
        at = end;
      } else {
        kept.add(steps.get(at++));
      }
    }
    return kept.size() == steps.size() ? steps : List.copyOf(kept);
  }

  /// Behind a proposal that changes nothing, with its commit; 0 if what begins here is none.
  private static int endOfWhatIsThere(List<Element> steps, int from, RolesDocument now) {
    var first = steps.get(from);
    if (!first.is("propose") || first.has("from")) {
      return 0;
    }
    var deployment = deployment(first);
    var committed = deployment == null ? null : now.snapshot(deployment, SnapshotState.COMMITTED);
    if (committed == null || now.snapshot(deployment, SnapshotState.PROPOSED) != null) {
      return 0;
    }
    var at = from + 1;
    while (at < steps.size() && deployment.equals(deployment(steps.get(at))) && isThere(steps.get(at), committed)) {
      at++;
    }
    var ends = at > from + 1 && at < steps.size() && steps.get(at).is("commit");
    return ends && deployment.equals(deployment(steps.get(at))) ? at + 1 : 0;
  }

  private static @Nullable DeploymentId deployment(Element step) {
    return step.has("deployment") ? DeploymentId.of(step.get("deployment")) : DeploymentId.SYSTEM;
  }

  private static boolean isThere(Element step, Snapshot committed) {
    var role = RoleId.of(step.get("role"));
    var id = NodeRoleId.of(step.get("role", "") + "@" + step.get("node", ""));
    var noderole = id == null ? null : committed.nodeRoles().get(id);
    return switch (step.name()) {
      case "bind" -> noderole != null;
      case "set" ->
          step.has("node")
              ? noderole != null && noderole.user().equals(data(step))
              : role != null
                  && committed.deploymentRoles().containsKey(role)
                  && committed.deploymentRoles().get(role).equals(data(step));
      default -> false;
    };
  }

  private static Json.@Nullable Obj data(Element step) {
    try {
      var text = step.text();
      return text == null || text.isBlank() ? Json.Obj.EMPTY : JsonText.readObject(text.strip());
    } catch (JsonFault e) {
      return null; // the answer says what is wrong with it
    }
  }
}
