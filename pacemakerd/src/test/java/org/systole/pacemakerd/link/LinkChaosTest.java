package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random splits, kills, stalls and views. What must always hold is checked after each step.
class LinkChaosTest {
  private static final int STEPS = 120;

  private FakeCluster cluster;
  private Random random;
  private final List<FakeCluster.Process> alive = new ArrayList<>();
  private int said;

  @ParameterizedTest
  @ValueSource(
      longs = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27, 28, 29, 189
      })
  void noTwoSidesAreQuorateAndNodesThatStayTogetherHearTheSame(long seed) throws Exception {
    happens(seed, "", 60);
  }

  /// Long enough for who counts to change again and again.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void theSameWhereNodesAreLeftOutOfTheCount(long seed) throws Exception {
    var tie = seed % 3 == 0 ? "\nauto_tie_breaker: 1" : "";
    happens(seed, "last_man_standing: 1\nlast_man_standing_window: 500" + tie, 500);
  }

  private void happens(long seed, String quorum, int slice) throws Exception {
    random = new Random(seed);
    cluster = new FakeCluster(5, quorum);
    for (var id = 1; id <= 5; id++) {
      alive.add(cluster.start(id));
    }
    heal();
    for (var step = 0; step < STEPS; step++) {
      disturb();
      for (var count = 0; count < 10; count++) {
        cluster.run(random.nextInt(1, slice));
        noExcludedNodeIsQuorate(seed, step);
      }
    }
    alive.forEach(it -> it.resume());
    heal();
    cluster.run(5000);
    for (var it : alive) {
      assertEquals(List.of(1, 2, 3, 4, 5), it.members(), "seed " + seed);
      assertTrue(it.quorate(), "seed " + seed);
      assertEquals(List.of(1, 2, 3, 4, 5), it.group, "seed " + seed);
    }
    nodesThatStayedTogetherHeardTheSame(seed);
    nobodyHearsTwiceOrOutOfOrder(seed);
  }

  private void disturb() {
    switch (random.nextInt(10)) {
      case 0 -> restart();
      case 1 -> split();
      case 2 -> heal();
      case 3 -> alive.get(random.nextInt(alive.size())).paused = true;
      case 4, 5 -> alive.forEach(FakeCluster.Process::resume);
      case 6 -> {
        if (random.nextBoolean()) {
          overlappingViews();
        } else {
          lossAroundAView();
        }
      }
      default -> chat();
    }
  }

  private void restart() {
    var index = random.nextInt(alive.size());
    var victim = alive.get(index);
    victim.kill();
    alive.forEach(it -> it.sees(victim, true));
    alive.set(index, cluster.start(victim.id));
    heal();
  }

  private void heal() {
    for (var from : alive) {
      for (var to : alive) {
        from.cutTo(to, false);
      }
    }
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
    if (random.nextBoolean()) {
      cluster.run(random.nextInt(1200));
    }
    for (var side : List.of(left, right)) {
      if (!side.isEmpty()) {
        cluster.view(side.toArray(FakeCluster.Process[]::new));
      }
    }
  }

  /// What one says to another just before both install the next view does not arrive.
  private void lossAroundAView() {
    var from = alive.get(random.nextInt(alive.size()));
    var to = alive.get(random.nextInt(alive.size()));
    from.cutTo(to, true);
    chat();
    cluster.run(10);
    heal();
    chat();
  }

  private void chat() {
    for (var i = 0; i < 5; i++) {
      var speaker = alive.get(random.nextInt(alive.size()));
      if (speaker.paused) {
        continue;
      }
      if (random.nextInt(3) == 0) {
        speaker.tell(random.nextInt(5) + 1, "d" + said++);
      } else {
        var isLong = said % 4 == 0; // more than is told of a tail unasked
        speaker.say("m" + said++ + (isLong ? " ".repeat(5000) : ""));
      }
    }
  }

  /// Some hold one view, some another; the two views overlap.
  private void overlappingViews() {
    var one = List.of(alive.get(0), alive.get(1), alive.get(2), alive.get(3));
    var other = List.of(alive.get(4), alive.get(3), alive.get(2));
    cluster.view(
        List.of(alive.get(0), alive.get(1), alive.get(2)), one.toArray(FakeCluster.Process[]::new));
    cluster.view(List.of(alive.get(4), alive.get(3)), other.toArray(FakeCluster.Process[]::new));
  }

  /// A paused process does not act, so it does no harm if it last knew itself quorate.
  private void noExcludedNodeIsQuorate(long seed, int step) {
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

  private void nodesThatStayedTogetherHeardTheSame(long seed) {
    Map<String, List<String>> between = new LinkedHashMap<>();
    for (var process : cluster.processes) {
      String number = "";
      var heard = new ArrayList<String>();
      var next = 0;
      for (var word : process.heard) {
        if (word.startsWith("M")) {
          var to = Long.toString(process.memberships.get(next++).number());
          if (!to.equals(number)) {
            compare(between, number + " to " + to, heard, seed);
            number = to;
            heard.clear();
          }
        } else if (word.contains(":") && !word.startsWith(">")) {
          heard.add(word);
        }
      }
    }
    assertTrue(between.size() > 10);
  }

  /// A process that joined the group within a membership has not heard its beginning.
  private static void compare(
      Map<String, List<String>> between, String step, List<String> heard, long seed) {
    var other = between.putIfAbsent(step, List.copyOf(heard));
    if (other != null) {
      var shorter = Math.min(other.size(), heard.size());
      assertEquals(
          other.subList(other.size() - shorter, other.size()),
          heard.subList(heard.size() - shorter, heard.size()),
          "seed %d, %s".formatted(seed, step));
    }
  }

  /// As long as both stay: of one who was cut off, what was not known to have come is sent again.
  private void nobodyHearsTwiceOrOutOfOrder(long seed) {
    for (var process : cluster.processes) {
      var last = new TreeMap<String, Integer>(); // by sender and kind, in its present stay
      var sinces = new TreeMap<Integer, Long>();
      var next = 0;
      for (var word : process.heard) {
        if (word.startsWith("M")) {
          var stays = new TreeMap<Integer, Long>();
          for (var member : process.memberships.get(next++).members()) {
            stays.put(member.id().number(), member.sinceNumber());
          }
          var before = sinces;
          var away = !Objects.equals(before.get(process.id), stays.get(process.id));
          last.keySet()
              .removeIf(
                  it -> {
                    var id = Integer.parseInt(it.substring(1));
                    return away || !Objects.equals(before.get(id), stays.get(id));
                  });
          sinces = stays;
        } else if (word.contains(":")) {
          var colon = word.indexOf(':');
          var who = word.startsWith(">") ? word.substring(0, colon) : "=" + word.substring(0, colon);
          var number = Integer.parseInt(word.substring(colon + 2));
          var before = last.put(who, number);
          assertTrue(
              before == null || before < number,
              () -> "seed %d, %s hears %s after %s of one stay: %s".formatted(seed, process.address, word, before, process.heard));
        }
      }
    }
  }
}
