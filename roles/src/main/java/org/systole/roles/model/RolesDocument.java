package org.systole.roles.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// All there is to know of roles, immutable.
///
/// @param domain what the names of nodes end in
/// @param jigs whether each is active: roles of one that is not wait
/// @param past what is known of what is gone
public record RolesDocument(
    String domain,
    SortedMap<JigId, Boolean> jigs,
    SortedMap<RoleId, Role> roles,
    SortedMap<NodeName, RoleNode> nodes,
    SortedMap<DeploymentId, Deployment> deployments,
    SortedMap<SnapshotId, Snapshot> snapshots,
    Past past) {
  public RolesDocument(
      String domain,
      SortedMap<JigId, Boolean> jigs,
      SortedMap<RoleId, Role> roles,
      SortedMap<NodeName, RoleNode> nodes,
      SortedMap<DeploymentId, Deployment> deployments,
      SortedMap<SnapshotId, Snapshot> snapshots) {
    this(domain, jigs, roles, nodes, deployments, snapshots, Past.NONE);
  }

  public RolesDocument {
    jigs = Collections.unmodifiableSortedMap(new TreeMap<>(jigs));
    roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
    deployments = Collections.unmodifiableSortedMap(new TreeMap<>(deployments));
    snapshots = Collections.unmodifiableSortedMap(new TreeMap<>(snapshots));
  }

  /// See [Past#spent].
  public int spent() {
    return past.spent();
  }

  /// The same with another past.
  public RolesDocument withPast(Past now) {
    return new RolesDocument(domain, jigs, roles, nodes, deployments, snapshots, now);
  }

  /// A document with the deployment `system` and nothing else.
  public static RolesDocument empty(String domain) {
    return new RolesDocument(
        domain,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(Map.of(DeploymentId.SYSTEM, new Deployment(DeploymentId.SYSTEM, null))),
        new TreeMap<>());
  }

  /// A deployment's only snapshot in a state that there is one of, null if there is none.
  public @Nullable Snapshot snapshot(DeploymentId deployment, SnapshotState state) {
    return history(deployment).stream()
        .filter(it -> it.state() == state)
        .findFirst()
        .orElse(null);
  }

  /// A deployment's snapshots, oldest first.
  public List<Snapshot> history(DeploymentId deployment) {
    return List.copyOf(
        snapshots
            .subMap(
                new SnapshotId(deployment, 1), new SnapshotId(deployment, Integer.MAX_VALUE))
            .values());
  }

  /// A deployment and all above it, nearest first.
  public List<DeploymentId> lineage(DeploymentId deployment) {
    var lineage = new ArrayList<DeploymentId>();
    @Nullable DeploymentId at = deployment;
    while (at != null && !lineage.contains(at)) {
      lineage.add(at);
      var known = deployments.get(at);
      at = known == null ? null : known.parent();
    }
    return lineage;
  }
}
