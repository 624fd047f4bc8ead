package org.systole.common.output;

/// Texts for the status of an executed action, as recorded in the operation history.
public final class ExecStatus {
  private ExecStatus() {}

  public static String text(int status) {
    return switch (status) {
      case -1 -> "Pending";
      case 0 -> "Done";
      case 1 -> "Cancelled";
      case 2 -> "Timed out";
      case 3 -> "Unsupported";
      case 4 -> "Error";
      case 5 -> "Hard error";
      case 6 -> "Fatal error";
      case 7 -> "Not installed";
      case 8 -> "Internal communication failure";
      case 9 -> "Cannot execute now";
      case 10 -> "No fence device";
      case 11 -> "CIB secrets unavailable";
      default -> "Unrecognized status (bug?)";
    };
  }
}
