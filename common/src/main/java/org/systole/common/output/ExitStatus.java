package org.systole.common.output;

import org.jspecify.annotations.Nullable;

/// What commands exit with, and what `crm_error -X` says of it.
public enum ExitStatus {
  OK(0, "OK"),
  ERROR(1, "Error occurred"),
  INVALID_PARAM(2, "Invalid parameter"),
  UNIMPLEMENT_FEATURE(3, "Unimplemented"),
  INSUFFICIENT_PRIV(4, "Insufficient privileges"),
  NOT_INSTALLED(5, "Not installed"),
  NOT_CONFIGURED(6, "Not configured"),
  NOT_RUNNING(7, "Not running"),
  PROMOTED(8, "Promoted"),
  FAILED_PROMOTED(9, "Failed in promoted role"),
  USAGE(64, "Incorrect usage"),
  DATAERR(65, "Invalid data given"),
  NOINPUT(66, "Input file not available"),
  NOUSER(67, "User does not exist"),
  NOHOST(68, "Host does not exist"),
  UNAVAILABLE(69, "Necessary service unavailable"),
  SOFTWARE(70, "Internal software bug"),
  OSERR(71, "Operating system error occurred"),
  OSFILE(72, "System file not available"),
  CANTCREAT(73, "Cannot create output file"),
  IOERR(74, "I/O error occurred"),
  TEMPFAIL(75, "Temporary failure, try again"),
  PROTOCOL(76, "Protocol violated"),
  NOPERM(77, "Insufficient privileges"),
  CONFIG(78, "Invalid configuration"),
  FATAL(100, "Fatal error occurred, will not respawn"),
  PANIC(101, "System panic required"),
  DISCONNECT(102, "Not connected"),
  OLD(103, "Update was older than existing configuration"),
  DIGEST(104, "Digest mismatch"),
  NOSUCH(105, "No such object"),
  QUORUM(106, "Quorum required"),
  UNSAFE(107, "Operation not safe"),
  EXISTS(108, "Requested item already exists"),
  MULTIPLE(109, "Multiple items match request"),
  EXPIRED(110, "Requested item has expired"),
  NOT_YET_IN_EFFECT(111, "Requested item is not yet in effect"),
  INDETERMINATE(112, "Could not determine status"),
  UNSATISFIED(113, "Not applicable under current conditions"),
  NO_DC(114, "DC is not yet elected"),
  TIMEOUT(124, "Timeout occurred"),
  DEGRADED(190, "Service is active but might fail soon"),
  DEGRADED_PROMOTED(191, "Service is promoted but might fail soon"),
  NONE(193, "No exit status available");

  private final int code;
  private final String text;

  ExitStatus(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /// The status of that number, null if it stands for nothing.
  public static @Nullable ExitStatus of(int code) {
    for (var status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    return null;
  }

  /// What any number means, also one that is none of these.
  public static String text(int code) {
    var known = of(code);
    if (known != null) {
      return known.text;
    }
    if (code == 255) {
      return "Error occurred";
    }
    return code > 128 && code < 255 ? "Interrupted by signal" : "Unknown exit status";
  }

  public int code() {
    return code;
  }

  /// The name as `crm_error -X -n` prints it.
  public String constant() {
    return "CRM_EX_" + name();
  }

  /// What it means, one line without a full stop.
  public String text() {
    return text;
  }
}
