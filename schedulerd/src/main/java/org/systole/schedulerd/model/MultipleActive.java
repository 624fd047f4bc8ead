package org.systole.schedulerd.model;

/// How a resource found on more nodes than allowed is recovered.
public enum MultipleActive {
  STOP_START,
  STOP_ONLY,
  BLOCK,
  STOP_UNEXPECTED;

  /// The policy in words, for messages.
  public String text() {
    return switch (this) {
      case STOP_START -> "recovering";
      case STOP_ONLY -> "will not be restarted";
      case BLOCK -> "will not be touched";
      case STOP_UNEXPECTED -> "will stop unexpected instances";
    };
  }
}
