package org.systole.scheduler.model;

/// Conditions of the cluster and switches of the run.
public enum ClusterFlag {
  QUORATE,
  SYMMETRIC,
  PROCESSING_ERROR,
  PROCESSING_WARNING,
  IN_MAINTENANCE,
  FENCING_ENABLED,
  /// A fence device is configured, or a watchdog stands in for one.
  HAVE_FENCING,
  ENABLE_UNFENCING,
  CONCURRENT_FENCING,
  STOP_REMOVED_RESOURCES,
  CANCEL_REMOVED_ACTIONS,
  STOP_ALL,
  START_FAILURE_FATAL,
  STARTUP_FENCING,
  SHUTDOWN_LOCK,
  PROBE_RESOURCES,
  HAVE_STATUS,
  HAVE_REMOTE_NODES,
  FENCE_REMOTE_NO_QUORUM,
  /// Stop after location constraints; the status section is not read.
  LOCATION_ONLY,
  SANITIZED,
  NO_COUNTS,
  OUTPUT_SCORES,
  /// Note the cause of every score in [WorkingSet#scoreCauses].
  EXPLAIN,
  SHOW_UTILIZATION,
  VALIDATE_ONLY
}
