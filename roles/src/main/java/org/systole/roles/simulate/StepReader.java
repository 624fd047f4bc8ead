package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.engine.Command;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;

/// Reads the steps of a story that are commands.
public final class StepReader {
  private final Map<Element, Integer> lines;

  /// @param lines the line of each element, by identity; may be empty
  public StepReader(Map<Element, Integer> lines) {
    this.lines = lines;
  }

  /// @return null if the step is no command
  public @Nullable Command command(Element step) throws DocumentFault {
    return switch (step.name()) {
      case "create-node" -> new Command.CreateNode(node(step), yes(step, "admin"));
      case "delete-node" -> new Command.DeleteNode(node(step));
      case "alive" -> new Command.SetAlive(node(step), true);
      case "dead" -> new Command.SetAlive(node(step), false);
      case "available" -> new Command.SetAvailable(node(step), true);
      case "unavailable" -> new Command.SetAvailable(node(step), false);
      case "restarted" -> new Command.Restarted(node(step));
      case "move-node" -> new Command.MoveNode(node(step), deployment(step, "deployment"));
      case "jig" ->
          new Command.SetJig(
              checked(step, "id", JigId.of(step.get("id"))), !step.get("active", "").equals("false"));
      case "role" -> new Command.DefineRole(RolesReader.role(step, lines));
      case "remove-role" -> new Command.RemoveRole(role(step));
      case "create-deployment" ->
          new Command.CreateDeployment(deployment(step, "id"), deployment(step, "parent"));
      case "delete-deployment" -> new Command.DeleteDeployment(deployment(step, "id"));
      case "retry" -> new Command.Retry(nodeRole(step), yes(step, "again"));
      case "accept" -> new Command.Accept(nodeRole(step));
      default -> snapshotCommand(step);
    };
  }

  private @Nullable Command snapshotCommand(Element step) throws DocumentFault {
    return switch (step.name()) {
      case "propose" -> {
        var from = step.get("from");
        yield new Command.Propose(
            deployment(step, "deployment"), from == null ? null : number(step, "from"));
      }
      case "bind" -> new Command.Bind(deployment(step, "deployment"), nodeRole(step));
      case "unbind" -> new Command.Unbind(deployment(step, "deployment"), nodeRole(step));
      case "set" ->
          step.has("node")
              ? new Command.SetUser(deployment(step, "deployment"), nodeRole(step), data(step))
              : new Command.SetDefaults(deployment(step, "deployment"), role(step), data(step));
      case "commit" -> new Command.Commit(deployment(step, "deployment"));
      case "archive" ->
          new Command.Archive(deployment(step, "deployment"), number(step, "number"));
      default -> null;
    };
  }

  private <T> T checked(Element step, String attribute, @Nullable T value) throws DocumentFault {
    if (value == null) {
      var line = lines.get(step);
      var what = step.has("what") ? " what=\"" + step.get("what") + "\"" : "";
      throw RolesReader.fault(
          (line == null ? "" : "line " + line + ": ")
              + (step.has(attribute)
                  ? "<%s> has %s=\"%s\", which can be none".formatted(step.name(), attribute, step.get(attribute))
                  : "<%s%s> needs the attribute %s".formatted(step.name(), what, attribute)));
    }
    return value;
  }

  /// What `show` needs for what it is to show.
  void checkShow(Element step) throws DocumentFault {
    if (step.has("deployment")) {
      deployment(step, "deployment");
    }
    switch (step.get("what", "").strip()) {
      case "attributes", "data" -> nodeRole(step);
      case "difference" -> {
        number(step, "from");
        number(step, "to");
      }
      default -> {
        if (step.has("number")) {
          number(step, "number");
        }
      }
    }
  }

  NodeName node(Element step) throws DocumentFault {
    var attribute = step.has("node") ? "node" : "name";
    return checked(step, attribute, NodeName.of(step.get(attribute)));
  }

  RoleId role(Element step) throws DocumentFault {
    return checked(step, "role", RoleId.of(step.get("role")));
  }

  /// The roles that a join gate waits for from now on.
  List<RoleId> gate(Element step) throws DocumentFault {
    var roles = new ArrayList<RoleId>();
    for (var name : ClusterOptions.names(step.get("roles", ""))) {
      roles.add(checked(step, "roles", RoleId.of(name)));
    }
    return roles;
  }

  NodeRoleId nodeRole(Element step) throws DocumentFault {
    return new NodeRoleId(role(step), node(step));
  }

  DeploymentId deployment(Element step, String attribute) throws DocumentFault {
    return step.has(attribute)
        ? checked(step, attribute, DeploymentId.of(step.get(attribute)))
        : DeploymentId.SYSTEM;
  }

  int number(Element step, String attribute) throws DocumentFault {
    try {
      return Integer.parseInt(step.get(attribute, "").strip());
    } catch (NumberFormatException _) {
      return checked(step, attribute, (Integer) null);
    }
  }

  Json.Obj data(Element step) throws DocumentFault {
    return RolesReader.data(step, lines);
  }

  private static boolean yes(Element step, String attribute) {
    return step.get(attribute, "").equals("true");
  }
}
