package org.systole.scheduler.status;

/// How a status display goes about its parts.
public enum Show {
  /// Resources counted by type instead of listed.
  BRIEF,
  /// Every instance of a clone.
  CLONE_DETAIL,
  /// Ids of nodes beside their names, and the hosts of guests.
  NODE_ID,
  /// What a bundle implies: containers, addresses, connections.
  IMPLICIT,
  /// How long operations took.
  TIMING,
  /// What is not active, too.
  INACTIVE,
  /// Resources below the nodes they run on.
  BY_NODE,
  /// Actions under way.
  PENDING,
  /// Resources without the nodes they run on.
  RESOURCE_ONLY,
  /// Failed actions as a program would report them.
  FAILED_DETAIL,
  FEATURE_SET,
  DESCRIPTION
}
