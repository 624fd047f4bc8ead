package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// What a cluster has to bear: machines and daemons that stand still for less than the token time, daemons that end, slow
/// disks and networks, clocks that are set, files that are read anew. One such thing at a time, and for none of them is
/// anything started, stopped, promoted or fenced.
///
/// Pacemaker's users expect that of it where nothing is lost but a daemon, which is started again.
final class SimCalm {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final int HOUR_SECONDS = 3_600;
  private static final List<String> DAEMONS = List.of("cibd", "fenced", "schedulerd", "execd", "attrd", "controld");

  /// With all attribute managers at once the scores of promotable clones are gone, as with Pacemaker.
  private static final List<String> OTHERS = List.of("cibd", "fenced", "schedulerd", "execd", "controld");

  private static final Pattern DEED =
      Pattern.compile("\\S+ (?:started|stopped|promoted) on .*|.* fenced by .*|.* powered off|.* cluster software ended");

  /// What is still the matter is over, and what the cluster would make of it is done.
  private static final Duration AFTER = Duration.ofSeconds(15);

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimChanges changes;

  SimCalm(SimCluster cluster, RandomGenerator random, SimChanges changes) {
    this.cluster = cluster;
    this.random = random;
    this.changes = changes;
  }

  /// Fails if something was done for what has happened.
  ///
  /// @param before how many changes of state there were then
  static void check(SimCluster cluster, int before) {
    var done =
        cluster.trace().changes().stream().skip(before).filter(it -> DEED.matcher(it).matches()).limit(5).toList();
    if (!done.isEmpty()) {
      cluster.fail(SimCheck.DISTURBED, "nothing was lost, and yet " + String.join(", ", done));
    }
  }

  void happen() {
    var node = any(cluster.nodes());
    switch (random.nextInt(11)) {
      case 0 -> leaderStandsStill(cluster.network().leader(node));
      case 1 -> standStill(node);
      case 2 -> node.kill(any(DAEMONS));
      case 3 -> dc(node).kill(any(DAEMONS));
      case 4 -> everywhere(any(OTHERS));
      case 5 -> any(List.of(node, dc(node), cluster.network().leader(node))).hang(anyToHang(), lessThanToken());
      case 6 -> network();
      case 7 -> node.slowDisk(Duration.ofMillis(random.nextInt(800)));
      case 8 -> node.skewClock(Duration.ofSeconds(random.nextInt(-HOUR_SECONDS, HOUR_SECONDS)));
      case 9 -> several(any(List.of(node, dc(node))));
      default -> people(node);
    }
    cluster.run(AFTER);
    cluster.loss(0);
    cluster.delay(Duration.ZERO);
    node.slowDisk(Duration.ZERO);
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private SimNode dc(SimNode otherwise) {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(otherwise);
  }

  private long lessThanToken() {
    return random.nextLong(cluster.tokenNanos() * 9 / 10);
  }

  /// Its machine, for longer than a claim to quorum lasts; the DC is another one, which is left to plan.
  private void leaderStandsStill(SimNode leader) {
    if (leader.isDc()) {
      leader.kill("controld");
      cluster.run(Duration.ofSeconds(5));
    }
    var token = cluster.tokenNanos();
    leader.pause();
    cluster.queue().after(token / 2 + random.nextLong(token * 2 / 5), leader::resume);
  }

  private void standStill(SimNode node) {
    node.pause();
    cluster.queue().after(lessThanToken(), node::resume);
  }

  private String anyToHang() {
    return random.nextInt(4) == 0 ? "pacemakerd" : any(DAEMONS);
  }

  private void everywhere(String daemon) {
    cluster.nodes().forEach(it -> it.kill(daemon));
  }

  private void several(SimNode node) {
    DAEMONS.stream().filter(_ -> random.nextBoolean()).forEach(node::kill);
  }

  private void network() {
    switch (random.nextInt(3)) {
      case 0 -> cluster.loss(random.nextDouble() / 10);
      case 1 -> cluster.delay(Duration.ofMillis(random.nextInt(150)));
      default -> {
        cluster.cut(any(cluster.nodes()).name(), any(cluster.nodes()).name());
        cluster.queue().after(random.nextLong(SECOND), cluster::heal);
      }
    }
  }

  private void people(SimNode node) {
    switch (random.nextInt(3)) {
      case 0 -> changes.cleanUp(node, _ -> {});
      case 1 -> changes.attribute(node, "calm");
      default -> {
        SimConfFile.change(cluster, cluster.nodes(), List.of("token", Long.toString(random.nextInt(3, 6) * 1000L)));
        SimConfFile.reload(cluster, node);
      }
    }
  }
}
