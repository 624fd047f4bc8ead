package org.systole.hostha;

/// What is known of a host's power.
public enum PowerState {
  ON,
  OFF,
  /// It was asked for, and cannot be told. Never the same as off.
  UNKNOWN
}
