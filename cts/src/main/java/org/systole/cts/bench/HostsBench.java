package org.systole.cts.bench;

import org.systole.controld.HostBenchMain;

/// What host HA costs a DC: `./systole bench hosts`.
final class HostsBench {
  private HostsBench() {}

  public static void main(String[] args) {
    if (args.length > 0) {
      System.err.println("usage: bench hosts");
      System.exit(64);
    }
    HostBenchMain.run();
  }
}
