package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What a role is told of. It is told after the fact: the noderole is in its new state, and so are
/// its children.
///
/// Who answers must be quick (milliseconds) and idempotent: the same event may come again.
public enum RoleEvent {
  ON_PROPOSED("on_proposed", NodeRoleState.PROPOSED),
  ON_TODO("on_todo", NodeRoleState.TODO),
  ON_BLOCKED("on_blocked", NodeRoleState.BLOCKED),
  ON_TRANSITION("on_transition", NodeRoleState.TRANSITION),
  ON_ACTIVE("on_active", NodeRoleState.ACTIVE),
  ON_ERROR("on_error", NodeRoleState.ERROR),
  /// The node is there, with the noderoles it gets by default.
  ON_NODE_CREATE("on_node_create", null),
  /// The node is alive or not, available or not, or in another deployment.
  ON_NODE_CHANGE("on_node_change", null),
  /// The node will be gone in a moment.
  ON_NODE_DELETE("on_node_delete", null),
  ON_DEPLOYMENT_CREATE("on_deployment_create", null),
  ON_DEPLOYMENT_DELETE("on_deployment_delete", null),
  /// A snapshot was committed.
  ON_COMMIT("on_commit", null);

  private final String word;
  private final @Nullable NodeRoleState state;

  RoleEvent(String word, @Nullable NodeRoleState state) {
    this.word = word;
    this.state = state;
  }

  public String word() {
    return word;
  }

  public static @Nullable RoleEvent of(@Nullable String word) {
    for (var event : values()) {
      if (event.word.equals(word)) {
        return event;
      }
    }
    return null;
  }

  /// The event of having come into a state.
  public static RoleEvent of(NodeRoleState state) {
    for (var event : values()) {
      if (event.state == state) {
        return event;
      }
    }
    throw new IllegalStateException("no event of " + state);
  }
}
