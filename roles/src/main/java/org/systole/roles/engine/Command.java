package org.systole.roles.engine;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;

/// Something a person, or the cluster, wants changed. It is carried out whole or refused.
public sealed interface Command {
  record CreateNode(NodeName node, boolean admin) implements Command {}

  /// A cluster has a member that is no node yet. It becomes one whatever its discovery roles are: those
  /// that cannot be bound are told and left out.
  record TakeIn(NodeName node) implements Command {}

  record DeleteNode(NodeName node) implements Command {}

  /// The cluster sees a node running, or no more.
  record SetAlive(NodeName node, boolean alive) implements Command {}

  /// The administrator lets the annealer work on a node, or no more.
  record SetAvailable(NodeName node, boolean available) implements Command {}

  /// A node was started anew: its roles are gone through again.
  record Restarted(NodeName node) implements Command {}

  record MoveNode(NodeName node, DeploymentId deployment) implements Command {}

  record SetJig(JigId jig, boolean active) implements Command {}

  /// Defines a role, or defines it anew.
  record DefineRole(Role role) implements Command {}

  record RemoveRole(RoleId role) implements Command {}

  record CreateDeployment(DeploymentId deployment, DeploymentId parent) implements Command {}

  record DeleteDeployment(DeploymentId deployment) implements Command {}

  /// @param from the number of the snapshot to begin with; null for the committed one
  record Propose(DeploymentId deployment, @Nullable Integer from) implements Command {}

  record Bind(DeploymentId deployment, NodeRoleId noderole) implements Command {}

  record Unbind(DeploymentId deployment, NodeRoleId noderole) implements Command {}

  /// Sets what people want of a noderole in the proposed snapshot.
  record SetUser(DeploymentId deployment, NodeRoleId noderole, Json.Obj data) implements Command {}

  /// Sets the deployment's data for a role in the proposed snapshot: what is bound later begins with
  /// it.
  record SetDefaults(DeploymentId deployment, RoleId role, Json.Obj data) implements Command {}

  record Commit(DeploymentId deployment) implements Command {}

  record Archive(DeploymentId deployment, int number) implements Command {}

  /// @param again whether a destructive role may run another time
  record Retry(NodeRoleId noderole, boolean again) implements Command {}

  /// A person says that what is in error is done.
  record Accept(NodeRoleId noderole) implements Command {}
}
