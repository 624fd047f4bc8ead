package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// A score that moved a placement, and why.
///
/// @param resource the resource whose score for a node was changed
/// @param score what was added; minus infinity for a ban
/// @param source the id of the constraint or rule, or the name of what else it is; may be empty
/// @param other the resource on the other side, of a colocation or the like
/// @param promotion whether it counts for promotion rather than for the place
public record ScoreCause(
    Resource resource,
    Node node,
    int score,
    Kind kind,
    String source,
    @Nullable Resource other,
    boolean promotion) {
  /// What a score can come from.
  public enum Kind {
    LOCATION("location"),
    HEALTH("health"),
    COLOCATION("colocation"),
    STICKINESS("stickiness"),
    FAILURES("failures"),
    MULTIPLE_ACTIVE("multiple-active"),
    DISCOVERY("resource-discovery"),
    SHUTDOWN_LOCK("shutdown-lock"),
    TICKET("ticket"),
    UTILIZATION("utilization"),
    /// No instance may be there: the node cannot run any, is banned, or has enough of them.
    INSTANCE("instance"),
    PROMOTION("promotion-score"),
    TARGET_ROLE("target-role"),
    /// It is not managed, and stays where it is.
    UNMANAGED("unmanaged"),
    /// It is no more in the configuration.
    REMOVED("removed"),
    CONTAINER("container"),
    REMOTE("remote-node"),
    /// The node's own score, on which every other one is built.
    NODE("node-score");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /// The name as it is shown.
    public String text() {
      return text;
    }
  }
}
