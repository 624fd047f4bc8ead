package org.systole.hostha.replay;

/// A script that cannot be run; the message names the line.
public final class ReplayException extends Exception {
  private static final long serialVersionUID = 1;

  ReplayException(int line, String why) {
    super("line " + line + ": " + why);
  }
}
