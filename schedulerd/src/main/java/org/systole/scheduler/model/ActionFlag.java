package org.systole.scheduler.model;

/// Properties and conditions of an action.
public enum ActionFlag {
  /// Needs no agent.
  @WrittenBy({"actions", "operations", "orderings"})
  PSEUDO(1 << 0),
  @WrittenBy({"actions", "assignment", "operations", "orderings"})
  RUNNABLE(1 << 1),
  @WrittenBy({"actions", "assignment", "operations", "orderings", "unpack"})
  OPTIONAL(1 << 2),
  /// Belongs into the transition graph even if optional.
  @WrittenBy({"actions", "graph", "orderings"})
  ALWAYS_IN_GRAPH(1 << 3),
  @WrittenBy("operations")
  ATTRIBUTES_EVALUATED(1 << 4),
  @WrittenBy({"actions", "orderings"})
  MIGRATABLE(1 << 5),
  @WrittenBy({"graph", "sim"})
  ADDED_TO_GRAPH(1 << 6),
  /// A stop that ends a dangling migration.
  @WrittenBy("actions")
  MIGRATION_ABORT(1 << 7),
  /// A recurring monitor that must be scheduled again if active.
  @WrittenBy("actions")
  RESCHEDULE(1 << 8),
  @WrittenBy("orderings")
  DETECT_LOOP(1 << 9),
  @WrittenBy("graph")
  INPUTS_DEDUPLICATED(1 << 10),
  /// May be executed by the DC instead of its own node.
  @WrittenBy("operations")
  ON_DC(1 << 11);

  /// What stands for it in a set.
  final int bit;

  ActionFlag(int bit) {
    this.bit = bit;
  }
}
