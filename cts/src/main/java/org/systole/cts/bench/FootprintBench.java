package org.systole.cts.bench;

import java.io.IOException;

/// What a node at rest takes: ten Dummies with a monitor each 10 s on three nodes.
final class FootprintBench {
  private static final int RESOURCES = 10;
  private static final double REST = 90; // the reference is as old when it is measured
  private static final double OBSERVED = 60;
  private static final int CALLS = 10;

  private final Bench bench;

  FootprintBench(Bench bench) {
    this.bench = bench;
  }

  /// The proportional set size of all processes of a node, and the CPU time over a minute.
  void measure() throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(RESOURCES, 10, false),
        cluster -> {
          cluster.start();
          cluster.settle(RESOURCES, REST);
          for (var run = 1; run <= Math.min(bench.runs(), 3); run++) {
            bench.report().progress("a minute of rest, %d of %d", run, Math.min(bench.runs(), 3));
            observe(cluster);
          }
        });
  }

  private void observe(BenchCluster cluster) throws IOException {
    var before = new double[BenchCluster.NODES];
    for (var node : cluster.nodes()) {
      before[node.id() - 1] = node.cpuSeconds();
    }
    var begun = System.nanoTime();
    Waiting.seconds(OBSERVED);
    for (var node : cluster.nodes()) {
      var seconds = (System.nanoTime() - begun) / 1e9;
      var used = node.cpuSeconds() - before[node.id() - 1];
      bench.report().sample(Figure.IDLE_CPU, used / seconds * 100);
    }
    for (var node : cluster.nodes()) {
      bench.report().sample(Figure.MEMORY, node.pssMebibytes());
    }
  }

  /// The wall time of the command as a user types it.
  void measureMon() throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(RESOURCES, 10, false),
        cluster -> {
          cluster.start();
          cluster.settle(RESOURCES, 10);
          var dc = cluster.dc();
          dc.run("crm_mon", "-1");
          for (var call = 0; call < Math.max(CALLS, bench.runs()); call++) {
            var begun = System.nanoTime();
            dc.run("crm_mon", "-1");
            bench.report().sample(Figure.MON, (System.nanoTime() - begun) / 1e6);
            Waiting.seconds(0.2);
          }
        });
  }
}
