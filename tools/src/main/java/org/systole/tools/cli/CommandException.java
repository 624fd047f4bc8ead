package org.systole.tools.cli;

import org.systole.common.output.ExitStatus;

/// Ends a command with a status and a line for the user, which is shown behind the command's name.
public final class CommandException extends Exception {
  private static final long serialVersionUID = 1;

  private final ExitStatus status;
  private final boolean reasoned;

  public CommandException(ExitStatus status, String message) {
    this(status, message, false);
  }

  private CommandException(ExitStatus status, String message, boolean reasoned) {
    super(message);
    this.status = status;
    this.reasoned = reasoned;
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
    return refused("%s: Permission denied (%s)".formatted(what, why));
  }

  /// Insufficient privileges, for a reason that has nothing to do with access control lists.
  ///
  /// @param why all there is to say, empty if it has been said
  public static CommandException refused(String why) {
    return new CommandException(ExitStatus.INSUFFICIENT_PRIV, why, true);
  }

  /// The same in other words.
  public CommandException saying(String message) {
    return new CommandException(status, message, reasoned);
  }

  /// Whether the user has been told why privileges are insufficient.
  boolean isReasoned() {
    return reasoned;
  }

  public ExitStatus status() {
    return status;
  }
}
