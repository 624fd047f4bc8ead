package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;

/// Cold start: three supervisors launched at once, default settings, one Dummy in the CIB.
///
/// DC: a controller says it is. First resource: its agent has finished `start`.
final class StartBench {
  private static final Duration LIMIT = Duration.ofSeconds(120);

  private final Bench bench;

  StartBench(Bench bench) {
    this.bench = bench;
  }

  void measure() throws IOException {
    for (var run = 1; run <= bench.runs(); run++) {
      bench.report().progress("cold start, run %d of %d", run, bench.runs());
      bench.with(Bench.DISK, Configurations.cib(1, 10, false), this::once);
    }
  }

  private void once(BenchCluster cluster) throws IOException {
    var begun = cluster.start();
    var started =
        Waiting.look(
            LIMIT,
            "the start of a resource",
            () -> cluster.stage().since(begun, "start").stream().findFirst().orElse(null));
    var dc = cluster.logged(cluster.nodes(), "This node is DC now", begun);
    var member =
        cluster.logged(cluster.nodes(), "(Quorum acquired|Membership .*with quorum)", begun);
    bench.report().progress("members with quorum after %.2f s", member - begun);
    bench.report().sample(Figure.COLD_DC, dc - begun);
    bench.report().sample(Figure.COLD_RESOURCE, started.at() - begun);
  }
}
