package org.systole.roles.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.Retries;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.Snapshot;

/// What a jig sees when it runs for a noderole: data laid over each other, in this order.
///
/// 1. the active noderoles of the same node, by their roles' ids
/// 2. the noderoles it rests on, and their deployment roles, the most distant first; of one distance
///    the deployment roles come first, those of outer deployments before those of inner ones
/// 3. its own deployment role, its own system's data, its own user's data
///
/// Of a noderole the wall lies lowest, what the system set is above it, what people set on top. Its
/// own wall is not in it: what the jig gives back is compared with what it was given, and would
/// lose all that it says a second time.
///
/// How often a person retried the role is what its own system's data say, see [Retries].
public final class Visible {
  /// @param origins where each value comes from, by its JSON pointer
  public record Attributes(Json.Obj merged, SortedMap<String, Origin> origins) {}

  private final LiveRoles roles;

  public Visible(LiveRoles roles) {
    this.roles = roles;
  }

  /// @return nothing if there is no such live noderole
  public Attributes of(NodeRoleId id) {
    var merge = new Layers(id.role().text());
    var self = roles.get(id);
    if (self != null) {
      for (var other : onNode(id)) {
        if (other.state() == NodeRoleState.ACTIVE && !other.id().equals(id)) {
          whole(merge, other);
        }
      }
      for (var distant : distances(self).reversed()) {
        defaults(merge, distant);
        distant.forEach(it -> whole(merge, it));
      }
      defaults(merge, List.of(self));
      merge.ordered(new Origin(id.toString(), "system"), self.system());
      merge.add(new Origin(id.toString(), "user"), self.user());
    }
    return new Attributes(merge.all.result(), merge.all.origins());
  }

  /// What is laid over each other for a role.
  private record Layers(String role, DeepMerge<Origin> all) {
    Layers(String role) {
      this(role, new DeepMerge<>());
    }

    void add(Origin from, Json.Obj data) {
      all.add(from, Retries.without(data, role));
    }

    void ordered(Origin from, Json.Obj data) {
      all.add(from, data);
    }
  }

  private List<NodeRole> onNode(NodeRoleId id) {
    var first = new NodeRoleId(new RoleId("A"), id.node());
    return roles.all().tailMap(first).values().stream()
        .takeWhile(it -> it.id().node().equals(id.node()))
        .toList();
  }

  /// What a noderole rests on, by the length of the shortest way to it, the nearest first.
  private List<List<NodeRole>> distances(NodeRole of) {
    var distances = new ArrayList<List<NodeRole>>();
    var seen = new HashSet<NodeRoleId>();
    var at = List.of(of);
    while (!at.isEmpty()) {
      var next = new TreeSet<NodeRoleId>();
      at.forEach(it -> next.addAll(it.parents()));
      var further = new ArrayList<NodeRole>();
      for (var id : next) {
        var noderole = roles.get(id);
        if (noderole != null && seen.add(id)) {
          further.add(noderole);
        }
      }
      if (!further.isEmpty()) {
        distances.add(further);
      }
      at = further;
    }
    return distances;
  }

  private static void whole(Layers merge, NodeRole noderole) {
    var name = noderole.id().toString();
    merge.add(new Origin(name, "wall"), noderole.wall());
    merge.add(new Origin(name, "system"), noderole.system());
    merge.add(new Origin(name, "user"), noderole.user());
  }

  private void defaults(Layers merge, List<NodeRole> noderoles) {
    var found = new TreeMap<String, Json.Obj>();
    var snapshots = new ArrayList<Snapshot>();
    for (var noderole : noderoles) {
      var snapshot = roles.snapshot(noderole.id());
      if (snapshot != null && !snapshots.contains(snapshot)) {
        snapshots.add(snapshot);
      }
    }
    snapshots.sort(
        Comparator.comparing(
                (Snapshot it) -> roles.document().lineage(it.id().deployment()).size())
            .thenComparing(Snapshot::id));
    for (var snapshot : snapshots) {
      found.clear();
      for (var noderole : noderoles) {
        var role = noderole.id().role();
        if (roles.snapshot(noderole.id()) == snapshot) {
          found.put(role.text(), snapshot.deploymentRoles().getOrDefault(role, Json.Obj.EMPTY));
        }
      }
      found.forEach(
          (role, data) -> merge.add(new Origin(role + " in " + snapshot.id(), "role"), data));
    }
  }
}
