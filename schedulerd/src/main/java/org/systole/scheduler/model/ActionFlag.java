package org.systole.scheduler.model;

/// Properties and conditions of an action.
public enum ActionFlag {
  /// Needs no agent.
  PSEUDO,
  RUNNABLE,
  OPTIONAL,
  /// Belongs into the transition graph even if optional.
  ALWAYS_IN_GRAPH,
  ATTRIBUTES_EVALUATED,
  MIGRATABLE,
  ADDED_TO_GRAPH,
  /// A stop that ends a dangling migration.
  MIGRATION_ABORT,
  /// A recurring monitor that must be scheduled again if active.
  RESCHEDULE,
  DETECT_LOOP,
  INPUTS_DEDUPLICATED,
  /// May be executed by the DC instead of its own node.
  ON_DC;

  /// This flag as a bit of [Action#flags].
  public final int bit = 1 << ordinal();
}
