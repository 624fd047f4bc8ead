package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.Processes.Program;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;

/// What must always hold of a cluster's roles, looked at from outside: at each document that comes
/// onto a node's disk. Jigs are looked at by [SimJigRuns], [SimGiven] and [SimRoleLooks], resources by [SimGate].
final class SimRoleChecks {
  private static final Pattern DIGEST = Pattern.compile("^<[^>]* digest=\"([^\"]*)\"");
  private final SimCluster cluster;
  private final List<String> documents = new ArrayList<>(); // digests, in the order they came about
  private final Map<String, Integer> reached = new TreeMap<>(); // by each node, among them
  private final SimJigRuns runs;
  private final SimGiven given;
  private final SimRoleLooks looks;
  private final SimGate gate;
  private SimRolePlan plan = SimRolePlan.NONE;
  private boolean secrets; // roles have some
  private @Nullable ClusterRoles newest;
  private SimRolesPlace latest = SimRolesPlace.NONE; // where the newest stands
  private int misfits; // changes that did not fit what a node has
  private boolean lossy; // a disk lost what a quorum relied on

  SimRoleChecks(SimCluster cluster) {
    this.cluster = cluster;
    this.runs = new SimJigRuns(cluster, this);
    this.given = new SimGiven(cluster);
    this.looks = new SimRoleLooks(cluster, this);
    this.gate = new SimGate(cluster, this);
  }

  void plan(SimRolePlan its) {
    plan = its;
    secrets = its.hasSecret();
    for (var node : secrets ? cluster.nodes() : List.<SimNode>of()) {
      its.definitions()
          .forEach(it -> node.secrets().put("role-" + it.get("id", ""), "password", SimJigs.SECRET));
    }
  }

  SimRolePlan plan() {
    return plan;
  }

  /// The newest document that came onto any disk, null if there is none.
  @Nullable ClusterRoles newest() {
    return newest;
  }

  /// The roles on a disk were damaged: what only that node and a bare majority held may be gone.
  void diskLoses(SimNode node) {
    var text = digestOn(node);
    lossy |=
        !text.isEmpty()
            && !cluster.nodes().stream().filter(it -> it != node).allMatch(it -> digestOn(it).equals(text));
  }

  /// How often a node asked for the whole because a change did not fit what it has.
  int misfits() {
    return misfits;
  }

  /// Changes were made at rest: they fit what each node has, or that is not what the primary wrote.
  ///
  /// @param before how many had not fit until then
  void fitted(int before) {
    if (misfits > before) {
      cluster.fail(
          SimCheck.ROLES_DIFFER, "changes at rest did not fit on nodes " + (misfits - before) + " times");
    }
  }

  /// Whether what was acknowledged may be gone.
  boolean isLossy() {
    return lossy;
  }

  static String digestOn(SimNode node) {
    var content = node.file("cibd", "roles.xml");
    if (content == null) {
      return "";
    }
    var match = DIGEST.matcher(new String(content, StandardCharsets.UTF_8));
    return match.find() ? match.group(1) : "";
  }

  /// A node's disk has a new document.
  ///
  /// @param at where in the cluster's history it stands
  void written(SimNode node, byte[] content, SimRolesPlace at) {
    if (!plan.any() || !isNews(node) || at.isBefore(latest)) {
      return; // the others may have passed over one that a slow node writes
    }
    latest = at;
    if (secrets
        && new String(content, StandardCharsets.UTF_8).contains(SimJigs.SECRET_PART)) {
      cluster.fail(SimCheck.SECRET_TOLD, node + " has a role's secret in its roles");
    }
    try {
      var file = XmlReader.parse(content).without("digest");
      endless(file);
      see(ClusterRoles.read(file));
    } catch (XmlException | DocumentFault e) {
      cluster.fail(SimCheck.ROLES_DIFFER, node + " has roles on disk that cannot be read: " + e);
    }
  }

  /// Whether no disk had that document before. A node may be behind the others; but roles that come back
  /// to all that they were before are a document that has been there, and news.
  private boolean isNews(SimNode node) {
    var digest = digestOn(node);
    var from = reached.getOrDefault(node.name(), 0);
    var found = documents.subList(from, documents.size()).indexOf(digest);
    if (found < 0) {
      documents.add(digest);
    }
    reached.put(node.name(), found < 0 ? documents.size() - 1 : from + found);
    return found < 0;
  }

  /// A document that follows the one before it, or one soon after that.
  void see(ClusterRoles now) {
    var before = newest == null ? ClusterRoles.fresh().document() : newest.document();
    var asked = newest == null || !newest.audit().equals(now.audit());
    newest = now;
    var document = now.document();
    for (var node : document.nodes().keySet()) {
      var those = inTransition(document, node);
      if (those.size() > 1) {
        cluster.fail(SimCheck.TWO_JIGS, node + " has two noderoles in transition: " + those);
      }
    }
    var live = new LiveRoles(document).all();
    runs.see(before, document);
    given.see(before, document);
    var old = new LiveRoles(before).all();
    for (var each : live.values()) {
      var was = old.get(each.id());
      var anew = asked && isBoundAnew(each, before, document);
      if (was != null && each.run() > was.run() && !anew) {
        started(each, before, document);
      }
      if (each.state() == NodeRoleState.ERROR && each.cause().isBlank()) {
        cluster.fail(SimCheck.NO_CAUSE, each.id() + " is in error without a cause");
      }
    }
    gate.see(old, live);
    tell(old, live);
  }

  /// What runs for a role that there is not is heard of no more, and its node would be busy for ever. Who reads such a
  /// document passes it over, as earlier builds wrote it, so this is seen in the file alone.
  private void endless(Element file) {
    var known = names(file, "roles", "role", "id");
    var nodes = names(file, "nodes", "node", "name");
    for (var snapshot : all(file, "snapshots", "snapshot")) {
      for (var it : snapshot.children("noderole")) {
        var role = it.get("role", "");
        var node = it.get("node", "");
        if (it.get("state", "").equals(NodeRoleState.TRANSITION.word())
            && !(known.contains(role) && nodes.contains(node))) {
          cluster.fail(
              SimCheck.ENDLESS_RUN,
              "%s@%s runs (run %s), and there is no such %s"
                  .formatted(role, node, it.get("run"), known.contains(role) ? "node" : "role"));
        }
      }
    }
  }

  private static List<Element> all(Element file, String section, String kind) {
    var found = file.path("roles-document", section);
    return found == null ? List.of() : found.children(kind);
  }

  private static Set<String> names(Element file, String section, String kind, String attribute) {
    return all(file, section, kind).stream()
        .map(it -> it.get(attribute, ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void tell(Map<NodeRoleId, NodeRole> old, Map<NodeRoleId, NodeRole> live) {
    for (var it : live.values()) {
      var was = old.get(it.id());
      if (was == null || was.state() != it.state() || was.run() != it.run()) {
        cluster.note(
            "role %s: %s -> %s (run %d) %s"
                .formatted(
                    it.id(), was == null ? "new" : was.state().word(), it.state().word(), it.run(), it.cause()));
      }
    }
    old.keySet().stream().filter(it -> !live.containsKey(it)).forEach(it -> cluster.note("role " + it + ": gone"));
  }

  private static List<String> inTransition(RolesDocument document, NodeName node) {
    return SimJigRuns.inTransition(document).stream()
        .filter(it -> it.id().node().equals(node))
        .map(it -> it.id() + " run " + it.run())
        .toList();
  }

  /// Whether it went with its node or its snapshot and came back between two documents that people's
  /// changes lie between: then its runs go on above the numbers that are used up, and none was begun.
  private static boolean isBoundAnew(NodeRole it, RolesDocument before, RolesDocument after) {
    return it.state() != NodeRoleState.TRANSITION
        && it.run() >= before.spent()
        && it.run() <= after.spent();
  }

  /// Its run was begun between two documents. Mostly that is all that lies between them; where it is
  /// not, a condition may have held in one of them only.
  private void started(NodeRole it, RolesDocument before, RolesDocument after) {
    var id = it.id();
    Map<String, Predicate<RolesDocument>> conditions =
        new TreeMap<>(
            Map.of(
                "what it rests on is not active", in -> parentsAreActive(it, in),
                "its jig is not active", in -> jigIsActive(id, in),
                "its node is not alive and available", in -> isAvailable(id, in),
                "something else runs there", in -> nothingElse(id, in, NodeRoleState.TRANSITION),
                "something is in error there", in -> nothingInError(id, in),
                "it is in no committed snapshot", in -> new LiveRoles(in).get(id) != null));
    conditions.forEach(
        (broken, holds) -> {
          if (!holds.test(before) && !holds.test(after)) {
            cluster.fail(
                SimCheck.ROLE_TOO_EARLY, "%s was begun (run %d): %s".formatted(id, it.run(), broken));
          }
        });
  }

  private static boolean parentsAreActive(NodeRole it, RolesDocument in) {
    var live = new LiveRoles(in);
    var own = live.get(it.id());
    for (var parent : (own == null ? it : own).parents()) {
      var found = live.get(parent);
      if (found == null || found.state() != NodeRoleState.ACTIVE) {
        return false;
      }
    }
    return true;
  }

  private static boolean jigIsActive(NodeRoleId id, RolesDocument in) {
    var role = in.roles().get(id.role());
    return role == null || in.jigs().getOrDefault(role.jig(), role.jig().text().equals("noop"));
  }

  private static boolean isAvailable(NodeRoleId id, RolesDocument in) {
    var node = in.nodes().get(id.node());
    return node != null && node.alive() && node.available();
  }

  private static boolean nothingElse(NodeRoleId id, RolesDocument in, NodeRoleState state) {
    return new LiveRoles(in).all().values().stream()
        .noneMatch(
            it -> it.state() == state && it.id().node().equals(id.node()) && !it.id().equals(id));
  }

  /// What the gate waits for waits for errors of its like only. What rests on the one that was begun waits again
  /// while it runs, and may be in error once more in the same write of the disk: that held up nothing.
  private boolean nothingInError(NodeRoleId id, RolesDocument in) {
    var gate = ofGate(in);
    var live = new LiveRoles(in).all();
    return live.values().stream()
        .filter(it -> it.id().node().equals(id.node()) && !it.id().equals(id))
        .filter(it -> !gate.contains(id.role()) || gate.contains(it.id().role()))
        .filter(it -> !restsOn(it, id, live))
        .noneMatch(it -> it.state() == NodeRoleState.ERROR);
  }

  private static boolean restsOn(NodeRole one, NodeRoleId other, Map<NodeRoleId, NodeRole> live) {
    var seen = new HashSet<NodeRoleId>();
    var open = new ArrayList<>(one.parents());
    while (!open.isEmpty()) {
      var next = open.removeLast();
      if (next.equals(other)) {
        return true;
      }
      if (seen.add(next) && live.containsKey(next)) {
        open.addAll(live.get(next).parents());
      }
    }
    return false;
  }

  /// The role of the gate, and all that it requires.
  private Set<RoleId> ofGate(RolesDocument in) {
    var found = new HashSet<RoleId>();
    var open = new ArrayList<>(plan.gate() ? List.of(new RoleId(SimRolePlan.GATE)) : List.<RoleId>of());
    while (!open.isEmpty()) {
      var name = open.removeLast();
      in.roles().values().stream()
          .filter(it -> it.answersTo(name) && found.add(it.id()))
          .forEach(it -> open.addAll(it.requires()));
    }
    return found;
  }

  /// A daemon writes a line to its log.
  void said(SimProcess process, String text) {
    if (secrets && text.contains(SimJigs.SECRET_PART)) {
      cluster.fail(
          SimCheck.SECRET_TOLD,
          "%s on %s has a role's secret in its log: %s"
              .formatted(process.name(), process.node().name(), text));
    }
    if (process.name().equals("schedulerd")) {
      gate.planned(text);
    } else if (process.name().equals("fenced")) {
      gate.fences(process, text);
    } else if (process.name().equals("cibd") && text.contains("CIB does not fit a change")) {
      misfits++;
    } else if (process.name().equals("execd") && text.contains("Jig ")) {
      runs.said(process, text);
    }
  }

  void everySecond() {
    if (plan.any()) {
      runs.everySecond();
      looks.everySecond();
      gate.everySecond();
    }
  }

  SimJigRuns runs() {
    return runs;
  }

  SimRoleLooks looks() {
    return looks;
  }

  SimGate gate() {
    return gate;
  }

  /// The program of a jig is started for a run.
  void stepsStart(SimNode node, SimProcess child, Program program) {
    runs.stepsStart(node, child);
    var environment = program.environment();
    given.given(
        environment.getOrDefault("SYSTOLE_NODEROLE", ""), environment.getOrDefault("SYSTOLE_RUN", ""), program.input());
  }
}
