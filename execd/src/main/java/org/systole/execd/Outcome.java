package org.systole.execd;

import org.systole.common.values.ExecStatus;

/// How one run of an operation ended.
///
/// @param rc the OCF exit code
/// @param reason the agent's own words or what went wrong, may be empty
/// @param output what the agent wrote: standard error if it wrote any, else standard output
record Outcome(int rc, ExecStatus status, String reason, String output) {
  static final int OK = 0;
  static final int UNKNOWN_ERROR = 1;
  static final int INVALID_PARAM = 2;
  static final int UNIMPLEMENTED = 3;
  static final int INSUFFICIENT_PRIVILEGES = 4;
  static final int NOT_INSTALLED = 5;
  static final int NOT_RUNNING = 7;
  static final int FAILED_PROMOTED = 9;
  static final int DEGRADED = 190;
  static final int DEGRADED_PROMOTED = 191;

  /// Stands for an exit code where there is none.
  static final int NONE = 193;

  static Outcome cancelled() {
    return new Outcome(NONE, ExecStatus.CANCELLED, "", "");
  }

  static Outcome error(int rc, ExecStatus status, String reason) {
    return new Outcome(rc, status, reason, "");
  }

  boolean isSuccess() {
    return status == ExecStatus.DONE && rc == OK;
  }
}
