package org.systole.scheduler.model;

/// The answer to a failed action, from mild to severe; the order is used to compare them.
public enum OnFail {
  /// As if the failure had not happened.
  IGNORE("ignore"),
  DEMOTE("demote"),
  RESTART("restart"),
  /// Fence the remote node the resource connects, or restart where fencing is not to be had.
  RESET_REMOTE("reset-remote"),
  RESTART_CONTAINER("restart-container"),
  /// Keep the resource away from the node.
  BAN("ban"),
  /// Leave the resource as it is, as if unmanaged.
  BLOCK("block"),
  STOP("stop"),
  STANDBY("standby"),
  FENCE("fence");

  private final String text;

  OnFail(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }

  public boolean above(OnFail other) {
    return compareTo(other) > 0;
  }

  public boolean below(OnFail other) {
    return compareTo(other) < 0;
  }
}
