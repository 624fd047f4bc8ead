package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.systole.cts.local.ClusterView.Snapshot;

/// Ten Dummies on three nodes, and one of the nodes goes: alternately another than the DC and the
/// DC, at a random moment.
///
/// The figure is the time from its going until the last of its resources has finished `start`
/// elsewhere.
final class FailoverBench {
  private static final int RESOURCES = 10;
  private static final double TOKEN_SECONDS = 1;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final double PHASE = 1.5;

  /// How a node goes.
  private enum End {
    KILLED,
    CUT_OFF,
    STOPPED
  }

  private final Bench bench;
  private final Random random = new Random();

  FailoverBench(Bench bench) {
    this.bench = bench;
  }

  void measure() throws IOException {
    measure(false, Figure.KILLED, End.KILLED, "killed, no fencing");
    measure(true, Figure.KILLED_FENCED, End.KILLED, "killed, fencing of 1 s");
  }

  void measureSilence() throws IOException {
    measure(false, Figure.CUT_OFF, End.CUT_OFF, "cut off");
    measure(false, Figure.STOPPED, End.STOPPED, "stopped");
  }

  private void measure(boolean fencing, Figure figure, End end, String what) throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(RESOURCES, 10, fencing),
        cluster -> {
          cluster.start();
          var total = RESOURCES + (fencing ? 1 : 0);
          for (var run = 0; run < bench.runs(); run++) {
            var seen = cluster.settle(total, 3);
            bench.report().progress("node %s, run %d of %d", what, run + 1, bench.runs());
            var taken = once(cluster, seen, end, run % 2 == 1);
            bench.report().sample(figure, end == End.KILLED ? taken : taken - TOKEN_SECONDS);
          }
        });
  }

  private double once(BenchCluster cluster, Snapshot seen, End end, boolean victimIsDc)
      throws IOException {
    var victim =
        cluster.nodes().stream()
            .filter(it -> it.name().equals(seen.dc()) == victimIsDc)
            .findFirst()
            .orElseThrow();
    var survivors = cluster.nodes().stream().filter(it -> it != victim).toList();
    var mine = resourcesOn(seen, victim.name());
    Waiting.seconds(random.nextDouble() * PHASE);
    var begun = BenchCluster.now();
    switch (end) {
      case KILLED -> victim.kill();
      case CUT_OFF -> cluster.cable(victim, false);
      case STOPPED -> victim.freeze();
    }
    Waiting.until(
        LIMIT,
        "the victim's resources elsewhere",
        () -> startedElsewhere(cluster, begun, victim.name()).containsAll(mine));
    var last =
        cluster.stage().since(begun, "start").stream()
            .filter(it -> mine.contains(it.resource()) && !it.node().equals(victim.name()))
            .mapToDouble(BenchStage.Stamp::at)
            .max()
            .orElseThrow();
    tell(cluster, survivors, begun, victimIsDc, mine.size(), last);
    bringBack(cluster, victim, end);
    return last - begun;
  }

  private static Set<String> resourcesOn(Snapshot seen, String node) {
    var found = new HashSet<String>();
    for (var resource : seen.status().resources()) {
      if (!resource.id().equals("fence") && seen.activeOn(resource.id()).contains(node)) {
        found.add(resource.id());
      }
    }
    return found;
  }

  private static Set<String> startedElsewhere(BenchCluster cluster, double since, String victim)
      throws IOException {
    var found = new HashSet<String>();
    for (var stamp : cluster.stage().since(since, "start")) {
      if (stamp.status() == 0 && !stamp.node().equals(victim)) {
        found.add(stamp.resource());
      }
    }
    return found;
  }

  /// Where the time went.
  private void tell(
      BenchCluster cluster,
      List<BenchNode> survivors,
      double begun,
      boolean victimIsDc,
      int moved,
      double last)
      throws IOException {
    var member = cluster.logged(survivors, "Membership [0-9]+: ", begun);
    var first =
        cluster.stage().since(begun, "start").stream()
            .mapToDouble(BenchStage.Stamp::begun)
            .min()
            .orElse(last);
    bench
        .report()
        .progress(
            "%s, %d resources: membership after %.2f s, first start begins %.2f s, last ends %.2f"
                + " s",
            victimIsDc ? "the DC" : "not the DC",
            moved,
            member - begun,
            first - begun,
            last - begun);
  }

  /// The node comes back as after a boot; resources are spread again by then, or by what follows.
  private static void bringBack(BenchCluster cluster, BenchNode victim, End end)
      throws IOException {
    Waiting.seconds(1.5);
    if (end == End.CUT_OFF) {
      cluster.cable(victim, true);
    }
    if (end != End.KILLED) {
      victim.kill();
    }
    victim.boot();
    victim.start();
    cluster.await(
        cluster.nodes().stream().filter(it -> it != victim).toList(),
        victim.name() + " to have resources again",
        it ->
            it.online().size() == BenchCluster.NODES && resourcesOn(it, victim.name()).size() >= 2);
  }
}
