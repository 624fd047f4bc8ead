package org.systole.scheduler.model;

/// Properties and conditions of a resource.
public enum ResourceFlag {
  /// Only in the operation history, no more in the configuration.
  REMOVED,
  MANAGED,
  BLOCKED,
  /// Removed, and was launched by another resource.
  REMOVED_LAUNCHED,
  NOTIFY,
  /// Not an anonymous clone instance.
  UNIQUE,
  FENCE_DEVICE,
  PROMOTABLE,
  UNASSIGNED,
  ASSIGNING,
  UPDATING_NODES,
  RESTARTING,
  STOP_IF_FAILED,
  RELOAD,
  REMOTE_NESTING_ALLOWED,
  CRITICAL,
  FAILED,
  DETECT_LOOP,
  /// A connection to a remote or guest node.
  REMOTE_CONNECTION,
  START_PENDING,
  EXCLUSIVE_PROBES,
  STOP_UNEXPECTED,
  MIGRATABLE,
  IGNORE_FAILURE,
  REPLICA_CONTAINER,
  /// It, its node or the whole cluster is in maintenance mode.
  MAINTENANCE,
  NEEDS_QUORUM,
  NEEDS_FENCING,
  NEEDS_UNFENCING
}
