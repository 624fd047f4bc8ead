package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.systole.cibd.client.CibMessage;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.SnapshotState;
import org.systole.roles.view.LiveRoles;

/// What must be so of the roles of a cluster that is left in peace.
final class SimRoleRest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration ATTRIBUTES = Duration.ofMinutes(2);
  private static final Duration PASSING = Duration.ofMinutes(2); // the longest interval, what else is looked at, lost orders
  private static final int ROUNDS = 20; // of 100 ms at rest
  private static final String ATTRIBUTE = "#role-";

  private final SimCluster cluster;

  SimRoleRest(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Lets time pass until each noderole is active, in error, or waits for one that is in error.
  void reach() {
    var end = cluster.now().plus(LIMIT);
    var quiet = 0;
    while (quiet < ROUNDS) {
      if (cluster.now().compareTo(end) > 0) {
        cluster.fail(SimCheck.NOT_AT_REST, "roles do not come to rest: " + restless());
        return;
      }
      cluster.run(Duration.ofMillis(100));
      quiet = restless().isEmpty() ? quiet + 1 : 0;
    }
  }

  private List<String> restless() {
    var roles = cluster.checks().roles().newest();
    return roles == null ? List.of("there are none") : restless(roles);
  }

  /// What is neither done nor waits for a person.
  static List<String> restless(ClusterRoles roles) {
    var live = new LiveRoles(roles.document()).all();
    var found = new ArrayList<String>();
    for (var it : live.values()) {
      var well =
          switch (it.state()) {
            case ACTIVE, ERROR -> true;
            case BLOCKED ->
                it.parents().stream()
                    .anyMatch(
                        parent -> {
                          var rests = live.get(parent);
                          return rests == null || rests.state() != NodeRoleState.ACTIVE;
                        });
            case TODO ->
                live.values().stream()
                    .anyMatch(
                        other ->
                            other.state() == NodeRoleState.ERROR
                                && other.id().node().equals(it.id().node()));
            case PROPOSED, TRANSITION -> false;
          };
      if (!well) {
        found.add(it.id() + " is " + it.state().word() + " (run " + it.run() + ")");
      }
    }
    for (var snapshot : roles.document().snapshots().values()) {
      if (snapshot.state() == SnapshotState.ARCHIVED) {
        snapshot.nodeRoles().values().stream()
            .filter(it -> it.state() == NodeRoleState.TRANSITION)
            .forEach(it -> found.add(it.id() + " runs for " + snapshot.id()));
      }
    }
    return found;
  }

  List<NodeRole> failed() {
    var roles = cluster.checks().roles().newest();
    return roles == null
        ? List.of()
        : new LiveRoles(roles.document())
            .all().values().stream().filter(it -> it.state() == NodeRoleState.ERROR).toList();
  }

  /// The jig `test` goes on to do as its roles tell it when the faults have ended: a check says that something is gone, and
  /// the next one that all is well. On several nodes that may be at another time on each.
  ///
  /// @return whether something is in error, and only for what roles tell that jig
  boolean hasOnlyPlannedFaults() {
    var failed = failed();
    return !failed.isEmpty() && failed.stream().allMatch(this::isTest);
  }

  private boolean isTest(NodeRole it) {
    var roles = cluster.checks().roles().newest();
    var role = roles == null ? null : roles.document().roles().get(it.id().role());
    return role != null && role.jig().text().equals("test");
  }

  /// What a check of the jig `test` found gone is fit again with the next check, and no person is asked.
  void plannedFaultsPass() {
    var gone = gone();
    if (!cluster.runUntil(() -> Collections.disjoint(gone, gone()), PASSING)) {
      gone.retainAll(gone());
      cluster.fail(SimCheck.NOT_AT_REST, "a check has to find these fit, and they stay in error: " + gone);
    }
  }

  /// Noderoles and their runs.
  private Set<String> gone() {
    return failed().stream()
        .filter(it -> it.cause().contains(SimRolePlan.GONE))
        .map(SimJigRuns::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// All is active, the nodes have the same roles in memory and on disk, the attributes tell their
  /// states, and no acknowledged change is lost.
  void check(Map<String, String> acknowledged) {
    var roles = cluster.checks().roles().newest();
    if (roles == null) {
      return;
    }
    for (var it : new LiveRoles(roles.document()).all().values()) {
      if (it.state() != NodeRoleState.ACTIVE) {
        cluster.fail(
            SimCheck.NOT_AT_REST, it.id() + " is " + it.state().word() + " at the end: " + it.cause());
      }
    }
    same();
    promises(roles, acknowledged);
    if (!cluster.runUntil(() -> wrongAttributes(roles).isEmpty(), ATTRIBUTES)) {
      cluster.fail(SimCheck.ROLES_DIFFER, "attributes are not as roles are: " + wrongAttributes(roles));
    }
  }

  /// A role that is looked at again may change at any moment, so what the nodes have is compared until it
  /// is the same.
  private void same() {
    if (!cluster.runUntil(() -> areSame(onDisk()), ATTRIBUTES)) {
      cluster.fail(SimCheck.ROLES_DIFFER, "the nodes' roles differ on disk: " + onDisk());
    }
    var end = cluster.now().plus(ATTRIBUTES);
    var texts = inMemory();
    while (!areSame(texts) && cluster.now().compareTo(end) < 0) {
      texts = inMemory();
    }
    if (!areSame(texts)) {
      cluster.fail(SimCheck.ROLES_DIFFER, "the nodes' roles differ in memory: " + texts);
    }
  }

  private static boolean areSame(Map<String, String> all) {
    return Set.copyOf(all.values()).size() <= 1;
  }

  private Map<String, String> onDisk() {
    var digests = new LinkedHashMap<String, String>();
    cluster.nodes().forEach(it -> digests.put(it.name(), SimRoleChecks.digestOn(it)));
    return digests;
  }

  /// Asks all nodes at once; what does not answer has nothing.
  private Map<String, String> inMemory() {
    var answers = new LinkedHashMap<String, String>();
    for (var node : cluster.nodes()) {
      new SimCommand(node)
          .ask(
              CibMessage.SOCKET,
              CibMessage.PROTOCOL,
              new CibMessage.RolesQuery(""),
              it -> answers.put(node.name(), it instanceof CibMessage.Answer of ? "" + digest(of) : ""));
    }
    cluster.runUntil(() -> answers.size() == cluster.nodes().size(), ATTRIBUTES);
    cluster.nodes().forEach(it -> answers.putIfAbsent(it.name(), ""));
    return answers;
  }

  private static int digest(CibMessage.Answer answer) {
    return String.valueOf(answer.xml()).hashCode();
  }

  private void promises(ClusterRoles roles, Map<String, String> acknowledged) {
    if (cluster.checks().roles().isLossy()) {
      return;
    }
    var kept = new TreeMap<String, Integer>();
    roles.audit().forEach(it -> kept.merge(it.client(), 1, Integer::sum));
    acknowledged.forEach(
        (name, steps) -> {
          if (!kept.containsKey(name)) {
            cluster.fail(SimCheck.LOST_CHANGE, name + " was acknowledged and is lost: " + steps);
          }
        });
    kept.forEach(
        (name, times) -> {
          if (times > 1) {
            cluster.fail(SimCheck.LOST_CHANGE, name + " was carried out " + times + " times");
          }
        });
  }

  private List<String> wrongAttributes(ClusterRoles roles) {
    var wanted = new TreeMap<String, String>();
    new LiveRoles(roles.document())
        .all()
        .values()
        .forEach(it -> wanted.put(it.id().node() + " " + ATTRIBUTE + it.id().role(), it.state().word()));
    var cib = cluster.nodes().getFirst().cib();
    var status = cib == null ? null : cib.first("status");
    var found = new TreeMap<String, String>();
    if (status != null) {
      for (var state : status.children("node_state")) {
        attributes(state).forEach((name, value) -> found.put(state.get("uname", "") + " " + name, value));
      }
    }
    var wrong = new ArrayList<String>();
    wanted.forEach(
        (name, value) -> {
          if (!value.equals(found.get(name))) {
            wrong.add(name + " is " + found.get(name) + ", not " + value);
          }
        });
    found.forEach((name, value) -> wrong.addAll(wanted.containsKey(name) ? List.of() : List.of(name + " is " + value)));
    return wrong;
  }

  private static Map<String, String> attributes(Element state) {
    var found = new TreeMap<String, String>();
    var attributes = state.first("transient_attributes");
    if (attributes != null) {
      for (var set : attributes.children("instance_attributes")) {
        for (var pair : set.children("nvpair")) {
          if (pair.get("name", "").startsWith(ATTRIBUTE)) {
            found.put(pair.get("name", ""), pair.get("value", ""));
          }
        }
      }
    }
    return found;
  }

  /// A document as a test has it.
  static ClusterRoles read(String xml) {
    try {
      return ClusterRoles.read(XmlReader.parse(xml));
    } catch (XmlException | DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }
}
