package org.systole.roles.engine;

import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.RoleEvent;

/// What a role does about an event, as code.
///
/// It is called on the loop, after the noderole and its children are in their new states. It must
/// answer within milliseconds, do nothing but think, and be idempotent: for the same event it may
/// be called again.
@FunctionalInterface
public interface RoleHook {
  /// @return what is laid over the system's data of the noderole; empty for nothing
  Json.Obj on(RoleEvent event, NodeRole noderole);
}
