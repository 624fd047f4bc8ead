package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// A group of nodes with a purpose and with defaults of its own. Deployments are a tree.
///
/// @param parent null for `system` only
public record Deployment(DeploymentId id, @Nullable DeploymentId parent) {}
