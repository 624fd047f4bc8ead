package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LabProcessesTest {
  /// As a JVM does when it starts a program: for a moment there are two with the same command line.
  @Test
  void whatADaemonHasJustForkedIsNoSecondDaemon() throws IOException, InterruptedException {
    var daemon =
        new ProcessBuilder(
                "sh", "-c", "(read first); exit", "org.systole.tools.launch.Main", "remoted")
            .start();
    try {
      var ours = daemon.toHandle();
      while (ours.children().findAny().isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      var all = List.of(ours, ours.children().findAny().orElseThrow());
      assertEquals(List.of(ours), LabProcesses.of(all, "remoted"));
    } finally {
      daemon.getOutputStream().close(); // it reads to the end, and goes
      daemon.waitFor();
    }
  }
}
