package org.systole.scheduler.model;

/// Properties and conditions of an action.
public enum ActionFlag {
  /// Needs no agent.
  PSEUDO(1 << 0),
  RUNNABLE(1 << 1),
  OPTIONAL(1 << 2),
  /// Belongs into the transition graph even if optional.
  ALWAYS_IN_GRAPH(1 << 3),
  ATTRIBUTES_EVALUATED(1 << 4),
  MIGRATABLE(1 << 5),
  ADDED_TO_GRAPH(1 << 6),
  /// A stop that ends a dangling migration.
  MIGRATION_ABORT(1 << 7),
  /// A recurring monitor that must be scheduled again if active.
  RESCHEDULE(1 << 8),
  DETECT_LOOP(1 << 9),
  INPUTS_DEDUPLICATED(1 << 10),
  /// May be executed by the DC instead of its own node.
  ON_DC(1 << 11);

  /// What stands for it in a set.
  final int bit;

  ActionFlag(int bit) {
    this.bit = bit;
  }
}
