package org.systole.controld.remote;

import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// A connection that is being made.
final class Opening {
  final RemoteConnection.Asked asked;

  /// Until when it is tried, on the monotonic clock.
  final long deadline;

  /// Told instead of the cluster; null where the cluster has asked.
  final ConnectionMonitors.@Nullable Told told;

  World.@Nullable Timer retry;

  Opening(
      RemoteConnection.Asked asked, long deadline, ConnectionMonitors.@Nullable Told told) {
    this.asked = asked;
    this.deadline = deadline;
    this.told = told;
  }
}
