package org.systole.cts.sim;

/// What is watched over; each failure names the check that found it.
public enum SimCheck {
  /// A daemon died of a mistake of its own.
  CRASH("crash"),
  /// A resource outside clones, or a promoted instance, is active on two machines.
  TWO_ACTIVE("two-active"),
  /// A node was counted as fenced by its watchdog while resources were active there.
  COUNTED_ALIVE("counted-alive"),
  /// A node's cluster software has ended for good though nobody asked for it and it has its power.
  ENDED("ended"),
  /// Nodes that hear each other keep following two DCs.
  TWO_DCS("two-dcs"),
  /// Two memberships that exclude each other have quorum.
  TWO_QUORUMS("two-quorums"),
  /// Members changed though each two of them had a link.
  LINK_MISSED("link-missed"),
  /// Two nodes heard the same messages in different sequences.
  ORDER("order"),
  /// An acknowledged change of the configuration is gone.
  LOST_CHANGE("lost-change"),
  /// A change that was asked for after another one was acknowledged has an earlier version.
  WENT_BACK("went-back"),
  /// A change that a node has acknowledged is not found by who reads there afterwards.
  STALE_READ("stale-read"),
  /// A client's later change was made before its earlier one.
  OUT_OF_ORDER("out-of-order"),
  /// A failure was counted more often than it happened.
  COUNTED_TWICE("counted-twice"),
  /// A daemon that is there leaves a client without an answer.
  UNANSWERED("unanswered"),
  /// The DC waits until its time is over for what nobody tells the end of.
  IN_VAIN("waits-in-vain"),
  /// Members of the cluster's group have more programs run as root than they may.
  CROWDED("crowded"),
  /// The nodes end with different CIBs, in memory or on disk.
  CIBS_DIFFER("cibs-differ"),
  /// A `cib.xml` that somebody has changed by hand was replaced, and is kept nowhere.
  FILE_LOST("file-lost"),
  /// A node carries out two roles at one time.
  TWO_JIGS("two-jigs"),
  /// A role was begun though a condition for that did not hold, such as one it rests on.
  ROLE_TOO_EARLY("role-too-early"),
  /// A run was begun when nobody wanted it any more, or on a node in maintenance.
  RAN_LATE("ran-late"),
  /// A run is under way of a role that there is not.
  ENDLESS_RUN("endless-run"),
  /// A jig is given other data than the document says.
  GIVEN("wrong-data"),
  /// A role is not looked at again as often as it says.
  OVERDUE("overdue"),
  /// A run of a role was begun twice, or a destructive role ran again.
  RAN_AGAIN("ran-again"),
  /// A role is in error without a cause.
  NO_CAUSE("no-cause"),
  /// A log or a document has a secret of a role.
  SECRET_TOLD("secret-told"),
  /// The nodes end with different roles, or attributes tell other states than they have.
  ROLES_DIFFER("roles-differ"),
  /// A resource was started on a node whose gate is shut.
  PAST_THE_GATE("past-the-gate"),
  /// Nobody can fence a node, as a shut gate has taken the devices away.
  NO_DEVICE("no-device"),
  /// A resource was started on a node that has been in standby for a while.
  IN_STANDBY("in-standby"),
  /// The cluster does not come to rest after the faults.
  NOT_AT_REST("not-at-rest"),
  /// At rest, the CIB says of an operation that it is under way.
  STILL_BEGUN("still-begun"),
  /// At rest, a new plan has a monitor begun that runs already, and the next one would again.
  PLANNED_AGAIN("planned-again"),
  /// A remote node that is taken out in good order is fenced, or something of it is left.
  REMOVED("removed-host"),
  /// A remote node is fenced for its connection, though it is well and a member connected to it.
  WELL_HOST("well-host"),
  /// Members with the votes for quorum, which they are about to have, stop for want of it what runs there.
  NEEDLESS_STOP("needless-stop"),
  /// Something is done for what a cluster has to bear (lives about `calm` only).
  DISTURBED("disturbed"),
  /// At rest, a resource is not where the configuration wants it.
  MISPLACED("misplaced"),
  /// A host was given up by host HA though enough looks had shown that it works.
  HOST_ALIVE("host-alive"),
  /// A host that was well had its power cut.
  HOST_WELL("host-well"),
  /// Host HA holds a host for fenced whose power was not cut.
  HOST_UNPROVED("host-unproved"),
  /// Host HA has had a host's power cycled more often than it may.
  HOST_TWICE("host-twice"),
  /// Host HA does more at a time than it may, or recovers though too many hosts are sick.
  HOST_LIMITS("host-limits"),
  /// The cluster has a host fenced that host HA looks after.
  HOST_LEFT("host-left"),
  /// Host HA does not hold a host for what it is.
  HOST_STATE("host-state"),
  /// A node that was asked to leave, with nothing to keep it, has not.
  LEAVES_LATE("leaves-late");

  private final String word;

  SimCheck(String word) {
    this.word = word;
  }

  @Override
  public String toString() {
    return word;
  }
}
