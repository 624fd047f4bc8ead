package org.systole.common.logging;

import java.io.IOException;
import java.util.List;

/// Somewhere the log's lines go. Used by the thread of one [LogWriter] only; any call may block.
interface LogTarget {
  /// What it is, for people: `the log file /var/log/pacemaker/pacemaker.log`.
  String what();

  /// Writes lines, or throws before any of them is lost: the same lines are given again then.
  void write(List<LogLine> lines) throws IOException;

  /// Called now and then while there is nothing to write.
  default void idle() throws IOException {}
}
