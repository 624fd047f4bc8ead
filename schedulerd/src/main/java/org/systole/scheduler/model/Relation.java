package org.systole.scheduler.model;

/// What an ordering "first, then then" means beyond the order itself: bits to combine.
public final class Relation {
  /// No relation: an ordering that was disabled.
  public static final int NONE = 0;

  public static final int ORDERED = 1;

  /// Applies only if 'first' cannot be part of a live migration.
  public static final int IF_FIRST_UNMIGRATABLE = 1 << 1;

  public static final int THEN_IMPLIES_FIRST = 1 << 2;
  public static final int FIRST_IMPLIES_THEN = 1 << 3;

  /// If 'then' is required and its resource was promoted, so is 'first'.
  public static final int PROMOTED_THEN_IMPLIES_FIRST = 1 << 4;

  /// 'first' is runnable only if 'then' is both runnable and migratable.
  public static final int UNMIGRATABLE_THEN_BLOCKS = 1 << 5;

  /// 'then' is runnable (and migratable) only if 'first' is runnable.
  public static final int UNRUNNABLE_FIRST_BLOCKS = 1 << 6;

  /// If 'first' is unrunnable, 'then' becomes a real action outside of a migration.
  public static final int FIRST_ELSE_THEN = 1 << 7;

  /// If 'first' is required, so is 'then' of the instance on the same node.
  public static final int FIRST_IMPLIES_SAME_NODE_THEN = 1 << 8;

  /// Probe of a connection that waits for the container's start, unless that is active.
  public static final int NESTED_REMOTE_PROBE = 1 << 9;

  /// 'first' is the down half of a restart whose up half is 'then'.
  public static final int INTERMEDIATE_STOP = 1 << 10;

  public static final int SERIALIZE = 1 << 11;
  public static final int IF_ON_SAME_NODE = 1 << 12;

  /// If 'then' is required, 'first' is shown in the graph.
  public static final int THEN_IMPLIES_FIRST_GRAPHED = 1 << 13;

  /// If 'first' is required and runnable, 'then' is shown in the graph.
  public static final int FIRST_IMPLIES_THEN_GRAPHED = 1 << 14;

  /// A user's ordering that does not hold for the way back.
  public static final int ASYMMETRIC = 1 << 15;

  /// On the same node, or the target of a migration.
  public static final int IF_ON_SAME_NODE_OR_TARGET = 1 << 16;

  /// 'then' is runnable once enough of its 'first' actions are.
  public static final int MIN_RUNNABLE = 1 << 17;

  /// Only if 'first' is required and on the node of 'then'.
  public static final int IF_REQUIRED_ON_SAME_NODE = 1 << 18;

  /// Holds even if 'first' runs on the guest that 'then' creates.
  public static final int GUEST_ALLOWED = 1 << 19;

  /// If 'then' becomes required, 'first' becomes optional.
  public static final int THEN_CANCELS_FIRST = 1 << 20;

  private Relation() {}

  public static boolean has(int relation, int bits) {
    return (relation & bits) != 0;
  }
}
