package org.systole.tools.roles;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.simulate.Shown;
import org.systole.roles.simulate.Simulation;
import org.systole.roles.simulate.StoryText;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import picocli.CommandLine.Option;

/// `crm_role`: shows and changes the roles of the running cluster; tells what would become of a roles
/// document, without a cluster.
@picocli.CommandLine.Command(
    description = {
      "Show and change roles: what nodes must be before resources run on them. Or try roles on a file",
      "",
      "A role bound to a node is a noderole (ROLE@NODE); its jig is the way it is done. What is bound and"
          + " set goes into a proposal, and is worked on once that is committed.",
      ""
    },
    footer = {
      "",
      "Without options: what there is. The shipped roles and the gate: crm_role --shipped=on, then crm_role"
          + " --waits until nothing waits, then crm_role --gate=on. --output-as takes dot and svg, too, for a"
          + " graph. roles.md in the documentation tells all of it."
    })
public final class CrmRole extends RoleRequests {
  private static final String DOT = "dot";
  private static final String SVG = "svg";

  @Option(
      names = {"-S", "--simulate"},
      paramLabel = "FILE",
      description = "Tell the story in FILE (\"-\" for stdin): a role-simulation, or a roles-document")
  private @Nullable String simulate;

  @Option(
      names = {"-e", "--events"},
      description = "With --simulate: show the events that roles are told of, too")
  private boolean events;

  @Option(
      names = {"-g", "--graph"},
      description = "Show each noderole with its state and the noderoles that it rests on")
  private boolean graph;

  @Option(
      names = {"-G", "--groups"},
      description = "Show a line for each deployment and role, and what is in error by name")
  private boolean groups;

  @Option(
      names = {"-w", "--waits"},
      description = "Show what is not active now, and why: the way to where its waiting begins")
  private boolean waits;

  @Option(
      names = {"-a", "--attributes"},
      paramLabel = "ROLE@NODE",
      description = "Show what the role's jig would be given, and where each value comes from")
  private List<String> attributes = List.of();

  @Option(
      names = {"-d", "--diff"},
      paramLabel = "FROM,TO",
      description = "Show what snapshot TO wants otherwise than FROM (such as system/1,system/2)")
  private @Nullable String diff;

  @Option(
      names = {"-q", "--quiet"},
      description = "With --simulate: show what is asked for only, not the steps")
  private boolean quiet;

  @Option(
      names = {"-O", "--save-output"},
      paramLabel = "FILE",
      description = "With --simulate: save the roles document that the story ends with")
  private @Nullable String save;

  @Option(
      names = "--packages",
      paramLabel = "DIR",
      description = "With --simulate: take roles from the packages (*.xml) in DIR, too")
  private @Nullable String packages;

  @Option(
      names = "--site-packages",
      paramLabel = "DIR",
      description = "With --simulate: lay the packages in DIR over those of --packages")
  private @Nullable String sitePackages;

  @Option(
      names = {"-l", "--list"},
      description = "Show roles, nodes and snapshots of the running cluster")
  private boolean list;

  @Option(
      names = "--data",
      paramLabel = "ROLE@NODE",
      description = "Show the data of a noderole: what people and the cluster set, what its jig said")
  private List<String> data = List.of();

  @Option(
      names = "--log",
      paramLabel = "ROLE@NODE",
      description = "Show what this node's log has of a noderole: its runs and what its steps said")
  private @Nullable String log;

  @Option(
      names = "--inventory",
      description = "Show the agents and packages of each node, and where nodes differ")
  private boolean inventory;

  @Option(
      names = "--gate",
      paramLabel = "on|off|ROLE,...",
      description = "Place nothing new on nodes where these roles are not active (on: those of the shipped roles that are"
          + " meant for it); or do without that again (off)")
  private @Nullable String gate;

  @Option(names = "--audit", description = "Show the last changes: when, who, with what")
  private boolean audit;

  @Option(
      names = {"-Q", "--query"},
      description = "Show the roles document itself")
  private boolean query;

  private String drawn = "";

  public CrmRole() {
    super("crm_role");
  }

  @Override
  protected boolean isOurs() {
    return true;
  }

  @Override
  protected String formats() {
    return super.formats() + ", dot, svg";
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    drawn = format.equals(DOT) || format.equals(SVG) ? format : "";
    return super.output(drawn.isEmpty() ? format : "text", to);
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (!arguments().isEmpty()) {
      throw CommandException.usage(
          "'%s' is not understood: each option takes one value, and may be given several times (--retry A@n1 --retry B@n1)"
              .formatted(String.join(" ", arguments())));
    }
    checkForce(gate != null);
    if (simulate == null) {
      return ofCluster();
    }
    if (changes() || gate != null) {
      throw CommandException.usage("what is told of a file is changed by its steps, not by options");
    }
    try {
      var story = new StoryFile(terminal(), simulate, packages, sitePackages).tell(events);
      if (save != null) {
        XmlInput.write(terminal(), save, RolesWriter.write(story.document()));
      }
      show(story);
      return story.refused() == 0 ? ExitStatus.OK : ExitStatus.ERROR;
    } catch (DocumentFault e) {
      for (var fault : e.faults()) {
        out().error(fault);
      }
      throw new CommandException(ExitStatus.CONFIG, simulate + " is refused: nothing was done");
    }
  }

  private ExitStatus ofCluster() throws CommandException {
    if (save != null || events || packages != null || sitePackages != null) {
      throw CommandException.usage("--save-output, --events and --packages go with --simulate");
    }
    try (var running = RunningRoles.open(terminal())) {
      var roles = changed(running, running.read());
      var shown = new Shown(roles.document(), waits ? RoleId.known(running.gate()) : List.of());
      var nothing = !(changes() || gate != null || graph || groups || waits || audit || query || inventory);
      list |= nothing && attributes.isEmpty() && data.isEmpty() && diff == null && log == null && drawn.isEmpty();
      if (!(changes() || gate != null || inventory) || graph || groups || waits || audit || query || list) {
        running.checkLost();
      }
      if (!drawn.isEmpty()) {
        draw(shown);
        return ExitStatus.OK;
      }
      if (log != null) {
        var lines = RoleLog.lines(terminal(), roles.document(), parsed(log));
        switch (out()) {
          case TextOutput text -> lines.forEach(it -> text.print(it + "\n"));
          case XmlOutput xml -> {
            xml.open("log", "noderole", log);
            lines.forEach(it -> xml.add("line", "text", it));
            xml.close();
          }
        }
        return ExitStatus.OK;
      }
      var views = views(shown);
      if (views.get("Waiting") instanceof Element it && it.childCount() > 0) {
        views.put("Waiting", it.withChildren(held(running, roles.document(), it)));
      }
      if (inventory) {
        var asked = LiveInventory.ask(terminal(), running.agents());
        views.put("Inventory", shown.inventory(asked.told(), asked.untold()));
      }
      if (audit) {
        views.put("Changes", roles.audited());
      }
      switch (out()) {
        case TextOutput text -> print(text, List.of(), views);
        case XmlOutput xml -> views.values().forEach(xml::add);
      }
      return ExitStatus.OK;
    }
  }

  /// Before what waits: why nothing is begun, in the whole cluster or on a node.
  private List<Element> held(RunningRoles running, RolesDocument document, Element waiting) throws CommandException {
    var lines = new ArrayList<Element>();
    if (!running.held().isEmpty()) {
      lines.add(Element.of("held", "text", running.held()));
    }
    for (var node : running.maintained(document.nodes().keySet(), terminal().now())) {
      lines.add(Element.of("held", "text", "node %s is in maintenance: nothing is begun there".formatted(node)));
    }
    lines.addAll(waiting.children());
    return lines;
  }

  /// Does what is asked for. A gate that waits for a role that is to go would never open: it is opened
  /// before, or the change is refused. One that no node passes is refused before anything is done.
  ///
  /// @return the roles afterwards
  private ClusterRoles changed(RunningRoles running, ClusterRoles before) throws CommandException {
    if (changes() && !beginsAnew() || gate != null && !gate.equals("off")) {
      running.checkLost();
    }
    var steps = changes() ? steps(before.document(), running::nodes) : null;
    if (steps != null && !forced()) {
      ArchiveDoubts.mayGo(steps, before.document());
    }
    var removed = steps == null ? List.<String>of() : GateDoubts.removed(steps);
    var old = gate != null || steps != null ? running.gate() : List.<String>of();
    var names = old;
    if (gate != null) {
      names = ShippedRoles.of(terminal()).gate(gate, known(before.document(), steps), old);
      if (!forced()) {
        GateDoubts.mayShut(names, names.stream().filter(it -> !old.contains(it)).toList(), before.document());
      }
    }
    if (steps != null && !forced()) {
      GateDoubts.mayClose(names, before, steps);
    }
    if (!removed.isEmpty()) {
      GateDoubts.mayGo(names, steps);
      if (!names.equals(old)) {
        running.gate(names);
      }
    }
    var roles = before;
    if (steps != null && (steps.childCount() > 0 || steps.has("domain") || steps.has(RolesDesk.ANEW))) {
      running.change(steps);
      roles = running.read();
      OwnData.tell(out(), OwnData.kept(steps, before.document(), roles.document()));
    } else if (steps != null && out() instanceof TextOutput text) {
      text.print("Nothing was changed: all of it is so already\n");
    }
    if (removed.isEmpty() && !names.equals(old)) {
      running.gate(names);
    }
    if (gate != null) {
      tellGate(old, names, roles.document(), names.isEmpty() ? List.of() : running.remote());
    }
    return roles;
  }

  /// The roles that there are when a request is carried out.
  private static Set<RoleId> known(RolesDocument document, @Nullable Element steps) {
    var known = new TreeSet<>(document.roles().keySet());
    for (var step : steps == null ? List.<Element>of() : steps.children()) {
      var id = RoleId.of(step.get(step.is("role") ? "id" : "role"));
      if (id != null && step.is("role")) {
        known.add(id);
      } else if (id != null && step.is("remove-role")) {
        known.remove(id);
      }
    }
    return known;
  }

  private void tellGate(List<String> old, List<String> now, RolesDocument document, List<String> remote) {
    var shut = GateDoubts.shut(now, new LiveRoles(document));
    switch (out()) {
      case TextOutput text -> {
        var is = now.isEmpty() ? "is off" : "waits for " + String.join(" ", now);
        var was = old.equals(now) ? ", as before" : old.isEmpty() ? "" : " (before: " + String.join(" ", old) + ")";
        text.print("The gate %s%s\n".formatted(is, was));
        shut.forEach(it -> text.print("  it is shut " + it + "\n"));
        GateDoubts.uncovered(remote).forEach(it -> text.print("  %s. %s\n".formatted(it.what(), it.fix())));
      }
      case XmlOutput xml -> {
        xml.open("gate", "roles", String.join(" ", now), "before", String.join(" ", old));
        shut.forEach(it -> xml.add("shut", "why", it));
        remote.forEach(it -> xml.add("uncovered", "node", it));
        xml.close();
      }
    }
  }

  private static List<SnapshotId> snapshots(String text) throws CommandException {
    var found = new ArrayList<SnapshotId>();
    for (var part : text.split(",", -1)) {
      var slash = part.indexOf('/');
      var deployment = slash < 0 ? null : DeploymentId.of(part.substring(0, slash));
      if (deployment != null && part.substring(slash + 1).matches("[1-9][0-9]{0,8}")) {
        found.add(new SnapshotId(deployment, Integer.parseInt(part.substring(slash + 1))));
      }
    }
    if (found.size() != 2 || text.split(",", -1).length != 2) {
      throw CommandException.usage(
          "'" + text + "' does not name two snapshots: write DEPLOYMENT/NUMBER,DEPLOYMENT/NUMBER");
    }
    return found;
  }

  private LinkedHashMap<String, Element> views(Shown shown) throws CommandException {
    var views = new LinkedHashMap<String, Element>();
    if (list) {
      if (shown.isEmpty() && out() instanceof TextOutput text) {
        text.print("There are no roles. crm_role --shipped=on turns on those that are shipped.\n");
        return views;
      }
      views.put("Nodes", shown.nodes());
      views.put("Snapshots", shown.snapshots());
      views.put("Roles", shown.groups());
      if (shown.unbound().childCount() > 0) {
        views.put("Defined, but bound to no node", shown.unbound());
      }
    }
    if (query) {
      views.put("Document", shown.document());
    }
    if (graph) {
      views.put("Noderoles", shown.graph());
    }
    if (groups) {
      views.put("Roles", shown.groups());
    }
    if (inventory) {
      views.put("Inventory", shown.inventory());
    }
    if (waits) {
      views.put("Waiting", shown.waits());
    }
    for (var it : attributes) {
      views.put("Attributes" + (attributes.size() == 1 ? "" : " of " + it), shown.attributes(known(shown, it)));
    }
    for (var it : data) {
      views.put("Data" + (data.size() == 1 ? "" : " of " + it), shown.data(known(shown, it)));
    }
    if (diff != null) {
      var named = snapshots(diff);
      for (var it : named) {
        if (!shown.has(it)) {
          throw new CommandException(
              ExitStatus.NOSUCH, "there is no snapshot %s: crm_role --list shows all".formatted(it));
        }
      }
      views.put("Difference", shown.difference(named.getFirst(), named.getLast()));
    }
    return views;
  }

  private static NodeRoleId known(Shown shown, String text) throws CommandException {
    var id = parsed(text);
    if (!shown.has(id)) {
      throw new CommandException(
          ExitStatus.NOSUCH, "there is no noderole %s: crm_role --graph shows all".formatted(id));
    }
    return id;
  }

  private void show(Simulation.Story story) throws CommandException {
    var shown = new Shown(story.document());
    if (!drawn.isEmpty()) {
      draw(shown);
      return;
    }
    var views = views(shown);
    switch (out()) {
      case TextOutput text -> {
        print(text, quiet ? List.of() : StoryText.lines(story.steps()), views);
        if (story.refused() > 0) {
          text.error(
              story.refused() == 1
                  ? "one step was refused"
                  : story.refused() + " steps were refused");
        }
      }
      case XmlOutput xml -> {
        if (!quiet) {
          xml.open("story", "refused", Integer.toString(story.refused()));
          story.steps().forEach(xml::add);
          xml.close();
        }
        views.values().forEach(xml::add);
      }
    }
  }

  private void draw(Shown shown) {
    ((TextOutput) out()).print(drawn.equals(SVG) ? shown.svg() : shown.dot());
  }

  private static void print(
      TextOutput text, List<String> story, Map<String, Element> views) {
    var lines = new ArrayList<>(story);
    views.forEach(
        (title, view) -> {
          if (!lines.isEmpty()) {
            lines.add("");
          }
          lines.add(title + ":");
          StoryText.lines(view).forEach(it -> lines.add("  " + it));
        });
    lines.forEach(it -> text.print(it + "\n"));
  }
}
