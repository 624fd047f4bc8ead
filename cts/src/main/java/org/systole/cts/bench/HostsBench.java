package org.systole.cts.bench;

import org.systole.controld.HostBenchMain;

/// What host HA costs a DC: `./systole bench hosts`.
final class HostsBench {
  private HostsBench() {}

  public static void main(String[] args) {
    if (args.length == 1 && args[0].equals("changes")) {
      HostBenchMain.changes();
    } else if (args.length == 0) {
      HostBenchMain.run();
    } else {
      System.err.println("usage: bench hosts [changes]");
      System.exit(64);
    }
  }
}
