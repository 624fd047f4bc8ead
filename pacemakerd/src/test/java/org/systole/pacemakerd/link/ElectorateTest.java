package org.systole.pacemakerd.link;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.pacemakerd.link.QuorumRulesTest.nodes;
import static org.systole.pacemakerd.link.QuorumRulesTest.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;

/// Whose votes count where last_man_standing leaves nodes out.
final class ElectorateTest {
  private static Electorate of(int... ids) {
    return new Electorate(new Counted(1, sorted(nodes(ids))), List.of());
  }

  private static List<NodeId> sorted(Set<NodeId> ids) {
    return List.copyOf(new TreeSet<>(ids));
  }

  private static QuorumState next(QuorumRules rules, Electorate electorate, int... members) {
    return rules.next(
        nodes(members), electorate, List.of(), rules.initial().configuredVotes(), false);
  }

  private static @Nullable Counted wanted(
      QuorumRules rules, Electorate electorate, boolean passed, int... members) {
    var expected = next(rules, electorate, members).expectedVotes();
    return rules.wanted(nodes(members), electorate, expected, 7, passed);
  }

  @Test
  void whoLeavesIsNotCountedOnceTheWindowHasPassed() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    assertTrue(next(rules, Electorate.ALL, 1, 2, 3).quorate());
    assertFalse(next(rules, Electorate.ALL, 1, 2).quorate());
    assertNull(wanted(rules, Electorate.ALL, false, 1, 2, 3));
    assertEquals(sorted(nodes(1, 2, 3)), wanted(rules, Electorate.ALL, true, 1, 2, 3).nodes());
    var two = next(rules, of(1, 2, 3), 1, 2);
    assertEquals(List.of(3, 2, 2), List.of(two.expectedVotes(), two.quorumVotes(), two.totalVotes()));
    assertTrue(two.quorate());
    assertFalse(next(rules, of(1, 2), 1).quorate());
    assertNull(wanted(rules(5, ""), Electorate.ALL, true, 1, 2, 3), "the option is off");
  }

  @Test
  void whoIsBackCountsAtOnce() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    var four = next(rules, of(1, 2, 3), 1, 2, 3, 4);
    assertEquals(List.of(4, 3), List.of(four.expectedVotes(), four.quorumVotes()));
    assertEquals(sorted(nodes(1, 2, 3, 4)), wanted(rules, of(1, 2, 3), false, 1, 2, 3, 4).nodes());
    assertNull(wanted(rules, of(1, 2, 3), false, 1, 2, 3));
    var all = wanted(rules, of(1, 2, 3), false, 1, 2, 3, 4, 5);
    assertNull(all.nodes());
    assertTrue(all.since() > of(1, 2, 3).newest());
  }

  @Test
  void thoseWhoWereLeftOutAreNoMajorityWithOneWhoWasNot() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    var left = next(rules, of(1, 2, 3), 3, 4, 5);
    assertFalse(left.quorate(), "the other two have most of the three that count");
    assertTrue(left.totalVotes() < left.quorumVotes(), "so a person is told of it");
    assertTrue(next(rules, of(1, 2, 3), 2, 3, 4, 5).quorate());
  }

  @Test
  void nodesThatTheListHasNoMoreCountUntilAllDo() throws Exception {
    var one = rules(1, "last_man_standing: 1");
    assertFalse(next(one, of(1, 2, 3), 1).quorate());
    var two = rules(2, "last_man_standing: 1");
    assertTrue(next(two, of(1, 2, 3), 1, 2).quorate());
    assertNull(wanted(two, of(1, 2, 3), false, 1, 2).nodes());
  }

  @Test
  void oneOfTwoGoesOnAloneOnlyByTheTieBreaker() throws Exception {
    assertNull(wanted(rules(3, "last_man_standing: 1"), of(1, 2), true, 1));
    var breaker = rules(3, "last_man_standing: 1\nauto_tie_breaker: 1");
    assertTrue(next(breaker, of(1, 2), 1).quorate(), "half, with the lowest id");
    assertFalse(next(breaker, of(1, 2), 2).quorate());
    assertFalse(next(breaker, of(1, 2), 2, 3).quorate());
    assertEquals(sorted(nodes(1)), wanted(breaker, of(1, 2), true, 1).nodes());
    assertNull(wanted(rules(2, "two_node: 1\nlast_man_standing: 1"), Electorate.ALL, true, 1));
  }

  @Test
  void whoKnowsOfAProposalNeedsBothMajorities() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    var open = Electorate.ALL.with(new Counted(70, sorted(nodes(1, 2, 3))));
    assertFalse(next(rules, open, 1, 2).quorate(), "no majority of all");
    assertFalse(next(rules, open, 3, 4, 5).quorate(), "no majority of the three");
    assertTrue(next(rules, open, 2, 3, 4).quorate());
    assertTrue(next(rules, open.settled(70), 1, 2).quorate());
    assertEquals(open.settled(70), Electorate.merged(List.of(open, open.settled(70), of(1, 4))));
    assertEquals(open.proposed().getFirst(), wanted(rules, open, false, 1, 2, 3, 4, 5));
  }

  @Test
  void withoutTheOptionAllCountAgainOnceMostOfThemAreThere() throws Exception {
    var rules = rules(5, "");
    assertNull(wanted(rules, of(1, 2), false, 1, 2));
    assertNull(wanted(rules, of(1, 2, 3), false, 1, 2, 3).nodes());
  }

  /// Any number of nodes, cut apart in any way at any time: while a membership is made, while a
  /// proposal is written, before all have heard that it is settled; and started anew.
  @Test
  void twoSidesNeverHaveQuorum() throws Exception {
    var lowered = 0;
    var alone = 0;
    for (var seed = 0; seed < 3_000; seed++) {
      var it = new History(new Random(seed));
      for (var step = 0; step < 60; step++) {
        it.step("seed " + seed + ", step " + step);
      }
      lowered += it.lowered;
      alone += it.alone;
    }
    assertTrue(lowered > 10_000, lowered + " changes were settled");
    assertTrue(alone > 1_000, alone + " sides had quorum by what was left of the votes");
  }

  /// Nodes know what they have on disk, so a restart changes nothing.
  private static final class History {
    private final Random random;
    private final int count;
    private final QuorumRules rules;
    private final Map<NodeId, Electorate> known = new TreeMap<>();
    private List<Set<NodeId>> sides = new ArrayList<>();
    private long membership = 1;
    private int lowered;
    private int alone;

    History(Random random) throws Exception {
      this.random = random;
      this.count = 3 + random.nextInt(5);
      var tie = random.nextInt(3) == 0 ? "\nauto_tie_breaker: 1" : "";
      this.rules = rules(count, "last_man_standing: 1" + tie);
      for (var id = 1; id <= count; id++) {
        known.put(new NodeId(id), Electorate.ALL);
      }
    }

    void step(String where) {
      if (sides.isEmpty() || random.nextInt(3) == 0) {
        cut();
      }
      var acting = new ArrayList<Set<NodeId>>();
      for (var side : sides) {
        membership++;
        var merged = Electorate.merged(side.stream().map(known::get).toList());
        side.stream().filter(_ -> random.nextInt(4) > 0).forEach(it -> known.put(it, merged));
        var state = rules.next(side, merged, List.of(), count, false);
        if (state.quorate()) {
          acting.add(side);
          alone += 2 * side.size() <= count ? 1 : 0;
          change(side, merged, state);
        }
      }
      assertTrue(acting.size() < 2, () -> where + ": " + acting + " of " + known);
    }

    private void cut() {
      var parts = new TreeMap<Integer, Set<NodeId>>();
      var number = 1 + random.nextInt(3);
      for (var id : known.keySet()) {
        if (random.nextInt(6) > 0) { // else it is down
          parts.computeIfAbsent(random.nextInt(number), _ -> new TreeSet<>()).add(id);
        }
      }
      sides = new ArrayList<>(parts.values());
    }

    private void change(Set<NodeId> side, Electorate electorate, QuorumState state) {
      var wanted =
          rules.wanted(side, electorate, state.expectedVotes(), membership, random.nextBoolean());
      if (wanted == null) {
        return;
      }
      var reach = random.nextInt(3) == 0 ? random.nextInt(side.size()) : side.size();
      var kept = side.stream().limit(reach).collect(toCollection(TreeSet::new));
      kept.forEach(it -> known.compute(it, (_, before) -> Electorate.merged(List.of(before, electorate)).with(wanted)));
      if (kept.size() == side.size()) {
        lowered++;
        side.stream()
            .filter(_ -> random.nextInt(3) > 0)
            .forEach(it -> known.computeIfPresent(it, (_, known) -> known.settled(wanted.since())));
      }
    }
  }

  /// The number of the last membership may have been lost once: it goes on from the seconds since 2020.
  @Test
  void changesOfTwoMembershipsHaveTwoNumbersHoweverLargeThoseAre() {
    for (var counter : new long[] {1, (1L << 24) - 1, 1L << 24, 1L << 25, 218_000_000, 250_000_000, 1L << 30}) {
      for (var known : List.of(Electorate.ALL, new Electorate(new Counted(1L << 62, null), List.of()))) {
        var since = new TreeSet<Long>();
        for (var node = 1; node <= 5; node++) {
          for (var later = 0; later < 5; later++) {
            var number = MembershipNumber.of(counter + later, new NodeId(node));
            var one = Counted.by(number, known, List.of(new NodeId(node)));
            assertTrue(one.since() > known.newest());
            assertTrue(since.add(one.since()), counter + " " + node + " " + later);
          }
        }
      }
    }
  }

  @Test
  void nobodysVotesAndNumbersWithoutRoomAreNoChange() {
    assertThrows(IllegalArgumentException.class, () -> new Counted(600, List.of()));
    assertThrows(IllegalArgumentException.class, () -> new Counted(-1, null));
    assertThrows(IllegalArgumentException.class, () -> new Counted(Long.MAX_VALUE, null));
    var last = new Electorate(new Counted(8_999_999_999_999_999_999L, null), List.of());
    var none = Counted.by(MembershipNumber.of(9, new NodeId(1)), last, List.of(new NodeId(1)));
    assertEquals(last, last.with(none), "there is no number left, and nobody ends for it");
  }
}
