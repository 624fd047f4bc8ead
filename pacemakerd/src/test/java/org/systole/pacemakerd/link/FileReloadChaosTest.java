package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The node list grows and shrinks by one node, and the token time changes, while nodes die, stall
/// and are cut apart. A change is made once the one before is in force, as the documentation asks
/// for.
class FileReloadChaosTest {
  private static final int NODES_MAX = 6;
  private static final int STEPS = 60;

  private final List<FakeCluster.Process> alive = new ArrayList<>();
  private FakeCluster cluster;
  private Random random;
  private int listed = 3;
  private long token = 1000;
  private int changes;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void noTwoSidesAreQuorateWhileFilesChange(long seed) throws Exception {
    random = new Random(seed);
    cluster = new FakeCluster(3, "");
    for (var id = 1; id <= NODES_MAX; id++) {
      if (id <= listed) {
        start(id);
      }
    }
    heal();
    cluster.run(4000);
    for (var step = 0; step < STEPS; step++) {
      disturb();
      for (var slice = 0; slice < 12; slice++) {
        cluster.run(random.nextInt(1, 90));
        nobodyIsExcludedAndQuorateAtOnce(seed, step);
      }
    }
    alive.forEach(FakeCluster.Process::resume);
    heal();
    cluster.run(20_000);
    askForReload(alive.getFirst());
    heal();
    cluster.run(20_000);
    alive.removeIf(it -> it.id > listed);
    startMissing();
    heal();
    cluster.run(10_000);
    var all = IntStream.rangeClosed(1, listed).boxed().toList();
    for (var it : alive) {
      assertEquals(all, it.members().stream().filter(all::contains).toList(), "seed " + seed);
      assertTrue(it.quorate(), "seed " + seed);
    }
    assertTrue(changes > 0, "seed " + seed + " has changed nothing");
  }

  private String text() {
    return QuorumRulesTest.text(token, "", IntStream.rangeClosed(1, listed).toArray());
  }

  private void start(int id) throws Exception {
    var list = IntStream.rangeClosed(1, listed).toArray();
    var process = cluster.start(id, QuorumRulesTest.config(token, "", list));
    process.file = text();
    alive.add(process);
  }

  private void disturb() throws Exception {
    switch (random.nextInt(10)) {
      case 0 -> restart();
      case 1 -> split();
      case 2, 3 -> heal();
      case 4 -> alive.get(random.nextInt(alive.size())).paused = true;
      case 5, 6 -> alive.forEach(FakeCluster.Process::resume);
      default -> change();
    }
  }

  /// All files have one list, and all who run go by it.
  private boolean isInForce() {
    var all = new TreeMap<Integer, FakeCluster.Process>();
    alive.forEach(it -> all.put(it.id, it));
    return all.size() == listed
        && alive.stream().noneMatch(it -> it.paused)
        && alive.stream().allMatch(it -> it.goesBy(listed, token));
  }

  private void change() throws Exception {
    if (!isInForce()) {
      askForReload(alive.get(random.nextInt(alive.size())));
      return;
    }
    changes++;
    switch (random.nextInt(3)) {
      case 0 -> token = token == 1000 ? 2500 : 1000;
      case 1 -> listed = Math.min(NODES_MAX, listed + 1);
      default -> listed = Math.max(3, listed - 1);
    }
    alive.forEach(it -> it.file = text());
    askForReload(alive.get(random.nextInt(alive.size())));
    if (alive.stream().noneMatch(it -> it.id == listed) && random.nextBoolean()) {
      start(listed);
      heal();
    }
  }

  private void askForReload(FakeCluster.Process asked) {
    if (!asked.paused && !asked.dead) {
      asked.reload();
    }
  }

  private void restart() throws Exception {
    var victim = alive.remove(random.nextInt(alive.size()));
    victim.kill();
    alive.forEach(it -> it.sees(victim, true));
    if (victim.id <= listed) {
      start(victim.id);
    }
    startMissing();
    heal();
  }

  private void startMissing() throws Exception {
    for (var id = 1; id <= listed; id++) {
      var wanted = id;
      if (alive.stream().noneMatch(it -> it.id == wanted)) {
        start(id);
      }
    }
  }

  private void heal() {
    for (var from : alive) {
      alive.forEach(to -> from.cutTo(to, false));
    }
    var dropped = alive.stream().filter(it -> it.dropped > 0).toList();
    dropped.forEach(FakeCluster.Process::kill);
    alive.removeAll(dropped);
    dropped.forEach(gone -> alive.forEach(it -> it.sees(gone, true)));
    var members = new ArrayList<>(alive);
    java.util.Collections.shuffle(members, random);
    cluster.view(members.toArray(FakeCluster.Process[]::new));
  }

  private void split() {
    var left = new ArrayList<FakeCluster.Process>();
    var right = new ArrayList<FakeCluster.Process>();
    alive.forEach(it -> (random.nextBoolean() ? left : right).add(it));
    for (var from : left) {
      for (var to : right) {
        from.cutTo(to, true);
        to.cutTo(from, true);
      }
    }
    for (var side : List.of(left, right)) {
      if (!side.isEmpty()) {
        cluster.view(side.toArray(FakeCluster.Process[]::new));
      }
    }
  }

  private void nobodyIsExcludedAndQuorateAtOnce(long seed, int step) {
    for (var it : alive) {
      for (var other : alive) {
        if (!it.paused
            && !other.paused
            && it.quorate()
            && other.quorate()
            && !it.members().contains(other.id)) {
          throw new AssertionError(
              "seed %d step %d: node %d is quorate in %s without node %d, which is quorate in %s"
                  .formatted(seed, step, it.id, it.membership(), other.id, other.membership()));
        }
      }
    }
  }
}
