package org.systole.tools.fencing;

import java.util.Locale;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.Rc;

/// What the results of fencing mean as return codes.
final class FenceCodes {
  private FenceCodes() {}

  /// The return code of Pacemaker's API that stands for a result.
  static Rc of(int status, ExecStatus executed, String words) {
    return switch (executed) {
      case DONE -> status == 0 ? Rc.OK : ofWords(words);
      case PENDING -> Rc.EINPROGRESS;
      case CANCELLED -> Rc.ECANCELED;
      case TIMEOUT -> Rc.ETIME;
      case NOT_INSTALLED -> Rc.ENOENT;
      case NOT_SUPPORTED -> Rc.EOPNOTSUPP;
      case NOT_CONNECTED -> Rc.ENOTCONN;
      case NO_FENCE_DEVICE -> Rc.ENODEV;
      case NO_SECRETS -> Rc.EACCES;
      case INVALID -> Rc.EINVAL;
      case UNKNOWN, ERROR, ERROR_HARD, ERROR_FATAL -> ofWords(words);
    };
  }

  static Rc ofWords(String words) {
    if (words.isEmpty()) {
      return Rc.ENODATA;
    }
    var lower = words.toLowerCase(Locale.ROOT);
    if (lower.contains("timed out") || lower.contains("timeout")) {
      return Rc.ETIME;
    }
    return lower.contains("unsupported action") || lower.contains("unrecognized action")
        ? Rc.EOPNOTSUPP
        : Rc.ERROR;
  }
}
