package org.systole.scheduler.model;

/// Properties and conditions of a resource.
public enum ResourceFlag {
  /// Only in the operation history, no more in the configuration.
  @WrittenBy("unpack")
  REMOVED,
  @WrittenBy({"assignment", "constraints", "unpack"})
  MANAGED,
  @WrittenBy({"constraints", "unpack"})
  BLOCKED,
  /// Removed, and was launched by another resource.
  @WrittenBy("unpack")
  REMOVED_LAUNCHED,
  @WrittenBy("unpack")
  NOTIFY,
  /// Not an anonymous clone instance.
  @WrittenBy("unpack")
  UNIQUE,
  @WrittenBy("unpack")
  FENCE_DEVICE,
  @WrittenBy("unpack")
  PROMOTABLE,
  @WrittenBy({"assignment", "unpack"})
  UNASSIGNED,
  @WrittenBy("assignment")
  ASSIGNING,
  @WrittenBy("assignment")
  UPDATING_NODES,
  @WrittenBy("actions")
  RESTARTING,
  @WrittenBy({"operations", "unpack"})
  STOP_IF_FAILED,
  @WrittenBy({"actions", "orderings"})
  RELOAD,
  @WrittenBy("unpack")
  REMOTE_NESTING_ALLOWED,
  @WrittenBy("unpack")
  CRITICAL,
  @WrittenBy({"operations", "unpack"})
  FAILED,
  @WrittenBy("unpack")
  DETECT_LOOP,
  /// A connection to a remote or guest node.
  @WrittenBy("unpack")
  REMOTE_CONNECTION,
  @WrittenBy({"actions", "unpack"})
  START_PENDING,
  @WrittenBy({"constraints", "unpack"})
  EXCLUSIVE_PROBES,
  @WrittenBy("actions")
  STOP_UNEXPECTED,
  @WrittenBy("unpack")
  MIGRATABLE,
  /// A live migration from where it is active is under way there.
  @WrittenBy({"constraints", "unpack"})
  MIGRATING,
  /// It runs with other parameters than it is to have, and has to be restarted for that.
  @WrittenBy("actions")
  REDEFINED,
  @WrittenBy("unpack")
  IGNORE_FAILURE,
  @WrittenBy("unpack")
  REPLICA_CONTAINER,
  /// It, its node or the whole cluster is in maintenance mode.
  @WrittenBy("unpack")
  MAINTENANCE,
  @WrittenBy("unpack")
  NEEDS_QUORUM,
  @WrittenBy("unpack")
  NEEDS_FENCING,
  @WrittenBy("unpack")
  NEEDS_UNFENCING
}
