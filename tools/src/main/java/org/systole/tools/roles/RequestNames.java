package org.systole.tools.roles;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Typing;

/// Whether what a request names is there, before it is sent: a name that is mistyped is answered with
/// what may have been meant, and with the command that lists what there is.
final class RequestNames {
  /// Where the names of nodes that may have roles come from.
  interface Nodes {
    Set<String> names() throws CommandException;
  }

  private static final String LIST = "crm_role --list shows all";

  private final RolesDocument now;
  private final Nodes members;
  private final Set<String> roles = new TreeSet<>();
  private final Set<String> nodes = new TreeSet<>();
  private final Set<String> jigs = new TreeSet<>();
  private final Set<String> deployments = new TreeSet<>();
  private boolean asked;
  private boolean edited; // by steps before: what is bound is not known any more

  /// @param members asked only if a node is named that has no roles yet
  RequestNames(RolesDocument now, Nodes members) {
    this.now = now;
    this.members = members;
    now.roles().keySet().forEach(it -> roles.add(it.text()));
    now.nodes().keySet().forEach(it -> nodes.add(it.text()));
    now.jigs().keySet().forEach(it -> jigs.add(it.text()));
    now.deployments().keySet().forEach(it -> deployments.add(it.text()));
    jigs.add("noop");
  }

  /// Looks at the next step; what it makes is there for those after it.
  ///
  /// @throws CommandException if it names what there is not
  void check(Element step) throws CommandException {
    switch (step.name()) {
      case "role" -> {
        check("jig", step.get("jig", "noop"), jigs, "nodes know " + String.join(", ", jigs));
        roles.add(step.get("id", ""));
      }
      case "jig" -> check("jig", step.get("id", ""), jigs, "nodes know " + String.join(", ", jigs));
      case "create-node" -> nodes.add(step.get("node", ""));
      case "create-deployment" -> {
        check("deployment", step.get("parent", DeploymentId.SYSTEM.text()), deployments, deploymentsAre());
        deployments.add(step.get("id", ""));
      }
      case "delete-deployment" -> check("deployment", step.get("id", ""), deployments, deploymentsAre());
      default -> checkWords(step);
    }
    if (step.is("retry") || step.is("accept")) {
      checkNoderole(step);
    }
    edited |= step.is("commit") || step.is("create-node") || step.is("archive");
  }

  private void checkNoderole(Element step) throws CommandException {
    var id = NodeRoleId.of(step.get("role", "") + "@" + step.get("node", ""));
    if (id != null && !edited && new LiveRoles(now).get(id) == null) {
      throw none("noderole", id.toString(), " that is committed", "crm_role --graph shows all");
    }
  }

  private String deploymentsAre() {
    return "there are " + String.join(", ", deployments);
  }

  private void checkWords(Element step) throws CommandException {
    if (step.has("role")) {
      check("role", step.get("role", ""), roles, LIST);
    }
    if (step.has("node")) {
      checkNode(step.get("node", ""));
    }
    if (step.has("deployment")) {
      check("deployment", step.get("deployment", ""), deployments, deploymentsAre());
    }
    var number = step.get("number", step.get("from", ""));
    if (!number.isEmpty()) {
      checkSnapshot(step, number);
    }
  }

  private void checkNode(String name) throws CommandException {
    var plain = name.toLowerCase(Locale.ROOT);
    if (!asked && nodes.stream().noneMatch(it -> it.toLowerCase(Locale.ROOT).equals(plain))) {
      asked = true;
      nodes.addAll(members.names());
    }
    if (nodes.stream().noneMatch(it -> it.toLowerCase(Locale.ROOT).equals(plain))) {
      check("node", name, nodes, LIST);
    }
  }

  private void checkSnapshot(Element step, String number) throws CommandException {
    var deployment = DeploymentId.of(step.get("deployment", DeploymentId.SYSTEM.text()));
    var known = new TreeSet<String>();
    if (deployment != null) {
      now.history(deployment).forEach(it -> known.add("" + it.id().number()));
    }
    if (!known.contains(number) && deployments.size() == now.deployments().size()) {
      throw none("snapshot", deployment + "/" + number, "", LIST);
    }
  }

  private static void check(String what, String name, Collection<String> known, String next)
      throws CommandException {
    if (!known.contains(name)) {
      var meant = Typing.near(name, known.stream().filter(it -> !it.equals("noop")).toList()); // nobody types that by mistake
      throw none(what, name, meant == null ? "" : " (is " + meant + " meant?)", next);
    }
  }

  private static CommandException none(String what, String name, String meant, String next) {
    return new CommandException(
        ExitStatus.NOSUCH, "there is no %s %s%s: %s".formatted(what, name, meant, next));
  }
}
