package org.systole.scheduler.model;

/// Conditions of a node beyond its plain state.
public enum NodeFlag {
  STANDBY,
  /// In standby because an action with `on-fail=standby` failed there.
  FAIL_STANDBY,
  /// Has a node state in the CIB, so has been in the cluster at some time.
  SEEN,
  EXPECTED_UP,
  PROBES_ALLOWED,
  /// Does not know what it was doing before: it is probed even where `enable-startup-probes` is
  /// off.
  HISTORY_LOST,
  /// A guest whose resource must be recovered, or a remote node that must be fenced.
  REMOTE_RESET,
  /// A remote node that was fenced since the cluster was last connected to it.
  REMOTE_FENCED,
  /// A remote node whose node state says that it is in maintenance mode.
  REMOTE_MAINTENANCE,
  /// Its operation history has been read.
  UNPACKED
}
