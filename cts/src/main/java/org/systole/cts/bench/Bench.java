package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Runs the measurements asked for, one after the other, and prints what they came to.
final class Bench {
  /// Writes are to reach a disk.
  static final Path DISK = Path.of("/var/tmp");

  static final Path MEMORY = Path.of("/dev/shm");

  /// A measurement with a cluster of its own.
  interface Measurement {
    void measure(BenchCluster cluster) throws IOException;
  }

  private final Path home;
  private final int runs;
  private final Report report;

  Bench(Path home, int runs, Report report) {
    this.home = home;
    this.runs = runs;
    this.report = report;
  }

  int runs() {
    return runs;
  }

  Report report() {
    return report;
  }

  /// @return whether every measurement came to an end
  boolean run(List<String> wanted, boolean reference) {
    var well = true;
    for (var name : wanted) {
      try {
        if (reference) {
          new ReferenceBench(report).measure(name, runs);
        }
        measure(name);
      } catch (IOException | RuntimeException e) {
        report.progress("%s FAILED: %s", name, e);
        well = false;
      }
    }
    System.out.println();
    System.out.print(report.table());
    System.out.println(
        """

        recorded: Pacemaker 2.1.5 with Corosync 3.1.7 on two cores, as docs/performance.md tells
        reference: the same, measured in this run (--reference)""");
    return well;
  }

  private void measure(String name) throws IOException {
    switch (name) {
      case "start" -> new StartBench(this).measure();
      case "failover" -> new FailoverBench(this).measure();
      case "silence" -> new FailoverBench(this).measureSilence();
      case "monitor" -> new MonitorBench(this).measure();
      case "writes" -> new RateBench(this).measureWrites();
      case "attributes" -> new RateBench(this).measureAttributes();
      case "bulk" -> new BulkBench(this).measure();
      case "footprint" -> new FootprintBench(this).measure();
      case "mon" -> new FootprintBench(this).measureMon();
      default -> throw new IOException("unknown measurement " + name);
    }
  }

  /// Runs something on a cluster that is made for it and removed after it.
  void with(Path parent, String configuration, Measurement measurement) throws IOException {
    try (var cluster = BenchCluster.make(home, parent, configuration)) {
      try {
        measurement.measure(cluster);
      } catch (IOException e) {
        System.out.print(cluster.evidence());
        throw e;
      }
    }
  }
}
