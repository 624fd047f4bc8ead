package org.systole.roles.document;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.Fqdn;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Same;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// Whether the parts of a document fit together. What is archived is held to nothing but its form:
/// its nodes and roles may be gone.
public final class Consistency {
  /// The jig that does nothing; it is always there and active.
  private static final String NOOP = "noop";

  private static final int FAULTS_MAX = 20;

  private final RolesDocument document;
  private final List<String> faults = new ArrayList<>();

  public Consistency(RolesDocument document) {
    this.document = document;
  }

  /// What does not fit, each by name and place; nothing if all does.
  public List<String> faults() {
    domain();
    roles();
    nodes();
    deployments();
    if (faults.isEmpty()) {
      history();
      snapshots();
    }
    return faults.stream().limit(FAULTS_MAX).toList();
  }

  /// The same where it goes on from a document that fits together. Where that differs only in nodes'
  /// states and in what became of noderoles, just what differs is looked at, and what rests on it.
  public List<String> faultsSince(RolesDocument before) {
    var changed = changedSince(before);
    if (changed == null) {
      return faults();
    }
    running();
    for (var snapshot : document.snapshots().values()) {
      if (snapshot.state() == SnapshotState.ARCHIVED) {
        continue;
      }
      for (var noderole : snapshot.nodeRoles().values()) {
        if (changed.contains(noderole.id())
            || noderole.parents().stream().anyMatch(changed::contains)) { // of the two sets the smaller one
          check(noderole, snapshot, this::committed);
        }
      }
    }
    return faults.stream().limit(FAULTS_MAX).toList();
  }

  /// @return null if more differs
  private @Nullable Set<NodeRoleId> changedSince(RolesDocument before) {
    if (!document.domain().equals(before.domain())
        || !document.jigs().keySet().equals(before.jigs().keySet())
        || !Same.inAll(document.roles(), before.roles())
        || !Same.inAll(document.deployments(), before.deployments())
        || !document.snapshots().keySet().equals(before.snapshots().keySet())
        || !places(document).equals(places(before))) {
      return null;
    }
    var changed = new HashSet<NodeRoleId>();
    for (var snapshot : document.snapshots().values()) {
      var was = before.snapshots().get(snapshot.id());
      if (was != null && was != snapshot && !addChanged(was, snapshot, changed)) {
        return null;
      }
    }
    return changed;
  }

  private static boolean addChanged(Snapshot was, Snapshot is, Set<NodeRoleId> changed) {
    if (was.state() != is.state()
        || !was.deploymentRoles().keySet().equals(is.deploymentRoles().keySet())
        || was.nodeRoles().size() != is.nodeRoles().size()) {
      return false;
    }
    var old = was.nodeRoles().values().iterator();
    for (var noderole : is.nodeRoles().values()) {
      var before = old.next();
      if (noderole != before) {
        if (!noderole.id().equals(before.id()) || !noderole.parents().equals(before.parents())) {
          return false;
        }
        changed.add(noderole.id());
      }
    }
    return true;
  }

  private static SortedMap<NodeName, DeploymentId> places(RolesDocument of) {
    var places = new TreeMap<NodeName, DeploymentId>();
    of.nodes().forEach((name, node) -> places.put(name, node.deployment()));
    return places;
  }

  /// The committed snapshot that has a noderole.
  private @Nullable Snapshot committed(NodeRoleId id) {
    return document.snapshots().values().stream()
        .filter(it -> it.state() == SnapshotState.COMMITTED && it.nodeRoles().containsKey(id))
        .findFirst()
        .orElse(null);
  }

  private void fault(String text) {
    faults.add(text);
  }

  private void domain() {
    var fault = document.domain().isEmpty() ? "" : Fqdn.fault(document.domain());
    if (!fault.isEmpty()) {
      fault("domain \"" + document.domain() + "\": " + fault);
    }
  }

  private void roles() {
    for (var role : document.roles().values()) {
      if (!role.jig().text().equals(NOOP) && !document.jigs().containsKey(role.jig())) {
        fault("role " + role.id() + " names the jig " + role.jig() + ", which there is not");
      }
      if (role.is(RoleFlag.MILESTONE) && !role.jig().text().equals(NOOP)) {
        fault("role " + role.id() + " is a milestone: its jig must be " + NOOP);
      }
      if (role.is(RoleFlag.ABSTRACT)
          && (role.is(RoleFlag.DISCOVERY) || role.is(RoleFlag.BOOTSTRAP))) {
        fault("role " + role.id() + " is abstract: it cannot be bound to new nodes");
      }
    }
    if (document.roles().size() > RoleGraph.ROLES_MAX) {
      fault("%d roles, at most %d are taken".formatted(document.roles().size(), RoleGraph.ROLES_MAX));
      return;
    }
    faults.addAll(new RoleGraph(document.roles()).faults());
  }

  private void nodes() {
    var names = new HashMap<String, NodeName>();
    for (var node : document.nodes().values()) {
      var fault = Fqdn.fault(node.name().text(), document.domain());
      if (!fault.isEmpty()) {
        fault("node " + node.name() + ": " + fault);
      }
      var other = names.put(node.name().text().toLowerCase(Locale.ROOT), node.name());
      if (other != null) {
        fault("nodes " + other + " and " + node.name() + " have one name in DNS");
      }
      if (!document.deployments().containsKey(node.deployment())) {
        fault("node " + node.name() + " is in deployment " + node.deployment() + ": there is none");
      }
    }
  }

  private void deployments() {
    for (var deployment : document.deployments().values()) {
      var parent = deployment.parent();
      if (deployment.id().equals(DeploymentId.SYSTEM) && parent != null) {
        fault("deployment system is the root: it has no parent");
      } else if (parent != null && !document.deployments().containsKey(parent)) {
        fault("deployment " + deployment.id() + " is under " + parent + ": there is none");
      } else if (!document.lineage(deployment.id()).contains(DeploymentId.SYSTEM)) {
        fault("deployment " + deployment.id() + " is under itself, not under system");
      }
    }
  }

  private void history() {
    for (var id : document.snapshots().keySet()) {
      if (!document.deployments().containsKey(id.deployment())) {
        fault("snapshot " + id + " is of a deployment that there is not");
      }
    }
    for (var deployment : document.deployments().keySet()) {
      @Nullable Snapshot committed = null;
      @Nullable Snapshot proposed = null;
      for (var snapshot : document.history(deployment)) {
        if (proposed != null) {
          fault("snapshot " + proposed.id() + " is proposed: " + snapshot.id() + " cannot follow");
        }
        switch (snapshot.state()) {
          case PROPOSED -> proposed = snapshot;
          case COMMITTED -> {
            if (committed != null) {
              fault("snapshots " + committed.id() + " and " + snapshot.id() + " are committed");
            }
            committed = snapshot;
          }
          case ARCHIVED -> {}
        }
      }
    }
  }

  private void running() {
    var running = new HashMap<NodeName, NodeRoleId>();
    for (var snapshot : document.snapshots().values()) {
      for (var noderole : snapshot.nodeRoles().values()) {
        if (noderole.state() == NodeRoleState.TRANSITION) {
          var other = running.put(noderole.id().node(), noderole.id());
          if (other != null) {
            fault(
                "snapshot " + snapshot.id() + ": " + other + " and " + noderole.id() + " both run");
          }
        }
      }
    }
  }

  private void snapshots() {
    running();
    var live = new HashMap<NodeRoleId, Snapshot>();
    for (var snapshot : document.snapshots().values()) {
      for (var noderole : snapshot.nodeRoles().values()) {
        if (snapshot.state() == SnapshotState.COMMITTED) {
          var other = live.put(noderole.id(), snapshot);
          if (other != null) {
            fault(noderole.id() + " is committed in " + other.id() + " and " + snapshot.id());
          }
        }
      }
    }
    for (var snapshot : document.snapshots().values()) {
      if (snapshot.state() != SnapshotState.ARCHIVED) {
        snapshot.nodeRoles().values().forEach(it -> check(it, snapshot, live::get));
      }
    }
    if (faults.isEmpty()) {
      acyclic();
    }
  }

  private void check(
      NodeRole noderole, Snapshot snapshot, Function<NodeRoleId, @Nullable Snapshot> live) {
    var where = "snapshot " + snapshot.id() + ": noderole " + noderole.id();
    var node = document.nodes().get(noderole.id().node());
    if (!document.roles().containsKey(noderole.id().role())) {
      fault(where + ": there is no such role");
    }
    if (node == null) {
      fault(where + ": there is no such node");
    } else if (!document.lineage(node.deployment()).contains(snapshot.id().deployment())) {
      fault(where + ": the node is in deployment " + node.deployment() + ", which is not under it");
    }
    if (!snapshot.deploymentRoles().containsKey(noderole.id().role())) {
      fault(where + ": the snapshot has no deployment role for it");
    }
    if ((snapshot.state() == SnapshotState.PROPOSED)
        != (noderole.state() == NodeRoleState.PROPOSED)) {
      fault(where + " is " + noderole.state().word() + ", the snapshot " + snapshot.state().word());
    }
    if ((noderole.state() == NodeRoleState.ERROR) == noderole.cause().isEmpty()) {
      fault(where + (noderole.cause().isEmpty() ? " is in error without a cause" : " has a cause"));
    }
    if (noderole.run() < 0) {
      fault(where + ": the numbers of its runs are used up");
    }
    var inactive = 0;
    for (var id : noderole.parents()) {
      var parent = parent(id, snapshot, live);
      if (snapshot.state() == SnapshotState.PROPOSED) {
        continue; // what is above may go meanwhile: its commit will tell
      }
      if (parent == null) {
        fault(where + " rests on " + id + ", which is not in it nor committed above");
      } else if (parent.state() != NodeRoleState.ACTIVE) {
        inactive++;
      }
    }
    if (noderole.state() == NodeRoleState.TODO && inactive > 0
        || noderole.state() == NodeRoleState.BLOCKED && inactive == 0) {
      fault(where + " is " + noderole.state().word() + ", but what it rests on says otherwise");
    }
  }

  private @Nullable NodeRole parent(
      NodeRoleId id, Snapshot snapshot, Function<NodeRoleId, @Nullable Snapshot> live) {
    var own = snapshot.nodeRoles().get(id);
    if (own != null) {
      return own;
    }
    var other = live.apply(id);
    return other != null
            && !other.id().deployment().equals(snapshot.id().deployment())
            && document.lineage(snapshot.id().deployment()).contains(other.id().deployment())
        ? other.nodeRoles().get(id)
        : null;
  }

  /// Parents above are of other snapshots, which rest on nothing below: each snapshot is looked at
  /// alone.
  private void acyclic() {
    for (var snapshot : document.snapshots().values()) {
      var done = new HashSet<NodeRoleId>();
      var path = new HashSet<NodeRoleId>();
      for (var id : snapshot.nodeRoles().keySet()) {
        circle(id, snapshot, done, path);
      }
    }
  }

  private void circle(
      NodeRoleId start, Snapshot snapshot, HashSet<NodeRoleId> done, HashSet<NodeRoleId> path) {
    var open = new ArrayList<NodeRoleId>(List.of(start));
    while (!open.isEmpty()) {
      var at = open.getLast();
      var noderole = snapshot.nodeRoles().get(at);
      if (noderole == null || done.contains(at)) {
        open.removeLast();
      } else if (path.add(at)) {
        for (var parent : noderole.parents()) {
          if (path.contains(parent) && !done.contains(parent)) {
            fault("snapshot " + snapshot.id() + ": " + parent + " rests on itself");
            done.add(at);
            return;
          }
          open.add(parent);
        }
      } else {
        open.removeLast();
        done.add(at);
      }
    }
  }
}
