package org.systole.roles.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.RolesSchema;
import org.systole.common.schema.SchemaFault;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.engine.Command;
import org.systole.roles.engine.Happened;
import org.systole.roles.engine.Hooks;
import org.systole.roles.engine.RoleEngine;
import org.systole.roles.model.Fqdn;
import org.systole.roles.model.Past;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.simulate.StepReader;

/// Carries out what is asked of a cluster's roles. It stands where the one writer of the replicated
/// document is, so requests of several people and of the DC cannot cross each other.
///
/// What people ask is an element `steps`, with steps of a story (see [StepReader]), all or none; an
/// attribute `domain` sets the domain of a document without nodes. What the DC asks is an element
/// `role-work`, see [DcWork].
public final class RolesDesk {
  /// The element that people's requests are.
  public static final String STEPS = "steps";

  /// An attribute of it: the document was lost, and another one takes its place.
  public static final String ANEW = "anew";

  private static final int WHAT_MAX = 300;

  /// Nobody else is heard while a request is carried out.
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /// Who asks.
  ///
  /// @param when the time of day, as ISO 8601
  /// @param dc whether it is the DC that works on the roles
  /// @param members of the cluster: those that no DC has told of yet become nodes when people's
  ///     request comes to what may be about them
  public record Who(
      String when, String user, NodeName node, String client, boolean dc, List<NodeName> members) {
    public Who {
      members = List.copyOf(members);
    }
  }

  /// What it stands on; never changed by a request that is refused.
  private ClusterRoles roles;

  private @Nullable Element told;
  private @Nullable ClusterRoles toldOf;
  private final Hooks hooks;
  private final LongSupplier nanos;
  private RoleEngine engine;
  private List<RoleId> gate = List.of();

  /// @param state what is replicated; null if there is nothing yet
  /// @param nanos a monotonic clock, in nanoseconds: what answers events has a time limit
  /// @throws DocumentFault if it cannot be read
  public RolesDesk(@Nullable Element state, LongSupplier nanos) throws DocumentFault {
    this(state == null ? ClusterRoles.fresh() : ClusterRoles.read(state), nanos);
  }

  private RolesDesk(ClusterRoles from, LongSupplier nanos) {
    roles = from;
    hooks = new Hooks(Map.of(), nanos);
    this.nanos = nanos;
    engine = new RoleEngine(roles.document(), hooks);
  }

  /// One for a document that takes the place of a lost one.
  ///
  /// @param at see [Past#lost]
  public static RolesDesk anew(int at, LongSupplier nanos) {
    var fresh = ClusterRoles.fresh();
    return new RolesDesk(
        new ClusterRoles(fresh.document().withPast(Past.lost(at)), fresh.audit(), fresh.stays()), nanos);
  }

  /// What it has come to.
  public ClusterRoles roles() {
    return roles;
  }

  /// What the join gate waits for when the DC's work is carried out.
  public void gate(List<RoleId> waitedFor) {
    gate = List.copyOf(waitedFor);
  }

  /// What it has come to, in XML. What is as it was when this was asked before is the same element.
  public Element written() {
    var now = roles.write(toldOf, told);
    toldOf = roles;
    told = now;
    return now;
  }

  /// What went wrong with answers to events since the last time this was asked.
  public List<Happened> troubles() {
    return hooks.takeTroubles();
  }

  /// Carries out a request whole or not at all.
  ///
  /// @return null if it was carried out, else why not
  public @Nullable String carryOut(Element request, Who who) {
    try {
      if (request.is(DcWork.NAME) && who.dc()) {
        work(request);
      } else if (request.is(STEPS)) {
        steps(request, who);
      } else {
        return "<" + request.name() + "> is no request about roles";
      }
      return null;
    } catch (Refusal e) {
      return e.getMessage();
    } catch (DocumentFault e) {
      return String.join("; ", e.faults());
    }
  }

  private void work(Element request) throws DocumentFault {
    var stays = new TreeMap<>(roles.stays());
    engine.gate(gate);
    try {
      new DcWork(engine, stays).carryOut(request);
      var after = RolesReader.check(engine.document(), roles.document());
      roles = new ClusterRoles(after, roles.audit(), stays);
    } catch (DocumentFault e) {
      engine = new RoleEngine(roles.document(), hooks);
      throw e;
    }
  }

  private void steps(Element request, Who who) throws Refusal, DocumentFault {
    var domain = request.get("domain");
    var steps = request.without("domain").without(ANEW);
    var wrong = RolesSchema.SIMULATION.check(Element.of("role-simulation").plus(steps), Map.of());
    if (!wrong.isEmpty()) {
      throw RolesReader.faults(wrong.stream().map(SchemaFault::message).toList());
    }
    var reader = new StepReader(Map.of());
    var commands = new ArrayList<Command>();
    for (var step : steps.children()) {
      if (!step.isComment()) {
        commands.add(command(step, reader, Map.of()));
        checkGone(step, who.members());
      }
    }
    var before = roles();
    if (domain != null) {
      engine = new RoleEngine(inDomain(domain, before.document()), hooks);
    }
    try {
      var end = nanos.getAsLong() + LIMIT.toNanos();
      engine.carryOut(
          withMembers(commands, who.members()), () -> nanos.getAsLong() - end < 0);
      var after = RolesReader.check(engine.document());
      roles = new ClusterRoles(after, noted(before.audit(), request, who), before.stays());
    } catch (Refusal | DocumentFault e) {
      roles = before;
      engine = new RoleEngine(before.document(), hooks);
      throw e;
    }
  }

  /// Definitions come first: a node that is made after them gets the discovery roles among them.
  private List<Command> withMembers(List<Command> commands, List<NodeName> members) {
    var document = engine.document();
    var names = document.nodes().keySet().stream().map(RolesDesk::plain).collect(Collectors.toSet());
    commands.forEach(it -> names.add(it instanceof Command.CreateNode at ? plain(at.node()) : ""));
    var made =
        members.stream()
            .filter(it -> !names.contains(plain(it)))
            .filter(it -> Fqdn.fault(it.text(), document.domain()).isEmpty())
            .map(Command.TakeIn::new)
            .toList();
    var at = 0;
    while (at < commands.size() && isDefinition(commands.get(at))) {
      at++;
    }
    if (made.isEmpty() || at == commands.size()) {
      return commands;
    }
    var all = new ArrayList<>(commands);
    all.addAll(at, made);
    return all;
  }

  private static String plain(NodeName name) {
    return name.text().toLowerCase(Locale.ROOT);
  }

  private static boolean isDefinition(Command command) {
    return command instanceof Command.DefineRole
        || command instanceof Command.RemoveRole
        || command instanceof Command.SetJig
        || command instanceof Command.CreateDeployment
        || command instanceof Command.CreateNode;
  }

  /// What a step asks a cluster for.
  ///
  /// @param lines the line of each step, by identity; may be empty
  /// @throws DocumentFault if it can be none, whatever roles there are
  public static Command command(Element step, StepReader reader, Map<Element, Integer> lines) throws DocumentFault {
    var command = reader.command(step);
    var seen =
        command instanceof Command.SetAlive || command instanceof Command.Restarted;
    if (command == null || seen) {
      var line = lines.get(step);
      throw RolesReader.fault(
          "%s<%s> is for stories: a cluster sees for itself what becomes of nodes and jigs"
              .formatted(line == null ? "" : "line " + line + ": ", step.name()));
    }
    return command;
  }

  /// A member is taken in again at once, and none of its roles is: nobody wants that by mistake.
  private static void checkGone(Element step, List<NodeName> members) throws Refusal {
    var name = NodeName.of(step.get("node", ""));
    var isMember = name != null && members.stream().anyMatch(it -> plain(it).equals(plain(name)));
    if (step.is("delete-node") && isMember && !step.get("force", "").equals("true")) {
      throw new Refusal(
          ("cannot delete node %s: it is a member of the cluster and would be back at once, without its roles."
                  + " To take roles off it use --unbind; to remove it stop the cluster there first;"
                  + " to have it begin anew add --force")
              .formatted(name));
    }
  }

  private static RolesDocument inDomain(String domain, RolesDocument before) throws Refusal {
    var fault = domain.isEmpty() ? "" : Fqdn.fault(domain);
    if (fault.isEmpty() && !before.nodes().isEmpty() && !before.domain().equals(domain)) {
      fault = "there are nodes already, in " + (before.domain().isEmpty() ? "none" : before.domain());
    }
    if (!fault.isEmpty()) {
      throw new Refusal("cannot set the domain " + domain + ": " + fault);
    }
    return new RolesDocument(
        domain,
        before.jigs(),
        before.roles(),
        before.nodes(),
        before.deployments(),
        before.snapshots(),
        before.past());
  }

  private static List<ClusterRoles.Did> noted(
      List<ClusterRoles.Did> before, Element request, Who who) {
    var all = new ArrayList<>(before);
    all.add(
        new ClusterRoles.Did(
            who.when(),
            XmlWriter.sayable(who.user()),
            who.node(),
            XmlWriter.sayable(who.client()),
            XmlWriter.sayable(what(request))));
    return all.size() <= ClusterRoles.AUDIT_MAX
        ? all
        : all.subList(all.size() - ClusterRoles.AUDIT_MAX, all.size());
  }

  /// What was asked, in one line without data, which may be long.
  public static String what(Element request) {
    var steps =
        request.children().stream().map(RolesDesk::line).collect(Collectors.joining("; "));
    var what = !request.has(ANEW) ? steps : steps.isEmpty() ? "begin-anew" : "begin-anew; " + steps;
    return what.length() <= WHAT_MAX ? what : what.substring(0, WHAT_MAX) + "...";
  }

  private static String line(Element step) {
    var line = new StringBuilder(step.name().toLowerCase(Locale.ROOT));
    for (var name : List.of("id", "role", "node", "deployment", "number", "from", "again", "active", "force")) {
      if (step.has(name)) {
        line.append(' ').append(name).append('=').append(step.get(name));
      }
    }
    return line.toString();
  }
}
