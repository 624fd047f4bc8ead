package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// One replica of a bundle: the container and what goes with it.
public final class Replica {
  public final int offset;
  public final Resource container;
  public @Nullable String ipAddress;

  /// The node that the container becomes, as the bundled resource's tables hold it.
  public @Nullable ScoredNode node;

  public @Nullable Resource ip;

  /// The instance of the bundled resource.
  public @Nullable Resource child;

  public @Nullable Resource remote;

  public Replica(int offset, Resource container) {
    this.offset = offset;
    this.container = container;
  }
}
