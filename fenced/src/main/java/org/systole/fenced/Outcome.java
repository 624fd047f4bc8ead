package org.systole.fenced;

import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;

/// How an action of a fence device, or a whole fencing operation, ended.
///
/// @param rc the agent's exit status, 0 for success
/// @param reason what went wrong, may be empty
/// @param output what the agent wrote on standard output
record Outcome(int rc, ExecStatus status, String reason, String output) {
  static Outcome ok() {
    return new Outcome(0, ExecStatus.DONE, "", "");
  }

  static Outcome error(ExecStatus status, String reason) {
    return new Outcome(1, status, reason, "");
  }

  /// The agent was not run, because parameters that are kept out of the CIB could not be had.
  static Outcome withoutSecrets() {
    return error(ExecStatus.NO_SECRETS, "Failed to get CIB secrets");
  }

  boolean isSuccess() {
    return status == ExecStatus.DONE && OcfCode.OK.is(rc);
  }

  /// The same outcome, with more said in its reason.
  Outcome with(String more) {
    return new Outcome(rc, status, isSuccess() ? more : exitReason() + "; " + more, output);
  }

  /// For the history: empty, or what went wrong.
  String exitReason() {
    if (isSuccess() || !reason.isEmpty()) {
      return isSuccess() ? "" : reason;
    }
    return status == ExecStatus.DONE ? "Agent returned error code " + rc : status.text();
  }

  /// For a log: "succeeded", or what went wrong.
  String words() {
    if (isSuccess()) {
      return "succeeded";
    }
    var what = status == ExecStatus.DONE ? "the agent exited with " + rc : status.text();
    return "failed: " + what + (reason.isEmpty() ? "" : " (" + reason + ")");
  }
}
