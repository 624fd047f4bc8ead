package org.systole.roles.engine;

/// What can happen to a noderole.
enum Input {
  /// Its snapshot was committed, and all it rests on is active.
  COMMITTED_READY,
  /// Its snapshot was committed, and something it rests on is not active.
  COMMITTED_BLOCKED,
  /// Its snapshot was committed, and nothing about it is other than in the one before, where it was
  /// active.
  KEPT,
  /// The same, and its jig was running.
  KEPT_RUNNING,
  /// The last of what it rests on became active.
  PARENTS_READY,
  /// Something it rests on failed, or is done anew on its own node.
  PARENT_DOWN,
  /// Something it rests on is done anew on another node.
  PARENT_REDONE,
  /// The annealer runs its jig.
  STARTED,
  /// The jig succeeded.
  DONE_READY,
  /// The jig succeeded, but something it rests on is not active any more.
  DONE_BLOCKED,
  /// The jig failed.
  FAILED,
  /// Nobody knows what became of the jig's run, and it may run again.
  LOST_READY,
  /// The same, and something it rests on is not active any more.
  LOST_BLOCKED,
  /// Nobody knows what became of the jig's run, and it may not run again by itself.
  LOST_ONCE,
  /// It is to be done anew: its node was started anew, or a person wants it.
  REDO_READY,
  /// The same, and something it rests on is not active.
  REDO_BLOCKED,
  /// A person says that it is done.
  ACCEPTED,
  /// It was looked at again, and is not fit any more.
  CHECK_FAILED
}
