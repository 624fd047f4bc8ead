package org.systole.schedulerd.model;

/// What a partition without quorum does.
public enum NoQuorumPolicy {
  FREEZE,
  STOP,
  IGNORE,
  FENCE,
  DEMOTE
}
