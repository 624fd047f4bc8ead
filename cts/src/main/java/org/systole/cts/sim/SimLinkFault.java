package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/// One random fault of a network in which nodes have several links. As long as each two nodes keep a
/// link, nothing may come of it.
final class SimLinkFault {
  private static final long MILLI = 1_000_000L;
  private static final int MOST = 3;
  private static final Duration REST = Duration.ofMinutes(3);
  private static final Duration NOTICED = Duration.ofSeconds(8); // more than a token time

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimNode node;
  private final int links;
  private final int link;

  SimLinkFault(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
    this.node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    this.links = node.file().links();
    this.link = random.nextInt(links);
  }

  /// Cuts or mends one of the links between two nodes.
  static void oneLink(SimCluster cluster, SimNode one, SimNode other, int link, boolean up) {
    var words = "%s %s %s %d".formatted(up ? "mend-link" : "cut-link", one.name(), other.name(), link);
    cluster.story().deed(words, () -> cluster.network().oneLink(one, other, link, up));
  }

  void happen() {
    if (links == 1 || random.nextInt(6) == 0) {
      unnoticed("another number of links is read", this::readAnew);
      return;
    }
    switch (random.nextInt(7)) {
      case 0 -> unnoticed("a cable", this::cable);
      case 1 -> unnoticed("a network", this::network);
      case 2 -> unnoticed("one link of each two nodes", this::oneEach);
      case 3 -> unnoticed("a cable that is loose", this::loose);
      case 4 -> unnoticed("one cable after the other", this::oneAfterTheOther);
      default -> allOfANode();
    }
  }

  /// Members that are at rest stay members.
  void unnoticed(String what, Runnable fault) {
    var rest = cluster.settle(REST);
    var seen = new boolean[1];
    cluster.trace().once(SimFault.MEMBERS_CHANGE, _ -> seen[0] = true);
    cluster.note("links: " + what);
    fault.run();
    if (rest && seen[0]) {
      cluster.fail(
          SimCheck.LINK_MISSED,
          "%s failed, each two nodes had a link, and members changed".formatted(what));
    }
    cluster.trace().onceNoMore();
  }

  private void lasts() {
    cluster.run(Duration.ofMillis(200 + random.nextInt(12_000)));
  }

  private void each(SimNode one, int which, boolean up) {
    for (var other : cluster.nodes()) {
      if (other != one) {
        oneLink(cluster, one, other, which, up);
      }
    }
  }

  private void cable() {
    each(node, link, false);
    lasts();
    each(node, link, true);
    cluster.run(NOTICED);
  }

  private void network() {
    cluster.nodes().forEach(it -> each(it, link, false));
    lasts();
    cluster.nodes().forEach(it -> each(it, link, true));
    cluster.run(NOTICED);
  }

  /// Any but one: which, each two have for themselves.
  private void oneEach() {
    for (var one : cluster.nodes()) {
      for (var other : cluster.nodes()) {
        var kept = random.nextInt(links);
        for (var each = 0; each < links && one.id() < other.id(); each++) {
          if (each != kept) {
            oneLink(cluster, one, other, each, false);
          }
        }
      }
    }
    lasts();
    mend();
  }

  private void mend() {
    for (var one : cluster.nodes()) {
      for (var each = 0; each < links; each++) {
        each(one, each, true);
      }
    }
    cluster.run(NOTICED);
  }

  private void loose() {
    for (var left = 2 + random.nextInt(20); left > 0; left--) {
      each(node, link, false);
      cluster.run(Duration.ofMillis(random.nextInt(1_500)));
      each(node, link, true);
      cluster.run(Duration.ofMillis(random.nextInt(1_500)));
    }
    cluster.run(NOTICED);
  }

  private void oneAfterTheOther() {
    for (var each = 0; each < links; each++) {
      each(node, each, false);
      lasts();
      each(node, each, true);
      cluster.run(NOTICED); // it is in use again, or can be
    }
  }

  /// Now it is cut off, for as long as it takes to notice or not.
  private void allOfANode() {
    cluster.note("links: all of " + node.name());
    for (var each = 0; each < links; each++) {
      var which = each;
      cluster.queue().after(random.nextLong(3_000 * MILLI), () -> each(node, which, false));
    }
    cluster.run(Duration.ofMillis(3_000 + random.nextInt(10_000)));
    mend();
    cluster.run(Duration.ofMillis(random.nextInt(10_000)));
  }

  private void readAnew() {
    var other = 1 + random.nextInt(MOST);
    SimConfFile.change(cluster, cluster.nodes(), List.of("links", String.valueOf(other)));
    SimConfFile.reload(cluster, node);
    cluster.run(NOTICED);
  }
}
