package org.systole.hostha.replay;

import java.util.List;

/// A script that cannot be run; the message has a line for each of its lines that is wrong, and names them.
public final class ReplayException extends Exception {
  private static final long serialVersionUID = 1;

  ReplayException(int line, String why) {
    super("line " + line + ": " + why);
  }

  private ReplayException(String faults) {
    super(faults);
  }

  static ReplayException of(List<String> faults) {
    return new ReplayException(String.join("\n", faults));
  }
}
