package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// A join gate (`join-gate-roles`) that can never open: it waits for a role that there is not.
public final class GateDoubts {
  private GateDoubts() {}

  /// What is to be said of the running cluster's gate; nothing if the roles cannot be read.
  public static List<String> of(Terminal terminal) {
    try (var running = RunningRoles.open(terminal)) {
      var gate = running.gate();
      return gate.isEmpty() ? List.of() : of(gate, running.read().document());
    } catch (CommandException e) {
      return List.of(); // who may not read them is told nothing of them
    }
  }

  /// @param gate names of roles
  static List<String> of(List<String> gate, RolesDocument document) {
    var live = new LiveRoles(document);
    var doubts = new ArrayList<String>();
    for (var name : gate) {
      var role = RoleId.of(name);
      if (role == null || !document.roles().containsKey(role)) {
        doubts.add("%s waits for role %s, which there is not: nothing new is placed on any member"
            .formatted(RunningRoles.GATE, name));
        continue;
      }
      var without =
          document.nodes().values().stream()
              .filter(it -> live.get(new NodeRoleId(role, it.name())) == null)
              .map(it -> it.name().text())
              .collect(Collectors.joining(", "));
      if (!without.isEmpty()) {
        doubts.add("%s waits for role %s, which is not bound to %s: nothing new is placed there"
            .formatted(RunningRoles.GATE, name, without));
      }
    }
    return doubts;
  }

  /// Refuses a request by which a gate would wait for a role that is gone.
  ///
  /// @param gate as it is when the request is carried out
  static void mayGo(List<String> gate, Element steps) throws CommandException {
    var held = new ArrayList<>(gate);
    held.retainAll(removed(steps));
    if (!held.isEmpty()) {
      throw new CommandException(
          ExitStatus.CONFIG,
          "the gate (%s) waits for %s, and would never open again: give --gate=off, too, or the roles that it is to wait for (--gate=ROLE,...)"
              .formatted(RunningRoles.GATE, String.join(" ", held)));
    }
  }

  /// The roles whose definitions a request removes.
  static List<String> removed(Element steps) {
    return steps.children("remove-role").stream().map(it -> it.get("role", "")).toList();
  }
}
