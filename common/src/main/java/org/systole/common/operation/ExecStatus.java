package org.systole.common.operation;

import org.jspecify.annotations.Nullable;

/// How it went with executing an action, as opposed to what the agent then said (its exit status).
/// The codes and texts are those of the CIB's `op-status` and of the commands' output.
public enum ExecStatus {
  UNKNOWN(-2, "Unknown"),
  PENDING(-1, "Pending"),
  /// The agent ran and its exit status is known, good or bad.
  DONE(0, "Done"),
  CANCELLED(1, "Cancelled"),
  TIMEOUT(2, "Timed out"),
  /// The agent has no such action.
  NOT_SUPPORTED(3, "Unsupported"),
  ERROR(4, "Error"),
  /// Not to be tried again on this node.
  ERROR_HARD(5, "Hard error"),
  /// Not to be tried again anywhere.
  ERROR_FATAL(6, "Fatal error"),
  NOT_INSTALLED(7, "Not installed"),
  NOT_CONNECTED(8, "Internal communication failure"),
  INVALID(9, "Cannot execute now"),
  NO_FENCE_DEVICE(10, "No fence device"),
  NO_SECRETS(11, "CIB secrets unavailable");

  private final int code;
  private final String text;

  ExecStatus(int code, String text) {
    this.code = code;
    this.text = text;
  }

  public int code() {
    return code;
  }

  public String text() {
    return text;
  }

  /// Whether that is the code of this one.
  public boolean is(int otherCode) {
    return code == otherCode;
  }

  /// What any code means, also one that is none of these.
  public static String text(int code) {
    var known = of(code);
    return known == null || known == UNKNOWN ? "Unrecognized status (bug?)" : known.text;
  }

  /// The status of that code, null if there is none.
  public static @Nullable ExecStatus of(int code) {
    for (var status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return null;
  }
}
