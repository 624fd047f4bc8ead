package org.systole.scheduler.status;

/// The parts a status display can have.
public enum Parts {
  STACK,
  DC,
  TIMES,
  COUNTS,
  OPTIONS,
  NODES,
  RESOURCES,
  ATTRIBUTES,
  FAILCOUNTS,
  OPERATIONS,
  FENCING_FAILED,
  FENCING_PENDING,
  FENCING_SUCCEEDED,
  TICKETS,
  BANS,
  FAILURES,
  MAINTENANCE,
  HOSTS,
  ROLES
}
