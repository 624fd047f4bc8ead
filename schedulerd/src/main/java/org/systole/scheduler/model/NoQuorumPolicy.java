package org.systole.scheduler.model;

/// What a partition without quorum does.
public enum NoQuorumPolicy {
  FREEZE,
  STOP,
  IGNORE,
  FENCE,
  DEMOTE
}
