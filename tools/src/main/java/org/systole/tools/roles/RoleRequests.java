package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotState;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// What `crm_role` can be asked to change in the running cluster. Everything on one command line is
/// one request, carried out in the order given, whole or not at all.
abstract class RoleRequests extends Command {
  private record Asked(String what, String value) {}

  private final List<Asked> asked = new ArrayList<>();

  /// What can do harm. The others shut no gate, and lose nothing.
  private static final Set<String> FORCED =
      Set.of(
          "delete-node", "archive", "define", "set", "commit", "shipped", "request", "bind", "unbind", "roll-back", "retry");

  @Option(
      names = {"-D", "--deployment"},
      paramLabel = "NAME",
      description = "The deployment that is meant (default: system)")
  private @Nullable String deployment;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      description = "The domain that names of nodes are in, for a cluster without roles so far")
  private @Nullable String domain;

  @Option(
      names = "--again",
      description = "With --retry: a role that runs once in a node's life may run another time")
  private boolean again;

  @Option(
      names = {"-f", "--force"},
      description = "With --delete-node: delete a member, too, which begins anew with no roles;"
          + " with --gate, and with what changes roles that it waits for: shut it though no node passes it then;"
          + " with --archive: also a snapshot that is worked on, whose roles nobody looks after then")
  private boolean force;

  @Option(
      names = "--begin-anew",
      description = "The cluster's roles were lost on all members, and no other one has them: go on without."
          + " Destructive roles ask before they run")
  private boolean beginAnew;

  RoleRequests(String name) {
    super(name);
  }

  @Option(
      names = "--define",
      paramLabel = "FILE",
      description = "Define the roles in FILE, a role-package in XML, or JSON (\"-\" for stdin)")
  private void define(String file) {
    asked.add(new Asked("define", file));
  }

  @Option(names = "--remove-role", paramLabel = "ROLE", description = "Remove a role's definition")
  private void removeRole(String role) {
    asked.add(new Asked("remove-role", role));
  }

  @Option(
      names = "--jig",
      paramLabel = "NAME=on|off",
      description = "Let a jig (script, ansible, ...) start work, or not")
  private void jig(String value) {
    asked.add(new Asked("jig", value));
  }

  @Option(names = "--propose", description = "Begin a proposal from what is committed")
  private void propose(boolean yes) {
    asked.add(new Asked("propose", ""));
  }

  @Option(
      names = "--bind",
      paramLabel = "ROLE@NODE",
      description = "Bind a role to a node in the proposal, which is begun if there is none")
  private void bind(String noderole) {
    asked.add(new Asked("bind", noderole));
  }

  @Option(
      names = "--unbind",
      paramLabel = "ROLE@NODE",
      description = "Take a role off a node in the proposal, which is begun if there is none")
  private void unbind(String noderole) {
    asked.add(new Asked("unbind", noderole));
  }

  @Option(
      names = "--set",
      paramLabel = "ROLE[@NODE]=JSON|ROLE[@NODE]/KEY...=VALUE",
      description = "Set all data of a noderole, or of a role in the deployment, in the proposal;"
          + " with /KEY... one value, and the others stay")
  private void set(String value) {
    asked.add(new Asked("set", value));
  }

  @Option(names = "--commit", description = "Commit the proposal: it is worked on from then on")
  private void commit(boolean yes) {
    asked.add(new Asked("commit", ""));
  }

  @Option(
      names = "--roll-back",
      paramLabel = "NUMBER",
      description = "Propose what an older snapshot wanted, and commit it")
  private void rollBack(String number) {
    asked.add(new Asked("roll-back", number));
  }

  @Option(names = "--archive", paramLabel = "NUMBER", description = "Archive a snapshot")
  private void archive(String number) {
    asked.add(new Asked("archive", number));
  }

  @Option(
      names = {"-r", "--retry"},
      paramLabel = "ROLE@NODE",
      description = "Have a noderole done anew, such as one that is in error")
  private void retry(String noderole) {
    asked.add(new Asked("retry", noderole));
  }

  @Option(
      names = "--accept",
      paramLabel = "ROLE@NODE",
      description = "Take a noderole that is in error as done")
  private void accept(String noderole) {
    asked.add(new Asked("accept", noderole));
  }

  @Option(
      names = "--available",
      paramLabel = "NODE",
      description = "Let roles be worked on on a node")
  private void available(String name) {
    asked.add(new Asked("available", name));
  }

  @Option(
      names = "--unavailable",
      paramLabel = "NODE",
      description = "Begin nothing on a node any more")
  private void unavailable(String name) {
    asked.add(new Asked("unavailable", name));
  }

  @Option(
      names = "--create-deployment",
      paramLabel = "NAME",
      description = "Create a deployment under the one of --deployment")
  private void createDeployment(String name) {
    asked.add(new Asked("create-deployment", name));
  }

  @Option(
      names = "--delete-deployment",
      paramLabel = "NAME",
      description = "Delete a deployment that is not used")
  private void deleteDeployment(String name) {
    asked.add(new Asked("delete-deployment", name));
  }

  @Option(
      names = "--move",
      paramLabel = "NODE",
      description = "Move a node to the deployment of --deployment")
  private void move(String name) {
    asked.add(new Asked("move-node", name));
  }

  @Option(
      names = "--create-node",
      paramLabel = "NODE",
      description = "Make a node known before it is a member, as one that gets the bootstrap roles")
  private void createNode(String name) {
    asked.add(new Asked("create-node", name));
  }

  @Option(
      names = "--delete-node",
      paramLabel = "NODE",
      description = "Forget a node that has left the cluster, and its roles")
  private void deleteNode(String name) {
    asked.add(new Asked("delete-node", name));
  }

  @Option(
      names = "--shipped",
      paramLabel = "on|off|ROLE,...",
      description = "Define the roles that are shipped and bind them to all nodes; take all away;"
          + " or have just those on that are named")
  private void shipped(String which) {
    asked.add(new Asked("shipped", which));
  }

  @Option(
      names = "--request",
      paramLabel = "FILE",
      description = "Carry out the <steps> in FILE (\"-\" for stdin)")
  private void request(String file) {
    asked.add(new Asked("request", file));
  }

  /// Whether anything is to be changed.
  boolean changes() {
    return !asked.isEmpty() || domain != null || again || beginAnew;
  }

  /// Whether it is asked to go on without roles that are lost.
  boolean beginsAnew() {
    return beginAnew;
  }

  /// What is asked, as one request.
  ///
  /// @param now what there is; a proposal is begun where one is needed and none is open
  /// @param members the cluster's nodes
  /// @return without children if all of it is so already
  Element steps(RolesDocument now, RequestNames.Nodes members) throws CommandException {
    if (again && asked.stream().noneMatch(it -> it.what.equals("retry"))) {
      throw CommandException.usage("--again goes with --retry");
    }
    var named = deployment == null ? DeploymentId.SYSTEM : DeploymentId.of(deployment);
    if (named == null) {
      throw CommandException.usage("'" + deployment + "' is no name of a deployment");
    }
    var open = now.snapshot(named, SnapshotState.PROPOSED) != null;
    var steps = Element.builder(RolesDesk.STEPS);
    var data = new SetData(now, named);
    for (var it : asked) {
      if (it.what.equals("shipped")) {
        ShippedRoles.of(terminal()).steps(it.value, now).forEach(steps::add);
        continue;
      }
      var needsProposal = List.of("bind", "unbind", "set").contains(it.what);
      if (needsProposal && !open) {
        steps.add(step("propose"));
      }
      open = it.what.equals("propose") || needsProposal || open && !it.what.equals("commit");
      (it.what.equals("set") ? List.of(deployed(data.step(it.value, steps))) : elements(it)).forEach(steps::add);
    }
    var all = steps.build().children();
    var names = new RequestNames(now, members);
    for (var step : all) {
      names.check(step);
    }
    var request =
        Element.builder(RolesDesk.STEPS).attr("domain", domain).attr(RolesDesk.ANEW, beginAnew ? "true" : null);
    return request.addAll(NeededSteps.of(all, now)).build();
  }

  /// Whether what is dangerous is meant.
  boolean forced() {
    return force;
  }

  /// @throws CommandException if `--force` is given with nothing that it is for
  void checkForce(boolean gated) throws CommandException {
    if (force && !gated && asked.stream().noneMatch(it -> FORCED.contains(it.what))) {
      throw CommandException.usage("--force goes with --delete-node, --archive, --gate and what changes roles");
    }
  }

  private Element step(String name, String... attributes) {
    return deployed(Element.of(name, attributes));
  }

  private Element deployed(Element step) {
    return deployment == null ? step : step.with("deployment", deployment);
  }

  private List<Element> elements(Asked it) throws CommandException {
    return switch (it.what) {
      case "define" -> RoleFiles.roles(terminal(), it.value);
      case "request" -> RoleFiles.steps(terminal(), it.value);
      case "propose", "commit" -> List.of(step(it.what));
      case "roll-back" -> List.of(step("propose", "from", number(it)), step("commit"));
      case "archive" -> List.of(step("archive", "number", number(it)));
      case "bind", "unbind" -> List.of(step(it.what, noderole(it.value)));
      case "retry" -> {
        var step = Element.of("retry", noderole(it.value));
        yield List.of(again ? step.with("again", "true") : step);
      }
      case "accept" -> List.of(Element.of("accept", noderole(it.value)));
      case "remove-role" -> List.of(Element.of("remove-role", "role", it.value));
      case "jig" -> List.of(jigStep(it.value));
      case "create-deployment" ->
          List.of(
              Element.builder("create-deployment")
                  .attr("id", it.value)
                  .attr("parent", it.value.equals(deployment) ? null : deployment) // what follows is about it
                  .build());
      case "delete-deployment" -> List.of(Element.of("delete-deployment", "id", it.value));
      case "move-node" -> List.of(step("move-node", "node", it.value));
      case "create-node" -> List.of(Element.of("create-node", "node", it.value, "admin", "true"));
      case "delete-node" -> {
        var step = Element.of(it.what, "node", it.value);
        yield List.of(force ? step.with("force", "true") : step);
      }
      default -> List.of(Element.of(it.what, "node", it.value));
    };
  }

  private static String number(Asked it) throws CommandException {
    if (!it.value.matches("[1-9][0-9]{0,8}")) {
      throw CommandException.usage(
          "--%s takes the number of a snapshot, not '%s': crm_role --list shows all, such as system/3"
              .formatted(it.what, it.value));
    }
    return it.value;
  }

  static RoleId role(String text) throws CommandException {
    var id = RoleId.of(text);
    if (id == null) {
      throw CommandException.usage("'" + text + "' can be no role: crm_role --list shows those that there are");
    }
    return id;
  }

  static String[] noderole(String text) throws CommandException {
    var id = parsed(text);
    return new String[] {"role", id.role().text(), "node", id.node().text()};
  }

  static NodeRoleId parsed(String text) throws CommandException {
    var id = NodeRoleId.of(text);
    if (id == null) {
      throw CommandException.usage("'" + text + "' is no noderole: write ROLE@NODE, such as storage@n1; crm_role --graph shows all");
    }
    return id;
  }

  private static Element jigStep(String value) throws CommandException {
    var states = Map.of("on", "true", "off", "false");
    var equals = value.indexOf('=');
    var active = states.get(value.substring(equals + 1));
    if (equals < 0 || active == null) {
      throw CommandException.usage("'" + value + "' says nothing of a jig: write NAME=on or NAME=off");
    }
    return Element.of("jig", "id", value.substring(0, equals), "active", active);
  }
}
