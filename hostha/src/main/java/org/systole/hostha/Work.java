package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// Work for a host that has begun.
final class Work {
  final long id;
  final WorkKind kind;
  final Host host;
  final long begunAt;

  /// The host's stay in the state it had then.
  final long stay;

  /// Who looks, for an activity check.
  final @Nullable NodeName neighbour;

  /// Whether a power operation is ordered, and no longer waits for its record.
  boolean ordered;

  Timers.@Nullable Timer deadline;

  Work(long id, WorkKind kind, Host host, long begunAt, @Nullable NodeName neighbour) {
    this.id = id;
    this.kind = kind;
    this.host = host;
    this.begunAt = begunAt;
    this.stay = host.stay;
    this.neighbour = neighbour;
  }
}
