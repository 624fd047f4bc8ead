package org.systole.cts.bench;

import java.io.IOException;

/// The same figures of the real Pacemaker and Corosync.
final class ReferenceBench {
  private final Report report;

  ReferenceBench(Report report) {
    this.report = report;
  }

  void measure(String name, int runs) throws IOException {
    report.progress("no reference for %s %d", name, runs);
  }
}
