package org.systole.common.operation;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;

/// What a resource agent exits with, by the OCF standard; and the two codes with which the cluster
/// fills the place of one.
///
/// Where a code comes from outside, from the CIB or from a user, it is a plain number: it may be
/// none of these.
public enum OcfCode {
  OK(ExitStatus.OK),
  UNKNOWN_ERROR(ExitStatus.ERROR),
  INVALID_PARAMETER(ExitStatus.INVALID_PARAM),
  UNIMPLEMENTED(ExitStatus.UNIMPLEMENT_FEATURE),
  INSUFFICIENT_PRIVILEGES(ExitStatus.INSUFFICIENT_PRIV),
  NOT_INSTALLED(ExitStatus.NOT_INSTALLED),
  NOT_CONFIGURED(ExitStatus.NOT_CONFIGURED),
  /// Stopped as it should be.
  NOT_RUNNING(ExitStatus.NOT_RUNNING),
  RUNNING_PROMOTED(ExitStatus.PROMOTED),
  FAILED_PROMOTED(ExitStatus.FAILED_PROMOTED),
  /// It works, but may fail soon.
  DEGRADED(ExitStatus.DEGRADED),
  DEGRADED_PROMOTED(ExitStatus.DEGRADED_PROMOTED),
  /// Stands for a code where there is none: not yet, or not any more.
  NONE(ExitStatus.NONE);

  /// The highest exit status there can be.
  public static final int MAX = 255;

  private final ExitStatus status;

  OcfCode(ExitStatus status) {
    this.status = status;
  }

  /// The code of that number, null if the number has no meaning here.
  public static @Nullable OcfCode of(int number) {
    for (var code : values()) {
      if (code.number() == number) {
        return code;
      }
    }
    return null;
  }

  /// What an agent's exit status means: one outside the standard is an unknown error.
  public static OcfCode ofAgent(int exitStatus) {
    var code = of(exitStatus);
    return code == null || code == NONE ? UNKNOWN_ERROR : code;
  }

  public int number() {
    return status.code();
  }

  /// Whether that is the number of this one.
  public boolean is(int number) {
    return status.code() == number;
  }

  /// What it means, one line without a full stop.
  public String text() {
    return status.text();
  }

  /// Whether it tells that the resource works, in whatever role.
  public boolean isActive() {
    return switch (this) {
      case OK, RUNNING_PROMOTED, DEGRADED, DEGRADED_PROMOTED -> true;
      case UNKNOWN_ERROR,
          INVALID_PARAMETER,
          UNIMPLEMENTED,
          INSUFFICIENT_PRIVILEGES,
          NOT_INSTALLED,
          NOT_CONFIGURED,
          NOT_RUNNING,
          FAILED_PROMOTED,
          NONE ->
          false;
    };
  }

  /// Whether it tells in which state the resource was found other than merely running: as an end of
  /// an execution that had an error it counts all the same.
  public boolean tellsState() {
    return this == NOT_RUNNING || (isActive() && this != OK);
  }

  /// A number with degraded taken for healthy: a service that works with a handicap works.
  public static int undegraded(int number) {
    if (DEGRADED.is(number)) {
      return OK.number();
    }
    return DEGRADED_PROMOTED.is(number) ? RUNNING_PROMOTED.number() : number;
  }
}
