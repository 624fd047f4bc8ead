package org.systole.roles.model;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// A role on a node. No two live noderoles have the same id, whatever their deployments. Sorted by
/// node, then role. Its text is `ROLE@NODE`.
public record NodeRoleId(RoleId role, NodeName node) implements Comparable<NodeRoleId> {
  /// The id that a text is, null if it can be none.
  public static @Nullable NodeRoleId of(@Nullable String text) {
    var at = text == null ? -1 : text.indexOf('@');
    if (text == null || at < 0) {
      return null;
    }
    var role = RoleId.of(text.substring(0, at));
    var node = NodeName.of(text.substring(at + 1));
    return role == null || node == null ? null : new NodeRoleId(role, node);
  }

  @Override
  public int compareTo(NodeRoleId other) {
    var byNode = node.compareTo(other.node);
    return byNode != 0 ? byNode : role.compareTo(other.role);
  }

  @Override
  public String toString() {
    return role + "@" + node;
  }
}
