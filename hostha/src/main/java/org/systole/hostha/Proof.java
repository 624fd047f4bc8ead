package org.systole.hostha;

/// What is known after a fencing.
public enum Proof {
  /// The power was seen to be off.
  OFF,
  /// Nothing failed, but nothing was seen either.
  NONE,
  FAILED
}
