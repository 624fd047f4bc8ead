package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/// One Dummy with a monitor each second; its state file is removed at a random moment.
///
/// The figure is the time from the end of the monitor that failed to the end of the new `start`.
final class MonitorBench {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Bench bench;
  private final Random random = new Random();

  MonitorBench(Bench bench) {
    this.bench = bench;
  }

  void measure() throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(1, 1, false),
        cluster -> {
          cluster.start();
          for (var run = 1; run <= bench.runs(); run++) {
            bench.report().progress("failed monitor, run %d of %d", run, bench.runs());
            once(cluster);
          }
        });
  }

  private void once(BenchCluster cluster) throws IOException {
    var seen = cluster.settle(1, 2);
    var host = cluster.node(seen.activeOn("d1").getFirst());
    Waiting.seconds(random.nextDouble());
    var begun = BenchCluster.now();
    host.run("bash", "-c", "rm " + host.layout().run().resolve("rsctmp") + "/Dummy-d1.state");
    var started =
        Waiting.look(
            LIMIT,
            "the new start",
            () -> cluster.stage().since(begun, "start").stream().findFirst().orElse(null));
    var failed = cluster.stage().since(begun, "monitor").getFirst();
    bench.report().progress("from removal to start %.3f s", started.at() - begun);
    bench.report().sample(Figure.MONITOR, started.at() - failed.at());
  }
}
