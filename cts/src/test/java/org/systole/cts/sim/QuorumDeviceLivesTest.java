package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random lives of clusters with a quorum device: nodes, the lines between them, the server and the
/// lines to it fail in any order. Never have two sides quorum; in the end all have.
/// `-Ddevice.seed=N` repeats one, `-Ddevice.seeds=N` changes how many there are.
final class QuorumDeviceLivesTest {
  private static final int FAULTS = 14;

  private SimCluster cluster;
  private SimQnetd qnetd;
  private RandomGenerator random;

  static LongStream seeds() {
    var one = Long.getLong("device.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("device.seeds", 16));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noTwoSidesHaveQuorumAndInTheEndAllHave(long seed) {
    random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 3);
    begin(seed);
    for (var fault = 0; fault < FAULTS && cluster.failures().isEmpty(); fault++) {
      happen();
      cluster.run(Duration.ofMillis(random.nextLong(random.nextBoolean() ? 3_000 : 25_000)));
    }
    end();
    assertEquals(List.of(), cluster.failures(), () -> "seed " + seed + "\n" + tail());
    var quorate = cluster.nodes().stream().filter(cluster.order()::isQuorate).toList();
    assertEquals(cluster.nodes(), quorate, () -> "seed " + seed + "\n" + tail());
  }

  private void begin(long seed) {
    var lms = random.nextBoolean();
    var nodes = lms ? 2 + random.nextInt(3) : random.nextInt(3) > 0 ? 2 : 4;
    cluster = RealDaemons.cluster(seed, nodes);
    var tie = List.of("", "tie_breaker: highest", "tie_breaker: 2").get(random.nextInt(3));
    var keep = random.nextBoolean() ? "" : "keep_active_partition_tie_breaker: off";
    qnetd = cluster.device(lms ? "lms" : "ffsplit", lms ? nodes - 1 : 1, tie, keep);
    cluster.note("%s, %d nodes %s %s".formatted(lms ? "lms" : "ffsplit", nodes, tie, keep));
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(40));
  }

  private void happen() {
    var node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    switch (random.nextInt(13)) {
      case 0 -> node.powerOff();
      case 1 -> node.kill("pacemakerd");
      case 2, 3, 4 -> partition();
      case 5 -> cluster.heal();
      case 6 -> {
        node.pause();
        cluster.queue().after(random.nextLong(12_000_000_000L), node::resume);
      }
      case 7, 8 -> qnetd.line(node.name(), random.nextBoolean());
      case 9 -> qnetd.mendAll();
      case 10 -> qnetd.stop(random.nextBoolean());
      case 11 -> qnetd.start();
      default -> {
        cluster.nodes().forEach(SimNode::powerOn);
        cluster.heal();
      }
    }
    if (!qnetd.isUp() && random.nextInt(3) > 0) {
      cluster.run(Duration.ofMillis(random.nextLong(4_000)));
      qnetd.start();
    }
  }

  private void partition() {
    var one = new ArrayList<String>();
    var two = new ArrayList<String>();
    for (var it : cluster.nodes()) {
      (random.nextBoolean() ? one : two).add(it.name());
    }
    cluster.heal(); // what waits for lines that are whole again is sent
    cluster.partition(List.of(one, two));
  }

  private void end() {
    cluster.note("faults end");
    qnetd.start();
    qnetd.mendAll();
    cluster.heal();
    for (var it : cluster.nodes()) {
      it.resume();
      it.powerOn();
      if (!it.isRunning()) {
        it.startClusterSoon();
      }
    }
    cluster.runUntil(
        () -> cluster.nodes().stream().allMatch(cluster.order()::isQuorate),
        Duration.ofMinutes(5));
    cluster.finish();
  }

  private String tail() {
    var lines = cluster.trace().lines();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 4_000), lines.size()));
  }
}
