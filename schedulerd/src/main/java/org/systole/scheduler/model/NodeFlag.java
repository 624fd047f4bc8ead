package org.systole.scheduler.model;

/// Conditions of a node beyond its plain state.
public enum NodeFlag {
  @WrittenBy("unpack")
  STANDBY,
  /// In standby because an action with `on-fail=standby` failed there.
  @WrittenBy("unpack")
  FAIL_STANDBY,
  /// Has a node state in the CIB, so has been in the cluster at some time.
  @WrittenBy("unpack")
  SEEN,
  @WrittenBy("unpack")
  EXPECTED_UP,
  @WrittenBy("unpack")
  PROBES_ALLOWED,
  /// Does not know what it was doing before: it is probed even where `enable-startup-probes` is
  /// off.
  @WrittenBy("unpack")
  HISTORY_LOST,
  /// A guest whose resource must be recovered, or a remote node that must be fenced.
  @WrittenBy({"operations", "unpack"})
  REMOTE_RESET,
  /// A remote node that was fenced since the cluster was last connected to it.
  @WrittenBy("unpack")
  REMOTE_FENCED,
  /// A remote node whose connection was closed by the member that had it.
  @WrittenBy("unpack")
  REMOTE_LEFT,
  /// A remote node to which no connection is to be made, and whose member is asked whether it has one: its history was cleaned up.
  @WrittenBy("assignment")
  CONNECTION_SOUGHT,
  /// A remote node whose node state says that it is in maintenance mode.
  @WrittenBy("unpack")
  REMOTE_MAINTENANCE,
  /// A host that host HA looks into: nothing on it is changed, nothing there is recovered, and it is not
  /// fenced. Or a guest on such a host, or whose machine may be where nobody can look.
  @WrittenBy("unpack")
  HOST_FROZEN,
  /// A remote node, or guest, that may run what nobody knows of, and where nobody can look now.
  @WrittenBy("unpack")
  UNSEEN,
  /// A host that host HA has fenced.
  @WrittenBy("unpack")
  HOST_DOWN,

  /// A host that was fenced and that host HA has let go since (a person has cleared it, or host HA was switched off), while its
  /// connection is lost and still being made anew: nothing runs there, and nothing can yet.
  @WrittenBy("unpack")
  HOST_AWAY,
  /// A host that no member is connected to, and of which the cluster was told so: its connection was stopped.
  @WrittenBy("unpack")
  HOST_LET_GO,
  /// Its operation history has been read.
  @WrittenBy("unpack")
  UNPACKED
}
