package org.systole.scheduler.model;

/// What must be given before an action may run.
public enum Requires {
  NOTHING,
  QUORUM,
  FENCING
}
