package org.systole.execd;

import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;

/// How one run of an operation ended.
///
/// @param reason the agent's exit reason or what went wrong, may be empty
/// @param output what the agent wrote: standard error if it wrote any, else standard output
record Outcome(OcfCode code, ExecStatus status, String reason, String output) {
  static Outcome cancelled() {
    return new Outcome(OcfCode.NONE, ExecStatus.CANCELLED, "", "");
  }

  static Outcome error(OcfCode code, ExecStatus status, String reason) {
    return new Outcome(code, status, reason, "");
  }

  /// The agent ran and exited with this code, without a reason.
  static Outcome done(OcfCode code) {
    return new Outcome(code, ExecStatus.DONE, "", "");
  }

  boolean isSuccess() {
    return status == ExecStatus.DONE && code == OcfCode.OK;
  }
}
