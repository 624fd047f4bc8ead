package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// What somebody asks for who takes roles off nodes, with all that rests on them.
final class SimRoleGoing {
  private final @Nullable ClusterRoles cluster;
  private final SortedSet<RoleId> gone = new TreeSet<>();

  /// @param cluster the roles as they are
  SimRoleGoing(@Nullable ClusterRoles cluster) {
    this.cluster = cluster;
  }

  /// The roles that were removed.
  SortedSet<RoleId> roles() {
    return gone;
  }

  /// Removes a role and all that require it; nothing if the gate is among them.
  String removed(String name) {
    var role = RoleId.of(name);
    if (cluster == null || role == null || !cluster.document().roles().containsKey(role)) {
      return "";
    }
    gone.add(role);
    var all = cluster.document().roles();
    for (var before = 0; before < gone.size(); ) {
      before = gone.size();
      for (var each : all.values()) {
        if (each.requires().stream().anyMatch(it -> gone.stream().anyMatch(of -> answers(of, it)))) {
          gone.add(each.id());
        }
      }
    }
    if (gone.contains(new RoleId(SimRolePlan.GATE))) {
      gone.clear();
      return "";
    }
    var steps = new StringBuilder(unbound(it -> gone.contains(it.role())));
    gone.forEach(it -> steps.append("<remove-role role=\"").append(it).append("\"/>"));
    return steps.toString();
  }

  private boolean answers(RoleId role, RoleId name) {
    var known = cluster == null ? null : cluster.document().roles().get(role);
    return known != null && known.answersTo(name);
  }

  /// Unbinds noderoles and all that rests on them, those below first; what was proposed is discarded.
  String unbound(Predicate<NodeRoleId> which) {
    var steps = new StringBuilder();
    if (cluster == null) {
      return "";
    }
    var going = new TreeSet<NodeRoleId>();
    var committed = new ArrayList<Snapshot>();
    steps.append(discarded());
    for (var snapshot : cluster.document().snapshots().values()) {
      if (snapshot.state() == SnapshotState.COMMITTED) {
        committed.add(snapshot);
      }
    }
    for (var before = -1; before < going.size(); ) {
      before = going.size();
      for (var snapshot : committed) {
        snapshot.nodeRoles().values().stream()
            .filter(it -> which.test(it.id()) || it.parents().stream().anyMatch(going::contains))
            .forEach(it -> going.add(it.id()));
      }
    }
    committed.sort((one, other) -> Boolean.compare(isSystem(one), isSystem(other))); // below first
    for (var snapshot : committed) {
      var left = new ArrayList<>(snapshot.nodeRoles().values());
      left.removeIf(it -> !going.contains(it.id()));
      if (!left.isEmpty()) {
        steps.append("<propose %s/>".formatted(in(snapshot)));
        for (var it : lowestFirst(left)) {
          steps.append(
              "<unbind %srole=\"%s\" node=\"%s\"/>"
                  .formatted(in(snapshot), it.id().role(), it.id().node()));
        }
        steps.append("<commit %s/>".formatted(in(snapshot)));
      }
    }
    return going.isEmpty() ? "" : steps.toString();
  }

  /// Discards what is proposed.
  String discarded() {
    var steps = new StringBuilder();
    for (var snapshot : cluster == null ? List.<Snapshot>of() : cluster.document().snapshots().values()) {
      if (snapshot.state() == SnapshotState.PROPOSED) {
        steps.append("<archive %snumber=\"%d\"/>".formatted(in(snapshot), snapshot.id().number()));
      }
    }
    return steps.toString();
  }

  private static boolean isSystem(Snapshot it) {
    return it.id().deployment().equals(DeploymentId.SYSTEM);
  }

  private static String in(Snapshot it) {
    return isSystem(it) ? "" : "deployment=\"" + it.id().deployment() + "\" ";
  }

  private static List<NodeRole> lowestFirst(List<NodeRole> all) {
    var left = new ArrayList<>(all);
    var ordered = new ArrayList<NodeRole>();
    while (!left.isEmpty()) {
      var lowest =
          left.stream()
              .filter(it -> left.stream().noneMatch(other -> other.parents().contains(it.id())))
              .toList();
      ordered.addAll(lowest);
      left.removeAll(lowest);
      if (lowest.isEmpty()) {
        throw new IllegalStateException("a circle: " + left);
      }
    }
    return ordered;
  }
}
