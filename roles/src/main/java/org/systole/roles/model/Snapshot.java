package org.systole.roles.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.roles.data.Json;

/// What was wanted of a deployment at a time: which roles are bound to which nodes, with what data.
///
/// @param deploymentRoles the deployment's data for each role in it
public record Snapshot(
    SnapshotId id,
    SnapshotState state,
    SortedMap<RoleId, Json.Obj> deploymentRoles,
    SortedMap<NodeRoleId, NodeRole> nodeRoles) {
  public Snapshot {
    deploymentRoles = Collections.unmodifiableSortedMap(new TreeMap<>(deploymentRoles));
    nodeRoles = Collections.unmodifiableSortedMap(new TreeMap<>(nodeRoles));
  }

  /// The same in another state.
  public Snapshot in(SnapshotState now) {
    return new Snapshot(id, now, deploymentRoles, nodeRoles);
  }
}
