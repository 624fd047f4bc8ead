package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;

/// What must always hold of a cluster's roles, looked at from outside: at each document that comes
/// onto a node's disk, at each jig that an executor says it runs, at each resource that is started.
final class SimRoleChecks {
  private static final long SECOND = 1_000_000_000L;

  /// By then the resources' plan has heard that a node's gate is shut.
  private static final long SHUT = 90 * SECOND;

  /// By then a change is on the slowest disk.
  private static final long ON_DISK = 3 * SECOND;

  private static final Pattern DIGEST = Pattern.compile("^<[^>]* digest=\"([^\"]*)\"");
  private static final Pattern RUNS =
      Pattern.compile("Jig \\S+ runs for (\\S+)@(\\S+) \\(run (\\d+)\\)");
  private static final Pattern ENDED =
      Pattern.compile("Jig \\S+ (?:is done|failed) for (\\S+) \\(run (\\d+)\\)(?:: (.*))?");

  /// Why a run is ended that could go on.
  private static final Pattern STOPPED = Pattern.compile("another run was begun.*|it was cancelled");

  /// What a plan stops and starts again where it is. With an arrow it is one of several nodes, where a
  /// resource may be for all that is known, or it has another role there from now on.
  private static final Pattern IN_PLACE =
      Pattern.compile(
          "^\\w+: Actions: (?:Recover|Restart) +([^ :]+)\\S* +\\( *(?:\\w+ )?(\\S+ +-> +(?:\\w+ )?)?(\\S+) \\)");

  /// A jig that an executor runs.
  private record Running(SimProcess executor, String noderole) {}

  private final SimCluster cluster;
  private final List<String> documents = new ArrayList<>(); // digests, in the order they came about
  private final Map<String, Integer> reached = new TreeMap<>(); // by each node, among them
  private final Set<String> written = new HashSet<>(); // runs that a document had in transition
  private final Set<String> onceOnly = new HashSet<>(); // those of them of destructive roles
  private final Set<String> begun = new HashSet<>(); // runs that an executor began
  private final Map<String, SimProcess> programs = new TreeMap<>(); // of runs, by node
  private final Map<String, Running> running = new TreeMap<>(); // by node
  private final Map<String, Integer> once = new TreeMap<>(); // runs of noderoles
  private final Map<String, Integer> allowed = new TreeMap<>();
  private final Map<String, Long> openSince = new TreeMap<>(); // gates, by node
  private final Map<String, Long> openUntil = new TreeMap<>();
  private final Map<String, Long> cameAt = new TreeMap<>();
  private final Map<String, Long> inPlace = new TreeMap<>(); // plans to restart, by resource and node
  private final Map<String, Long> ran = new TreeMap<>(); // when it was started, or ran as the node came; the same
  private SimRolePlan plan = SimRolePlan.NONE;
  private boolean secrets; // roles have some
  private @Nullable ClusterRoles newest;
  private @Nullable Consumer<String> onceOneRuns;
  private int misfits; // changes that did not fit what a node has
  private boolean lossy; // a disk lost what a quorum relied on

  SimRoleChecks(SimCluster cluster) {
    this.cluster = cluster;
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

  /// A cib.xml was damaged: what only that node and a bare majority held may be gone.
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
  void written(SimNode node, byte[] content) {
    if (!plan.any() || !isNews(node)) {
      return;
    }
    if (secrets
        && new String(content, StandardCharsets.UTF_8).contains(SimJigs.SECRET_PART)) {
      cluster.fail(SimCheck.SECRET_TOLD, node + " has a role's secret in its roles");
    }
    try {
      see(ClusterRoles.read(XmlReader.parse(content).without("digest")));
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
    inTransition(document).forEach(it -> write(it, before, document));
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
    old.keySet().stream() // nobody knows of its runs when its snapshots are forgotten
        .filter(it -> !live.containsKey(it) && !isDestructive(it, document))
        .forEach(it -> once.remove(it.toString()));
    watchGates(old, live);
    tell(old, live);
  }

  /// Between the two documents somebody may have said that its role is destructive.
  private void write(NodeRole begun, RolesDocument before, RolesDocument after) {
    var key = begun.id() + " " + begun.run();
    if (written.add(key) && isDestructive(begun.id(), before) && isDestructive(begun.id(), after)) {
      onceOnly.add(key);
    }
  }

  private static boolean isDestructive(NodeRoleId id, RolesDocument in) {
    var role = in.roles().get(id.role());
    return role != null && role.is(RoleFlag.DESTRUCTIVE);
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

  private static List<NodeRole> inTransition(RolesDocument document) {
    var found = new ArrayList<NodeRole>();
    for (var snapshot : document.snapshots().values()) {
      snapshot.nodeRoles().values().stream()
          .filter(it -> it.state() == NodeRoleState.TRANSITION)
          .forEach(found::add);
    }
    return found;
  }

  private static List<String> inTransition(RolesDocument document, NodeName node) {
    return inTransition(document).stream()
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

  /// What the gate waits for waits for errors of its like only.
  private boolean nothingInError(NodeRoleId id, RolesDocument in) {
    var gate = ofGate(in);
    return new LiveRoles(in).all().values().stream()
        .filter(it -> it.id().node().equals(id.node()) && !it.id().equals(id))
        .filter(it -> !gate.contains(id.role()) || gate.contains(it.id().role()))
        .noneMatch(it -> it.state() == NodeRoleState.ERROR);
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

  // --- jigs

  /// Tells the noderole that the next jig runs for.
  void onceOneRuns(Consumer<String> told) {
    onceOneRuns = told;
  }

  private boolean isActive(String resource, String node) {
    return cluster.nodes().stream()
        .anyMatch(it -> it.name().equals(node) && it.activeResources().contains(resource));
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
      var again = IN_PLACE.matcher(text);
      if (again.find() && (again.group(2) == null || isActive(again.group(1), again.group(3)))) {
        inPlace.put(again.group(1) + " " + again.group(3), cluster.queue().now());
      }
      return;
    }
    if (process.name().equals("cibd") && text.contains("CIB does not fit a change")) {
      misfits++;
      return;
    }
    if (!process.name().equals("execd") || !text.contains("Jig ")) {
      return;
    }
    var runs = RUNS.matcher(text);
    if (runs.find()) {
      begins(process, runs.group(1) + "@" + runs.group(2), runs.group(3));
      return;
    }
    var ended = ENDED.matcher(text);
    var known = running.get(process.node().name());
    var over = ended.find();
    var why = over && ended.group(3) != null ? ended.group(3) : "";
    if (over && onceOnly.contains(ended.group(1) + " " + ended.group(2)) && STOPPED.matcher(why).matches()) {
      cluster.fail(
          SimCheck.RAN_AGAIN,
          "%s is destructive, and its run was stopped: %s".formatted(ended.group(1), why));
    }
    if (over && known != null && known.noderole().equals(ended.group(1))) {
      running.remove(process.node().name());
    }
  }

  private void begins(SimProcess executor, String noderole, String run) {
    var node = executor.node().name();
    var told = onceOneRuns;
    onceOneRuns = null;
    if (told != null) {
      told.accept(noderole);
    }
    var other = running.put(node, new Running(executor, noderole));
    if (other != null && other.executor() == executor) {
      cluster.fail(
          SimCheck.TWO_JIGS, "%s runs %s while it runs %s".formatted(node, noderole, other.noderole()));
    }
    var key = noderole + " " + run;
    if (!begun.add(key) && !lossy) {
      cluster.fail(SimCheck.RAN_AGAIN, "run %s of %s was begun twice".formatted(run, noderole));
    }
    if (plan.any() && !written.contains(key)) {
      cluster.fail(
          SimCheck.ROLE_TOO_EARLY, "run %s of %s was begun and is in no document".formatted(run, noderole));
    }
    var times = once.merge(noderole, 1, Integer::sum);
    if (onceOnly.contains(key) && times > 1 + allowed.getOrDefault(noderole, 0) && !lossy) {
      cluster.fail(
          SimCheck.RAN_AGAIN, noderole + " is destructive and ran again, as nobody has allowed");
    }
  }

  /// Somebody asks for a change, which may allow another run.
  void asked(Element steps) {
    for (var step : steps.children()) {
      if (step.is("retry") && step.get("again", "").equals("true")) {
        allow(step.get("role", "") + "@" + step.get("node", ""));
      }
    }
  }

  /// Another run, also where there were several, before the role was destructive.
  private void allow(String noderole) {
    var more = allowed.getOrDefault(noderole, 0) + 1;
    allowed.put(noderole, Math.max(more, once.getOrDefault(noderole, 0)));
  }

  /// The program of a jig is started.
  void stepsStart(SimNode node, SimProcess child) {
    var other = programs.put(node.name(), child);
    if (other != null && other.isAlive()) {
      cluster.fail(SimCheck.TWO_JIGS, "two programs of jigs run on " + node.name());
    }
  }

  // --- the gate

  /// A node's cluster software starts.
  void comes(SimNode node) {
    var now = cluster.queue().now();
    cameAt.put(node.name(), now);
    node.activeResources().forEach(it -> ran.put(name(it) + " " + node.name(), now));
  }

  private static String name(String resource) {
    return resource.contains(":") ? resource.substring(0, resource.indexOf(':')) : resource;
  }

  private void watchGates(Map<NodeRoleId, NodeRole> old, Map<NodeRoleId, NodeRole> live) {
    for (var node : cluster.nodes()) {
      var id = NodeRoleId.of(SimRolePlan.GATE + "@" + node.name());
      var was = isOpen(old.get(id));
      var is = isOpen(live.get(id));
      if (is && !was) {
        openSince.put(node.name(), cluster.queue().now());
      } else if (was && !is) {
        openUntil.put(node.name(), cluster.queue().now());
      }
    }
  }

  private static boolean isOpen(@Nullable NodeRole gate) {
    return gate != null && gate.state() == NodeRoleState.ACTIVE;
  }

  /// A resource is started that was not active there.
  void starts(SimNode node, String resource) {
    looksAtGate(node, resource);
    ran.put(name(resource) + " " + node.name(), cluster.queue().now());
  }

  private void looksAtGate(SimNode node, String resource) {
    if (!plan.gate() || node.id() == SimNode.NO_MEMBER || newest == null) {
      return;
    }
    var id = NodeRoleId.of(SimRolePlan.GATE + "@" + node.name());
    var open = id != null && isOpen(new LiveRoles(newest.document()).get(id));
    var since = openSince.getOrDefault(node.name(), -1L);
    var inThisLife = since >= cameAt.getOrDefault(node.name(), 0L);
    var justShut =
        openUntil.containsKey(node.name())
            && cluster.queue().now() - openUntil.get(node.name()) < SHUT;
    if (!(open && inThisLife) && !(justShut && inThisLife) && !isRestarted(node, resource)) {
      var now = cluster.queue().now();
      cluster.queue().after(ON_DISK, () -> startedPastTheGate(node, resource, now));
    }
  }

  /// What runs on a node stays there when its gate shuts, and when it fails, or has ended unseen, it is
  /// started again where it was. What the cluster only holds for active there, as it could not look, is not.
  private boolean isRestarted(SimNode node, String resource) {
    var name = name(resource);
    var came = cameAt.getOrDefault(node.name(), 0L);
    var planned = inPlace.get(name + " " + node.name());
    return planned != null
        && planned >= came
        && ran.getOrDefault(name + " " + node.name(), -1L) >= came
        && cluster.queue().now() - planned < SHUT;
  }

  /// The DC goes by what the primary has in memory, which is seen here when it comes onto a disk.
  private void startedPastTheGate(SimNode node, String resource, long at) {
    if (openSince.getOrDefault(node.name(), -1L) < at) {
      cluster.fail(
          SimCheck.PAST_THE_GATE,
          "%s was started on %s, whose role %s was not active"
              .formatted(resource, node.name(), SimRolePlan.GATE));
    }
  }
}
