package org.systole.roles.model;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.values.NodeName;

/// A node as roles see it.
///
/// @param name a fully qualified name in the document's domain
/// @param admin whether it got the bootstrap roles when it was created, else the discovery ones
/// @param alive whether the cluster finds it running
/// @param available whether its administrator lets the annealer work on it
/// @param once what is known of destructive roles that ran on it; of others only that they ran on an earlier node of
///     its name
public record RoleNode(
    NodeName name,
    boolean admin,
    boolean alive,
    boolean available,
    DeploymentId deployment,
    SortedMap<RoleId, Once> once) {
  /// A destructive role that was begun on a node.
  ///
  /// @param done whether it is known to have succeeded
  public record Once(boolean done) {}

  public RoleNode {
    once = Collections.unmodifiableSortedMap(new TreeMap<>(once));
  }

  public RoleNode withAlive(boolean now) {
    return new RoleNode(name, admin, now, available, deployment, once);
  }

  public RoleNode withAvailable(boolean now) {
    return new RoleNode(name, admin, alive, now, deployment, once);
  }

  public RoleNode withDeployment(DeploymentId now) {
    return new RoleNode(name, admin, alive, available, now, once);
  }

  public RoleNode withOnce(SortedMap<RoleId, Once> now) {
    return new RoleNode(name, admin, alive, available, deployment, now);
  }
}
