package org.systole.cts.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Signals to processes of this machine, by the program `kill`: Java sends only those that end one.
public final class Signals {
  private Signals() {}

  /// Sends a signal to all of these at once; one that has ended meanwhile makes no difference.
  ///
  /// @param signal its name, such as `STOP`
  public static void send(String signal, List<Long> pids) throws IOException {
    if (pids.isEmpty()) {
      return;
    }
    var line = new ArrayList<>(List.of("kill", "-" + signal));
    pids.forEach(it -> line.add(Long.toString(it)));
    try {
      new ProcessBuilder(line).redirectErrorStream(true).start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
