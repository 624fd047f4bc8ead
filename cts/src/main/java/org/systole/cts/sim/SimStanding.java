package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// Clusters that expect fewer votes when some have left (`last_man_standing`), and the fault that may
/// make two sides of that: some of those who were counted meet one that was left out.
///
/// Of five, a node of three that stayed and the two that were left out are most of all by the file,
/// beside the other two: one that stayed may be started anew to forget who counts.
final class SimStanding {
  private static final String OPTION = "last_man_standing";
  private static final String WINDOW = "last_man_standing_window";
  private static final int NODES_MIN = 3;
  private static final int NODES_MAX = 5;
  private static final int PERCENT = 100;
  private static final int SHARE = 35;
  private static final int FAULT_OF = 4;
  private static final int ANEW_OF = 2;
  private static final long SECOND = 1_000_000_000L;

  /// Until a node that was started anew is a member again and its vote counts.
  private static final long STARTED = 40 * SECOND;

  /// Until a loss is noticed and agreed on.
  private static final long NOTICED = 8 * SECOND;

  private final SimCluster cluster;
  private final RandomGenerator random;

  SimStanding(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
  }

  /// What the quorum section of a seed's cluster says, by a stream of chance of its own.
  static Map<String, String> options(long seed, int nodes) {
    var random = chance(seed);
    var drawn = nodes >= NODES_MIN && nodes <= NODES_MAX && random.nextInt(PERCENT) < SHARE;
    return drawn ? drawn(random) : Map.of();
  }

  /// What it says in a life that is about that.
  static Map<String, String> always(long seed) {
    return drawn(chance(seed));
  }

  private static RandomGenerator chance(long seed) {
    return new SplittableRandom(seed * 0xD1342543DE82EF95L + 53);
  }

  private static Map<String, String> drawn(RandomGenerator random) {
    var options = new TreeMap<>(Map.of(OPTION, "1"));
    options.put(WINDOW, String.valueOf((1 + random.nextInt(10)) * 1_000));
    if (random.nextBoolean()) {
      options.put("wait_for_all", "1");
    }
    return options;
  }

  /// How many nodes such a cluster has, of those drawn: mostly four or five, as of three a node that leaves
  /// with the one that was left out makes two of three.
  static int nodes(long seed, int drawn, Map<String, String> options) {
    return options.isEmpty() || seed % NODES_MIN == 0 ? drawn : NODES_MAX - (int) (seed % 2);
  }

  static boolean isOn(SimCluster cluster) {
    return cluster.quorumOption(OPTION).equals("1");
  }

  /// Whether one fault of several is about that.
  boolean isNext() {
    return isOn(cluster) && random.nextInt(FAULT_OF) == 0;
  }

  /// Two sides of a cluster.
  ///
  /// @param stay those who count, without one
  /// @param out those who are left out, and that one
  /// @param goes its name
  /// @param lowered how long it takes until only those who stay count
  record Sides(List<String> stay, List<String> out, String goes, long lowered) {}

  /// One node, or two of five, are cut off.
  ///
  /// @return the sides that there may be once those who stay count without them
  Sides leaveOut() {
    var names = new ArrayList<>(cluster.nodes().stream().map(SimNode::name).toList());
    var out = new ArrayList<String>();
    out.add(names.remove(random.nextInt(names.size())));
    if (names.size() == NODES_MAX - 1 && random.nextBoolean()) {
      out.add(names.remove(random.nextInt(names.size())));
    }
    cluster.partition(List.of(List.copyOf(names), List.copyOf(out)));
    var goes = names.remove(random.nextInt(names.size()));
    out.add(goes);
    var lowered = NOTICED + 1_000_000L * Long.parseLong(cluster.quorumOption(WINDOW));
    return new Sides(List.copyOf(names), List.copyOf(out), goes, lowered);
  }

  /// One node, or two of five, are cut off for longer than those who stay expect them, and miss a change. Then all
  /// are started anew together, one of them late, so that for a while there is no DC and nobody from whom everybody takes the CIB.
  /// Meanwhile those who missed the change are left with one who has it, and after a while without.
  ///
  /// @return how long that takes, in nanoseconds
  long forget(SimChanges changes) {
    var sides = leaveOut();
    var goes = sides.goes();
    var have = new ArrayList<>(sides.stay());
    have.add(goes);
    var lack = new ArrayList<>(sides.out());
    lack.remove(goes);
    var late = cluster.node(have.getFirst());
    var queue = cluster.queue();
    var after = sides.lowered() + random.nextLong(5 * SECOND);
    queue.after(after, () -> changes.write(late, "left-" + cluster.now().toMillis()));
    after += 2 * SECOND + random.nextLong(2 * SECOND);
    queue.strike(
        after,
        () -> {
          cluster.nodes().forEach(SimNode::powerOff);
          cluster.nodes().stream().filter(it -> it != late).forEach(SimNode::powerOn);
          cluster.heal();
        });
    after += 5 * SECOND + random.nextLong(6 * SECOND);
    queue.strike(after, () -> cluster.partition(List.of(sides.stay(), sides.out())));
    after += 4 * SECOND + random.nextLong(6 * SECOND);
    queue.strike(after, () -> cluster.partition(List.of(have, lack)));
    after += STARTED;
    queue.after(
        after,
        () -> {
          late.powerOn();
          cluster.heal();
        });
    return after + STARTED / 2;
  }

  /// One node, or two of five, are cut off for longer than those who stay expect them. Then some of
  /// these are cut off with them from the others, at times started anew meanwhile.
  ///
  /// @return how long that takes, in nanoseconds
  long happen() {
    var sides = leaveOut();
    var goes = sides.goes();
    var after = sides.lowered() + random.nextLong(10 * SECOND);
    var anew = random.nextInt(ANEW_OF) == 0;
    cluster
        .queue()
        .strike(
            after,
            () -> {
              cluster.partition(List.of(sides.stay(), sides.out()));
              if (anew && cluster.node(goes).isRunning()) {
                cluster.node(goes).powerOff();
                cluster.node(goes).powerOn();
              }
            });
    var until = after + (anew ? STARTED : 0) + random.nextLong(30 * SECOND);
    cluster.queue().after(until, cluster::heal);
    return until;
  }
}
