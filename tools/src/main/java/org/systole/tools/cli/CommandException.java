package org.systole.tools.cli;

import org.systole.common.output.ExitStatus;

/// Ends a command with a status and a line for the user, which is shown behind the command's name.
public final class CommandException extends Exception {
  private static final long serialVersionUID = 1;

  private final ExitStatus status;

  public CommandException(ExitStatus status, String message) {
    super(message);
    this.status = status;
  }

  /// A command line that cannot be meant.
  public static CommandException usage(String message) {
    return new CommandException(ExitStatus.USAGE, message);
  }

  /// A daemon does not do it for this user.
  ///
  /// @param what what was not done
  /// @param why the daemon's words, which say who may
  public static CommandException denied(String what, String why) {
    return new CommandException(
        ExitStatus.INSUFFICIENT_PRIV, "%s: Permission denied (%s)".formatted(what, why));
  }

  public ExitStatus status() {
    return status;
  }
}
