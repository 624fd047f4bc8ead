package org.systole.scheduler.model;

/// What an ordering "first, then then" can mean beyond the order itself. One alone is a set of one.
public enum Relation implements Relations {
  ORDERED,

  /// Applies only if 'first' cannot be part of a live migration.
  IF_FIRST_UNMIGRATABLE,

  THEN_IMPLIES_FIRST,
  FIRST_IMPLIES_THEN,

  /// If 'then' is required and its resource was promoted, so is 'first'.
  PROMOTED_THEN_IMPLIES_FIRST,

  /// 'first' is runnable only if 'then' is both runnable and migratable.
  UNMIGRATABLE_THEN_BLOCKS,

  /// 'then' is runnable (and migratable) only if 'first' is runnable.
  UNRUNNABLE_FIRST_BLOCKS,

  /// If 'first' is unrunnable, 'then' becomes a real action outside of a migration.
  FIRST_ELSE_THEN,

  /// If 'first' is required, so is 'then' of the instance on the same node.
  FIRST_IMPLIES_SAME_NODE_THEN,

  /// Probe of a connection that waits for the container's start, unless that is active.
  NESTED_REMOTE_PROBE,

  /// 'first' is the down half of a restart whose up half is 'then'.
  INTERMEDIATE_STOP,

  SERIALIZE,
  IF_ON_SAME_NODE,

  /// If 'then' is required, 'first' is shown in the graph.
  THEN_IMPLIES_FIRST_GRAPHED,

  /// If 'first' is required and runnable, 'then' is shown in the graph.
  FIRST_IMPLIES_THEN_GRAPHED,

  /// A user's ordering that does not hold for the way back.
  ASYMMETRIC,

  /// On the same node, or the target of a migration.
  IF_ON_SAME_NODE_OR_TARGET,

  /// 'then' is runnable once enough of its 'first' actions are.
  MIN_RUNNABLE,

  /// Only if 'first' is required and on the node of 'then'.
  IF_REQUIRED_ON_SAME_NODE,

  /// Holds even if 'first' runs on the guest that 'then' creates.
  GUEST_ALLOWED,

  /// If 'then' becomes required, 'first' becomes optional.
  THEN_CANCELS_FIRST;

  @Override
  public int bits() {
    return 1 << ordinal();
  }
}
