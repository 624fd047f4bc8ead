package org.systole.scheduler.model;

/// Conditions of the cluster and switches of the run.
public enum ClusterFlag {
  @WrittenBy("unpack")
  QUORATE,
  @WrittenBy("unpack")
  SYMMETRIC,
  @WrittenBy("unpack")
  PROCESSING_ERROR,
  @WrittenBy("unpack")
  PROCESSING_WARNING,
  @WrittenBy("unpack")
  IN_MAINTENANCE,
  @WrittenBy("unpack")
  FENCING_ENABLED,
  /// A fence device is configured, or a watchdog stands in for one.
  @WrittenBy("unpack")
  HAVE_FENCING,
  @WrittenBy("unpack")
  ENABLE_UNFENCING,
  @WrittenBy("unpack")
  CONCURRENT_FENCING,
  @WrittenBy("unpack")
  STOP_REMOVED_RESOURCES,
  @WrittenBy("unpack")
  CANCEL_REMOVED_ACTIONS,
  @WrittenBy("unpack")
  STOP_ALL,
  @WrittenBy("unpack")
  START_FAILURE_FATAL,
  @WrittenBy("unpack")
  STARTUP_FENCING,
  @WrittenBy("unpack")
  SHUTDOWN_LOCK,
  @WrittenBy("unpack")
  PROBE_RESOURCES,
  @WrittenBy("unpack")
  HAVE_STATUS,
  @WrittenBy("unpack")
  HAVE_REMOTE_NODES,
  @WrittenBy("unpack")
  FENCE_REMOTE_NO_QUORUM,
  /// Stop after location constraints; the status section is not read.
  @WrittenBy("unpack")
  LOCATION_ONLY,
  @WrittenBy("unpack")
  SANITIZED,
  @WrittenBy("unpack")
  NO_COUNTS,
  @WrittenBy("unpack")
  OUTPUT_SCORES,
  /// Note the cause of every score in [WorkingSet#scoreCauses].
  @WrittenBy("unpack")
  EXPLAIN,
  @WrittenBy("unpack")
  SHOW_UTILIZATION,
  /// Entries of nodes may be pretended: those of remote nodes look like members' then.
  @WrittenBy("unpack")
  PRETENDED_NODES,
  @WrittenBy("unpack")
  VALIDATE_ONLY
}
