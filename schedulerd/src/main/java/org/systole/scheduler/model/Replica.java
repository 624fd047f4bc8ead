package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// One replica of a bundle: the container and what goes with it.
public final class Replica {
  private final int offset;
  private final Resource container;
  private @Nullable String ipAddress;

  private @Nullable ScoredNode node;

  private @Nullable Resource ip;

  private @Nullable Resource child;

  private @Nullable Resource remote;

  public Replica(int offset, Resource container) {
    this.offset = offset;
    this.container = container;
  }

  public int offset() {
    return offset;
  }

  public Resource container() {
    return container;
  }

  public @Nullable String ipAddress() {
    return ipAddress;
  }

  @WrittenBy("unpack")
  public void setIpAddress(@Nullable String ipAddress) {
    this.ipAddress = ipAddress;
  }

  /// The node that the container becomes, as the bundled resource's tables hold it.
  public @Nullable ScoredNode node() {
    return node;
  }

  @WrittenBy("unpack")
  public void setNode(@Nullable ScoredNode node) {
    this.node = node;
  }

  public @Nullable Resource ip() {
    return ip;
  }

  @WrittenBy("unpack")
  public void setIp(@Nullable Resource ip) {
    this.ip = ip;
  }

  /// The instance of the bundled resource.
  public @Nullable Resource child() {
    return child;
  }

  @WrittenBy("unpack")
  public void setChild(@Nullable Resource child) {
    this.child = child;
  }

  public @Nullable Resource remote() {
    return remote;
  }

  @WrittenBy("unpack")
  public void setRemote(@Nullable Resource remote) {
    this.remote = remote;
  }
}
