package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.lint.Finding;
import org.systole.tools.lint.Finding.Severity;

/// A join gate (`join-gate-roles`) that can never open, or that no node passes at present.
public final class GateDoubts {
  private static final String WAITS = RunningRoles.GATE + " waits for role ";

  private GateDoubts() {}

  /// Whether a CIB has a gate.
  public static boolean hasGate(Element cib) {
    var options = cib.path("configuration", "crm_config");
    return options != null && options.find(RunningRoles::isGate) != null;
  }

  /// What is to be said of the running cluster's gate; nothing if the roles cannot be read.
  public static List<Finding> of(Terminal terminal) {
    try (var running = RunningRoles.open(terminal)) {
      var gate = running.gate();
      if (gate.isEmpty()) {
        return List.of();
      }
      var document = running.read().document();
      if (!running.lost().isEmpty()) {
        return List.of(
            new Finding(
                "roles-lost",
                Severity.ERROR,
                "",
                RunningRoles.GATE + " is shut on all members: " + running.lost(),
                "Until then crm_role --gate=off opens it"));
      }
      var doubts = new ArrayList<>(of(gate, document));
      doubts.addAll(uncovered(running.remote()));
      return doubts;
    } catch (CommandException e) {
      return List.of(); // who may not read them is told nothing of them
    }
  }

  /// @param gate names of roles
  static List<Finding> of(List<String> gate, RolesDocument document) {
    var live = new LiveRoles(document);
    var doubts = new ArrayList<Finding>();
    for (var name : gate) {
      var role = RoleId.of(name);
      if (role == null || !document.roles().containsKey(role)) {
        doubts.add(
            new Finding(
                "gate-role-missing",
                Severity.ERROR,
                name,
                WAITS + name + ", which there is not: nothing new is placed on any member",
                "Define it and bind it to the nodes (crm_role --define, --bind), or name the roles that the"
                    + " gate is to wait for: crm_role --gate=ROLE,... or --gate=off"));
        continue;
      }
      var without = document.nodes().values().stream()
          .map(RoleNode::name).filter(it -> live.get(new NodeRoleId(role, it)) == null).toList();
      if (!without.isEmpty()) {
        doubts.add(
            new Finding(
                "gate-role-unbound",
                Severity.WARNING,
                name,
                "%s%s, which is not bound to %s: nothing new is placed there"
                    .formatted(WAITS, name, names(without)),
                "Bind it: crm_role %s --commit; or take it out of the gate".formatted(
                    without.stream().map(it -> "--bind " + name + "@" + it).collect(Collectors.joining(" ")))));
      }
    }
    if (doubts.isEmpty() && passing(gate, live).isEmpty()) {
      doubts.add(
          new Finding(
              "gate-shut",
              Severity.WARNING,
              "",
              "no node passes %s%s: a resource that stops is placed nowhere"
                  .formatted(RunningRoles.GATE, inBrackets(shut(gate, live))),
              "See crm_role --waits; mend what is in error, or take the role out of the gate"));
    }
    return doubts;
  }

  /// The names of the remote nodes and guests that a CIB has, but for those that bundles make.
  static List<String> remote(Element cib) {
    var names = new TreeSet<String>();
    if (cib.path("configuration", "resources") instanceof Element resources) {
      collectRemote(resources, names);
    }
    return List.copyOf(names);
  }

  private static void collectRemote(Element at, Set<String> into) {
    if (at.is("primitive") && "remote".equals(at.get("type")) && "pacemaker".equals(at.get("provider"))) {
      into.add(at.get("id", ""));
    } else if (at.is("nvpair") && "remote-node".equals(at.get("name")) && at.has("value")) {
      into.add(at.get("value", ""));
    }
    at.children().forEach(it -> collectRemote(it, into));
  }

  /// Worth knowing, and no mistake: it may be meant.
  static List<Finding> uncovered(List<String> remote) {
    return remote.isEmpty()
        ? List.of()
        : List.of(
            new Finding(
                "gate-remote",
                Severity.NOTICE,
                "",
                "%s does not cover %s: remote nodes and guests have no roles, so what may run there is placed there"
                    .formatted(RunningRoles.GATE, String.join(", ", remote)),
                "What is not to run there keeps a location rule off (#kind ne cluster: -INFINITY)"));
  }

  private static String inBrackets(List<String> lines) {
    return lines.isEmpty() ? "" : " (" + String.join("; ", lines) + ")";
  }

  private static String names(List<NodeName> nodes) {
    return nodes.stream().map(NodeName::text).collect(Collectors.joining(", "));
  }

  /// The nodes that are there and where all these roles are active.
  static List<NodeName> passing(List<String> gate, LiveRoles live) {
    return alive(live).stream()
        .filter(node -> gate.stream().allMatch(it -> state(it, node, live).equals(ACTIVE)))
        .toList();
  }

  private static final String ACTIVE = NodeRoleState.ACTIVE.word();

  private static List<NodeName> alive(LiveRoles live) {
    return live.document().nodes().values().stream()
        .filter(RoleNode::alive).map(RoleNode::name).toList();
  }

  /// What keeps nodes that are there from passing, in a line for each of them.
  static List<String> shut(List<String> gate, LiveRoles live) {
    var lines = new ArrayList<String>();
    for (var node : alive(live)) {
      var waits = new ArrayList<String>();
      for (var name : gate) {
        var state = state(name, node, live);
        if (!state.equals(ACTIVE)) {
          waits.add(name + " is " + state);
        }
      }
      if (!waits.isEmpty()) {
        lines.add("on " + node + ": " + String.join(", ", waits));
      }
    }
    return lines;
  }

  private static String state(String name, NodeName node, LiveRoles live) {
    var role = RoleId.of(name);
    var noderole = role == null ? null : live.get(new NodeRoleId(role, node));
    return noderole == null ? "not bound" : word(noderole);
  }

  private static String word(NodeRole noderole) {
    return switch (noderole.state()) {
      case ERROR -> "in error (" + noderole.cause() + ")";
      case TRANSITION -> "under way";
      case TODO -> "to be done";
      case PROPOSED, BLOCKED, ACTIVE -> noderole.state().word();
    };
  }

  /// Refuses a gate that no node passes: what is restarted then starts nowhere.
  ///
  /// @param gate names of roles that it is to wait for
  /// @param adding the roles among them that it does not wait for yet
  static void mayShut(List<String> gate, List<String> adding, RolesDocument document) throws CommandException {
    var live = new LiveRoles(document);
    if (adding.isEmpty() || gate.isEmpty() || !passing(gate, live).isEmpty()) {
      return;
    }
    var why = shut(gate, live);
    throw new CommandException(
        ExitStatus.UNSAFE,
        ("no node would pass the gate now: %s. What stops then, if only to be started anew, would be placed nowhere."
                + " crm_role --waits shows when the roles are active; to shut the gate all the same add --force")
            .formatted(why.isEmpty() ? "no node with roles is there" : String.join("; ", why)));
  }

  /// Refuses a request by which a gate that some node passes is shut on all of them, if only until what is changed was
  /// done anew. What comes of it is asked of what will carry it out.
  ///
  /// @param gate as it is when the request is carried out
  static void mayClose(List<String> gate, ClusterRoles before, Element steps) throws CommandException {
    var open = passing(gate, new LiveRoles(before.document()));
    if (gate.isEmpty() || open.isEmpty()) {
      return;
    }
    LiveRoles then;
    try {
      var desk = new RolesDesk(before.write(), () -> 0);
      var who = new RolesDesk.Who("", "", open.getFirst(), "", false, List.of());
      if (desk.carryOut(steps, who) != null) {
        return; // refused: who has the roles says why
      }
      then = new LiveRoles(desk.roles().document());
    } catch (DocumentFault e) {
      return;
    }
    var why = shut(gate, then);
    if (passing(gate, then).isEmpty() && !why.isEmpty()) {
      throw new CommandException(
          ExitStatus.UNSAFE,
          ("that would shut the gate (%s) on all nodes until it is done there: %s. What runs stays, but what stops then, if only to"
                  + " be started anew, would be placed nowhere. Change one node after the other (--set ROLE@NODE/..., --commit;"
                  + " then crm_role --waits); to shut the gate all the same add --force")
              .formatted(RunningRoles.GATE, String.join("; ", why)));
    }
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
