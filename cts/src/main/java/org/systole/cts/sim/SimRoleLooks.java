package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Role;
import org.systole.roles.view.LiveRoles;

/// Looks whether what is active is looked at again, as often as its role says. Only of the jig `script`: of the others nobody
/// sees from outside whether they were looked at.
final class SimRoleLooks {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000_000_000L;

  /// Others of its node are looked at one after the other, and one that hangs holds them up for a while.
  private static final long IN_TURN = 15 * SECOND;

  /// An order that was lost is given again.
  private static final long LOST = 30 * SECOND;

  /// Its node may be between two runs.
  private static final long IDLE = 5 * SECOND;

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> DAEMONS = List.of("pacemakerd", "cibd", "execd", "controld");

  private final SimCluster cluster;
  private final SimRoleChecks roles;
  private final Map<String, Long> lookedAt = new TreeMap<>(); // by noderole
  private final Map<String, Long> mayBeSince = new TreeMap<>(); // by noderole and run
  private final Map<String, String> looks = new TreeMap<>(); // how nodes and their DC are, by node
  private final Map<String, Long> calmSince = new TreeMap<>(); // by node
  private final Map<String, Long> busyUntil = new TreeMap<>(); // by node

  SimRoleLooks(SimCluster cluster, SimRoleChecks roles) {
    this.cluster = cluster;
    this.roles = roles;
  }

  /// A check of a noderole is begun on its node.
  void begins(String noderole) {
    lookedAt.put(noderole, cluster.queue().now());
  }

  void everySecond() {
    var newest = roles.newest();
    if (newest == null) {
      return;
    }
    noteCalm(newest);
    var now = cluster.queue().now();
    var seen = new TreeSet<String>();
    for (var it : ofNodesThatAreUp(newest)) {
      var role = newest.document().roles().get(it.id().role());
      var key = SimJigRuns.key(it);
      if (role != null && isLookedAt(it, role, newest)) {
        seen.add(key);
        look(it, role, mayBeSince.computeIfAbsent(key, _ -> now));
      }
    }
    mayBeSince.keySet().retainAll(seen);
  }

  private List<NodeRole> ofNodesThatAreUp(ClusterRoles newest) {
    return new LiveRoles(newest.document())
        .all().values().stream().filter(it -> calmSince.containsKey(it.id().node().text())).toList();
  }

  private boolean isLookedAt(NodeRole it, Role role, ClusterRoles newest) {
    var node = newest.document().nodes().get(it.id().node());
    var machine = cluster.nodeOrNull(it.id().node().text());
    return it.state() == NodeRoleState.ACTIVE
        && !role.check().isNone()
        && role.jig().text().equals("script")
        && newest.document().jigs().getOrDefault(role.jig(), false)
        && node != null
        && node.alive()
        && node.available()
        && machine != null
        && !roles.runs().isMaintained(machine);
  }

  private void look(NodeRole it, Role role, long since) {
    var now = cluster.queue().now();
    var noderole = it.id().toString();
    var node = it.id().node().text();
    var calm = calmSince.getOrDefault(node, now);
    var last = lookedAt.getOrDefault(noderole, -1L);
    var lost = last < calm ? LOST : 0; // it may have been ordered, and the order lost
    var most = (role.check().intervalMillis() + role.timeoutMillis()) * MILLI + IN_TURN + lost;
    var from = Math.max(Math.max(last, since), calm);
    if (now - from > most && now - busyUntil.getOrDefault(node, 0L) > IDLE) {
      cluster.fail(
          SimCheck.OVERDUE,
          "%s is to be looked at every %d s, and was not for %d s"
              .formatted(noderole, role.check().intervalMillis() / 1_000, (now - from) / SECOND));
      lookedAt.put(noderole, now);
    }
  }

  /// Since when each node and its DC have been as they are; who is not there is not in it.
  private void noteCalm(ClusterRoles newest) {
    var now = cluster.queue().now();
    var dcs = cluster.nodes().stream().filter(SimNode::isDc).toList();
    var dc = dcs.size() == 1 ? dcs.getFirst() : null;
    for (var it : SimJigRuns.inTransition(newest.document())) {
      busyUntil.put(it.id().node().text(), now);
    }
    for (var node : cluster.nodes()) {
      var is = dc == null ? null : calmness(dc, node);
      if (is == null) {
        looks.remove(node.name());
        calmSince.remove(node.name());
      } else if (!is.equals(looks.put(node.name(), is))) {
        calmSince.put(node.name(), now);
      }
    }
  }

  private @Nullable String calmness(SimNode dc, SimNode node) {
    if (!cluster.network().hear(dc, node) || !cluster.network().hear(node, dc)) {
      return null;
    }
    var text = new StringBuilder(dc.name());
    for (var each : List.of(dc, node)) {
      for (var daemon : DAEMONS) {
        var process = each.process(daemon);
        if (process == null || process.isStopped()) {
          return null;
        }
        text.append(' ').append(process.pid());
      }
    }
    return text.toString();
  }

  /// At rest: waits until all that is to be looked at was.
  void reach() {
    var from = cluster.queue().now();
    if (!cluster.runUntil(() -> unseen(from).isEmpty() || !cluster.failures().isEmpty(), LIMIT)) {
      cluster.fail(SimCheck.OVERDUE, "at rest these are not looked at within %s: %s".formatted(LIMIT, unseen(from)));
    }
  }

  private List<String> unseen(long since) {
    var newest = roles.newest();
    var found = new ArrayList<String>();
    for (var it : newest == null ? List.<NodeRole>of() : ofNodesThatAreUp(newest)) {
      var role = newest.document().roles().get(it.id().role());
      if (role != null && isLookedAt(it, role, newest) && lookedAt.getOrDefault(it.id().toString(), -1L) < since) {
        found.add(it.id().toString());
      }
    }
    return found;
  }
}
