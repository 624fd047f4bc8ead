package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

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
    var cpu = cpuSeconds(cluster);
    var dc = cluster.logged(cluster.nodes(), "This node is DC now", begun);
    var member =
        cluster.logged(cluster.nodes(), "(Quorum acquired|Membership .*with quorum)", begun);
    bench.report().progress("members with quorum after %.2f s; %s", member - begun, cpu);
    bench.report().sample(Figure.COLD_DC, dc - begun);
    bench.report().sample(Figure.COLD_RESOURCE, started.at() - begun);
  }

  /// What the start has cost on all nodes so far, by program.
  private static String cpuSeconds(BenchCluster cluster) throws IOException {
    var all = new TreeMap<String, Double>();
    for (var node : cluster.nodes()) {
      node.cpuSecondsByProgram().forEach((name, seconds) -> all.merge(name, seconds, Double::sum));
    }
    var sum = all.values().stream().mapToDouble(Double::doubleValue).sum();
    var each =
        all.entrySet().stream()
            .map(it -> String.format(Locale.ROOT, "%s %.2f", it.getKey(), it.getValue()))
            .collect(Collectors.joining(", "));
    return String.format(Locale.ROOT, "CPU time %.2f s: %s", sum, each);
  }
}
