package org.systole.scheduler.model;

/// How a resource found on more nodes than allowed is recovered.
public enum MultipleActive {
  STOP_START,
  STOP_ONLY,
  BLOCK,
  STOP_UNEXPECTED;

  /// The policy in words, for messages.
  public String text() {
    return switch (this) {
      case STOP_START -> "attempting recovery";
      case STOP_ONLY -> "shutting it down";
      case BLOCK -> "waiting for an administrator";
      case STOP_UNEXPECTED -> "stopping unexpected instances";
    };
  }
}
