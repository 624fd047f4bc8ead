package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.SnapshotState;
import org.systole.roles.view.LiveRoles;

/// Administrators at work on a cluster's roles: they define them, propose and commit what is bound,
/// go back to older snapshots, retry, accept, delete nodes, and ask for much that cannot be.
final class SimRoleChanges {
  private static final long PAUSE_MIN = 400_000_000L;
  private static final long PAUSE_SPREAD = 5_000_000_000L;
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final int CHANGES_MAX = 120; // the audit keeps 200
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimRoleChecks checks;
  private final SimRolePlan plan;
  private final Map<String, String> acknowledged = new LinkedHashMap<>();
  private int asked;
  private boolean writing;

  SimRoleChanges(SimCluster cluster) {
    this.cluster = cluster;
    this.checks = cluster.checks().roles();
    this.plan = checks.plan();
    this.random = cluster.random("roles", "", "", 0);
  }

  /// The changes that were acknowledged, by the names of who asked.
  Map<String, String> acknowledged() {
    return acknowledged;
  }

  // --- before the faults

  /// Defines the roles and binds the first of them.
  void begin() {
    if (!plan.any()) {
      return;
    }
    var first = new StringBuilder();
    plan.definitions().forEach(first::append);
    if (plan.site()) {
      first.append("<create-deployment id=\"site\" parent=\"system\"/>");
    }
    var bound = new StringBuilder("<propose/>");
    for (var node : cluster.nodes()) {
      if (plan.gate()) {
        bound.append(bind("", SimRolePlan.GATE, node.name()));
      }
    }
    bound.append(bind("", "r0", anyNode())).append("<commit/>");
    if (plan.atOnce()) {
      must(first.toString() + bound);
    } else {
      must(first.toString());
      cluster.run(Duration.ofMillis(random.nextInt(3_000)));
      must(bound.toString());
    }
    cluster.run(Duration.ofMillis(random.nextInt(20_000)));
  }

  // --- while faults come and go

  /// Has them work from now on, or no longer.
  void writing(boolean on) {
    writing = on && plan.any();
    if (writing) {
      later();
    }
  }

  boolean isWriting() {
    return writing;
  }

  private void later() {
    cluster.queue().after(PAUSE_MIN + random.nextLong(PAUSE_SPREAD), this::write);
  }

  private void write() {
    if (!writing || asked >= CHANGES_MAX) {
      return;
    }
    later();
    if (random.nextInt(4) == 0) {
      new SimRoleFault(cluster, random, this).arm();
      return;
    }
    var node = someNode();
    if (node != null) {
      happen(node);
    }
  }

  @Nullable SimNode someNode() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    return up.isEmpty() ? null : up.get(random.nextInt(up.size()));
  }

  private String anyNode() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size())).name();
  }

  private String anyRole() {
    return plan.definitions().get(random.nextInt(plan.definitions().size())).get("id", "");
  }

  /// One random change from a node.
  void happen(SimNode node) {
    ask(node, drawn());
  }

  private String drawn() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> proposal() + "<commit/>";
      case 6 -> proposal();
      case 7 -> "<commit/>";
      case 8 -> "<unbind role=\"%s\" node=\"%s\"/>".formatted(anyRole(), anyNode());
      case 9 -> "<propose/><unbind role=\"%s\" node=\"%s\"/><commit/>".formatted(anyRole(), anyNode());
      case 10 -> definedAnew();
      case 11 -> "<retry %s again=\"%s\"/>".formatted(anyLive(), random.nextBoolean());
      case 12 -> "<accept %s/>".formatted(anyLive());
      case 13 -> "<jig id=\"%s\" active=\"%s\"/>".formatted(random.nextBoolean() ? "script" : "test", random.nextInt(3) > 0);
      case 14 -> "<%s node=\"%s\"/>".formatted(random.nextBoolean() ? "available" : "unavailable", anyNode());
      case 15 -> "<delete-node node=\"%s\" force=\"true\"/>".formatted(anyNode());
      case 16 -> rollBack();
      case 17 -> "<archive number=\"%d\"/>".formatted(1 + random.nextInt(6));
      case 18 -> "<move-node node=\"%s\" deployment=\"%s\"/>".formatted(anyNode(), random.nextBoolean() ? "site" : "system");
      default -> "<role id=\"mark-%d\" jig=\"noop\"/>".formatted(asked);
    };
  }

  String rollBack() {
    return "<propose from=\"%d\"/><commit/>".formatted(1 + random.nextInt(6));
  }

  private static String bind(String deployment, String role, String node) {
    return "<bind %srole=\"%s\" node=\"%s\"/>".formatted(deployment, role, node);
  }

  /// Some of what there may be, on some nodes; a half without opening a proposal.
  String proposal() {
    var site = plan.site() && random.nextInt(4) == 0 ? "deployment=\"site\" " : "";
    var steps =
        new StringBuilder(random.nextInt(4) > 0 ? "<propose " + site + "/>" : "");
    for (var left = 1 + random.nextInt(3); left > 0; left--) {
      steps.append(bind(site, anyRole(), anyNode()));
    }
    if (random.nextInt(3) == 0) {
      steps.append(
          "<set %srole=\"%s\" node=\"%s\">{\"wanted\":%d}</set>"
              .formatted(site, anyRole(), anyNode(), random.nextInt(100)));
    }
    return site.isEmpty() ? steps.toString() : steps + "<commit " + site + "/>";
  }

  private String definedAnew() {
    var role = plan.definitions().get(random.nextInt(plan.definitions().size()));
    var timeout = 3 + random.nextInt(15);
    var anew = role.with("timeout", timeout + "s");
    if (timeout % 4 == 0 && !role.get("id", "").equals(SimRolePlan.GATE)) {
      anew = anew.with("destructive", timeout == 4 ? "false" : "true");
    }
    return anew.toString();
  }

  /// Defines roles as they were at first.
  String defined(Set<RoleId> roles) {
    var steps = new StringBuilder();
    plan.definitions().stream()
        .filter(it -> roles.contains(RoleId.of(it.get("id", ""))))
        .forEach(steps::append);
    return steps.toString();
  }

  /// The role and node of something that is committed.
  private String anyLive() {
    var newest = checks.newest();
    var live =
        newest == null
            ? List.<NodeRole>of()
            : List.copyOf(new LiveRoles(newest.document()).all().values());
    if (live.isEmpty()) {
      return "role=\"%s\" node=\"%s\"".formatted(anyRole(), anyNode());
    }
    return named(live.get(random.nextInt(live.size())));
  }

  private static String named(NodeRole it) {
    return "role=\"%s\" node=\"%s\"".formatted(it.id().role(), it.id().node());
  }

  void ask(SimNode node, String steps) {
    ask(node, "admin-" + ++asked, steps);
  }

  /// Has somebody ask for a change of the roles on a node.
  void ask(SimNode node, String name, String steps) {
    cluster
        .story()
        .deed(
            "roles %s %s %s".formatted(node.name(), name, steps),
            () -> askNow(node, name, steps, _ -> {}));
  }

  private void askNow(
      SimNode node, String name, String steps, Consumer<CibMessage.@Nullable Answer> done) {
    var request = SimRolePlan.xml("<steps>" + steps + "</steps>");
    checks.runs().asked(request);
    cluster.note("roles: " + name + " on " + node.name() + " asks: " + steps);
    var update =
        new CibMessage.Update(List.of(CibOp.roles(request)), false, "", name, TIMEOUT_MILLIS);
    new SimCommand(node)
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            update,
            reply -> {
              var answer = reply instanceof CibMessage.Answer it ? it : null;
              cluster.note(
                  "roles: " + name + ": " + (answer == null ? "no answer" : answer.rc().constant() + " " + answer.why()));
              if (answer != null && answer.rc().isOk()) {
                acknowledged.put(name, steps);
              }
              done.accept(answer);
            });
  }

  // --- after the faults

  /// Asks until it is answered.
  ///
  /// @return why it was refused; empty if it was carried out
  private String must(String steps) {
    var end = cluster.now().plus(PATIENCE);
    while (cluster.now().compareTo(end) < 0) {
      var node = someNode();
      if (node != null) {
        var answers = new ArrayList<CibMessage.@Nullable Answer>();
        askNow(node, "must-" + ++asked, steps, answers::add);
        cluster.runUntil(() -> !answers.isEmpty(), PATIENCE);
        var answer = answers.isEmpty() ? null : answers.getFirst();
        if (answer != null && (answer.rc().isOk() || answer.rc().equals(Rc.BAD_INPUT))) {
          return answer.rc().isOk() ? "" : answer.why();
        }
      }
      cluster.run(AGAIN);
    }
    cluster.fail(SimCheck.NOT_AT_REST, "roles cannot be changed within " + PATIENCE + ": " + steps);
    return "";
  }

  /// Jigs work again, what they wait for is given, and all there is has to come to rest, and then to
  /// become active.
  void end() {
    if (!plan.any() || !cluster.failures().isEmpty()) {
      return;
    }
    cluster.jigs().allWell();
    must("<jig id=\"script\" active=\"true\"/><jig id=\"test\" active=\"true\"/>");
    for (var node : cluster.nodes()) {
      must("<available node=\"%s\"/>".formatted(node.name()));
    }
    discardProposals();
    defineMissing();
    bindGates();
    makeWell();
  }

  /// What is in error is retried, or accepted where that does not help.
  private void makeWell() {
    makeWell(new SimRoleRest(cluster));
  }

  private void makeWell(SimRoleRest rest) {
    rest.reach();
    for (var round = 0; round < 40 && cluster.failures().isEmpty(); round++) {
      var failed = rest.failed();
      if (failed.isEmpty()) {
        break;
      }
      for (var it : failed) {
        must(round % 2 == 0 ? "<retry %s again=\"true\"/>".formatted(named(it)) : "<accept %s/>".formatted(named(it)));
      }
      rest.reach();
    }
  }

  /// The cluster is at rest.
  void check() {
    if (plan.any()) {
      makeWell(); // a node may have been fenced since, when it was let go
      var before = checks.misfits();
      must("<role id=\"at-rest\" jig=\"noop\"/>");
      must("<remove-role role=\"at-rest\"/>");
      makeWell();
      checks.fitted(before);
      checks.looks().reach();
      var rest = new SimRoleRest(cluster);
      if (rest.hasOnlyPlannedFaults()) {
        rest.plannedFaultsPass();
        makeWell(rest);
      }
      rest.check(acknowledged);
    }
  }

  private void discardProposals() {
    var newest = checks.newest();
    if (newest == null) {
      return;
    }
    for (var snapshot : newest.document().snapshots().values()) {
      if (snapshot.state() == SnapshotState.PROPOSED) {
        must(
            "<archive deployment=\"%s\" number=\"%d\"/>"
                .formatted(snapshot.id().deployment(), snapshot.id().number()));
      }
    }
  }

  private void defineMissing() {
    var newest = checks.newest();
    for (var each : plan.definitions()) {
      var id = RoleId.of(each.get("id", ""));
      if (newest != null && id != null && !newest.document().roles().containsKey(id)) {
        must(each.toString());
      }
    }
  }

  private void bindGates() {
    if (!plan.gate()) {
      return;
    }
    var steps = new StringBuilder("<propose/>");
    for (var node : cluster.nodes()) {
      if (!isCommittedElsewhere(checks.newest(), node)) {
        steps.append(bind("", SimRolePlan.GATE, node.name()));
      }
    }
    var why = must(steps + "<commit/>");
    if (!why.isEmpty()) {
      cluster.fail(SimCheck.NOT_AT_REST, "the gates cannot be bound: " + why);
    }
  }

  private static boolean isCommittedElsewhere(@Nullable ClusterRoles roles, SimNode node) {
    return roles != null
        && new LiveRoles(roles.document())
            .all().keySet().stream()
                .filter(it -> it.role().text().equals(SimRolePlan.GATE))
                .filter(it -> it.node().text().equals(node.name()))
                .anyMatch(
                    it -> {
                      var in = new LiveRoles(roles.document()).snapshot(it);
                      return in != null && !in.id().deployment().equals(DeploymentId.SYSTEM);
                    });
  }
}
