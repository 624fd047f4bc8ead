package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

/// A hundred Dummies at once over three nodes, monitor each 10 s, loads throttled as usual.
///
/// From the one command until the DC's CIB has the last of the hundred results: created (300 probes
/// and the starts), stopped and started by `target-role` in the defaults, deleted.
final class BulkBench {
  private static final int RESOURCES = 100;
  private static final Duration LIMIT = Duration.ofSeconds(180);

  private final Bench bench;

  BulkBench(Bench bench) {
    this.bench = bench;
  }

  void measure() throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(0, 10, false),
        cluster -> {
          cluster.start();
          cluster.settle(0, 5);
          for (var run = 1; run <= bench.runs(); run++) {
            bench.report().progress("100 resources, run %d of %d", run, bench.runs());
            once(cluster);
          }
        });
  }

  private void once(BenchCluster cluster) throws IOException {
    var dc = cluster.dc();
    var all = section(cluster, "resources.xml", RESOURCES);
    var none = section(cluster, "empty.xml", 0);
    timed(
        dc,
        Figure.CREATE,
        "start",
        () -> dc.run("cibadmin", "--replace", "-o", "resources", "-x", all));
    cluster.settle(RESOURCES, 3);
    timed(dc, Figure.STOP, "stop", () -> role(dc, "Stopped"));
    Waiting.seconds(4);
    timed(dc, Figure.START, "start", () -> role(dc, "Started"));
    cluster.settle(RESOURCES, 3);
    timed(
        dc,
        Figure.DELETE,
        "stop",
        () -> dc.run("cibadmin", "--replace", "-o", "resources", "-x", none));
    Waiting.seconds(5);
  }

  private interface Action {
    void run() throws IOException;
  }

  private void timed(BenchNode dc, Figure figure, String operation, Action action)
      throws IOException {
    try (var watch = new HistoryWatch(dc, operation)) {
      var begun = System.nanoTime();
      action.run();
      var end = watch.awaitAll(RESOURCES, LIMIT);
      bench.report().sample(figure, (end - begun) / 1e9);
    }
  }

  private static void role(BenchNode dc, String role) throws IOException {
    dc.run("crm_attribute", "-t", "rsc_defaults", "-n", "target-role", "-v", role);
  }

  private static String section(BenchCluster cluster, String name, int resources)
      throws IOException {
    var file = cluster.stage().ocfRoot().resolve(name);
    Files.writeString(file, Configurations.section(resources, 10));
    return file.toString();
  }
}
