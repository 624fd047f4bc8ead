package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeId;

class QuorumRulesTest {
  private static QuorumRules rules(int nodes, String quorum) throws Exception {
    var config = config(nodes, quorum);
    return new LinkConfig(config, config.nodes().getFirst()).rules();
  }

  static ClusterConfig config(int nodes, String quorum) throws Exception {
    return config(quorum, IntStream.rangeClosed(1, nodes).toArray());
  }

  /// A configuration that lists only these nodes.
  static ClusterConfig config(String quorum, int... ids) throws Exception {
    return config(1000, quorum, ids);
  }

  static ClusterConfig config(long token, String quorum, int... ids) throws Exception {
    return ClusterConfig.parse("corosync.conf", text(token, quorum, ids));
  }

  static String text(long token, String quorum, int... ids) {
    var text = new StringBuilder("totem {\ntoken: %d\n}\nnodelist {\n".formatted(token));
    for (var id : ids) {
      text.append(
          "node {\nring0_addr: 10.0.0.%d\nname: node%d\nnodeid: %d\n}\n".formatted(id, id, id));
    }
    return text.append("}\nquorum {\n").append(quorum).append("\n}\n").toString();
  }

  private static Set<NodeId> nodes(int... ids) {
    return IntStream.of(ids).mapToObj(NodeId::new).collect(Collectors.toSet());
  }

  private static boolean quorate(QuorumRules rules, int... members) {
    return next(rules, nodes(members), List.of(rules.initial())).quorate();
  }

  /// All members' files are the same.
  private static QuorumState next(
      QuorumRules rules, Set<NodeId> members, List<QuorumState> before) {
    return rules.next(members, before, rules.initial().configuredVotes());
  }

  @Test
  void aMajorityOfTheConfiguredVotesIsQuorate() throws Exception {
    var rules = rules(5, "");
    assertTrue(quorate(rules, 1, 2, 3));
    assertFalse(quorate(rules, 1, 2));
    assertFalse(quorate(rules(4, ""), 1, 2));
  }

  @Test
  void twoNodesWaitForEachOtherOnceAndThenEitherGoesOn() throws Exception {
    var rules = rules(2, "two_node: 1");
    assertFalse(quorate(rules, 1));
    var together = next(rules, nodes(1, 2), List.of(rules.initial(), rules.initial()));
    assertTrue(together.quorate());
    assertTrue(next(rules, nodes(1), List.of(together)).quorate());
    assertTrue(quorate(rules(2, "two_node: 1\nwait_for_all: 0"), 2));
  }

  @Test
  void aNodeThatJoinsNodesThatWereCompleteNeedNotWait() throws Exception {
    var rules = rules(3, "wait_for_all: 1");
    assertFalse(quorate(rules, 1, 2));
    var complete = next(rules, nodes(1, 2, 3), List.of(rules.initial()));
    assertTrue(next(rules, nodes(1, 2), List.of(complete, rules.initial())).quorate());
  }

  @Test
  void theTieBreakerDecidesBetweenHalves() throws Exception {
    var lowest = rules(4, "auto_tie_breaker: 1");
    assertTrue(quorate(lowest, 1, 4));
    assertFalse(quorate(lowest, 2, 3));
    assertFalse(quorate(lowest, 1));
    assertTrue(quorate(rules(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: highest"), 2, 4));
    assertTrue(quorate(rules(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: 3"), 2, 3));
  }

  @Test
  void aHalfWithoutTheNamedNodeLosesTheTie() throws Exception {
    var named = rules(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: 3");
    assertFalse(quorate(named, 1, 4));
    assertFalse(quorate(named, 1, 2));
    var highest = rules(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: highest");
    assertFalse(quorate(highest, 1, 2));
    var state = next(named, nodes(1, 2, 3, 4), List.of());
    assertTrue(named.carries(nodes(2, 3), state));
    assertFalse(named.carries(nodes(1, 2), state));
  }

  @Test
  void ofAListTheNodeThatWasThereLastDecides() throws Exception {
    var rules = rules(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: 1 3");
    assertTrue(quorate(rules, 1, 4));
    assertFalse(quorate(rules, 2, 3));
    rules.tieBreaker(new NodeId(3));
    assertFalse(quorate(rules, 1, 4));
    assertTrue(quorate(rules, 2, 3));
    rules.tieBreaker(null);
    assertFalse(quorate(rules, 1, 3));
    assertTrue(quorate(rules, 1, 3, 4));
  }

  @Test
  void oneOfTwoGoesOnAloneAfterTheWindowOnlyByTheTieBreaker() throws Exception {
    var plain = rules(3, "last_man_standing: 1");
    var two =
        plain.afterWindow(
            nodes(1, 2), next(plain, nodes(1, 2), List.of(next(plain, nodes(1, 2, 3), List.of()))));
    assertEquals(2, two.expectedVotes());
    assertEquals(two, plain.afterWindow(nodes(1, 2), two), "no node has left");
    var without = rules(3, "");
    var three = next(without, nodes(1, 2), List.of());
    assertEquals(three, without.afterWindow(nodes(1, 2), three), "the option is off");

    var breaker = rules(3, "last_man_standing: 1\nauto_tie_breaker: 1");
    var alone = next(breaker, nodes(1), List.of(two));
    assertTrue(alone.quorate(), "half, with the lowest id");
    assertEquals(1, breaker.afterWindow(nodes(1), alone).expectedVotes());
    assertFalse(next(breaker, nodes(2), List.of(two)).quorate());
    var twoNode = rules(2, "two_node: 1\nlast_man_standing: 1\nwait_for_all: 0");
    var one = next(twoNode, nodes(1), List.of());
    assertEquals(one, twoNode.afterWindow(nodes(1), one));
  }

  @Test
  void theFlagsShowTheOptionsAndTheQuorum() throws Exception {
    var rules = rules(2, "two_node: 1");
    assertEquals(List.of("2Node", "WaitForAll"), rules.flags(rules.initial(), false));
    var other = rules(3, "last_man_standing: 1\nauto_tie_breaker: 1");
    assertEquals(
        List.of("Quorate", "LastManStanding", "AutoTieBreaker"),
        other.flags(other.initial(), true));
  }

  @Test
  void lastManStandingNeedsAWindowBetweenTwoLosses() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    var all = next(rules, nodes(1, 2, 3, 4, 5), List.of());
    var three = next(rules, nodes(1, 2, 3), List.of(all));
    assertTrue(three.quorate());
    assertFalse(next(rules, nodes(1, 2), List.of(three)).quorate());
    var settled = rules.afterWindow(nodes(1, 2, 3), three);
    assertEquals(3, settled.expectedVotes());
    var two = next(rules, nodes(1, 2), List.of(settled));
    assertTrue(two.quorate());
    assertFalse(next(rules, nodes(1), List.of(rules.afterWindow(nodes(1, 2), two))).quorate());
    assertEquals(5, next(rules, nodes(1, 2, 3, 4, 5), List.of(settled)).expectedVotes());
  }

  @Test
  void theLargestNumberThatAMemberExpectsCounts() throws Exception {
    var three = rules(3, "");
    var before = three.next(nodes(1, 2, 3), List.of(three.initial()), 3);
    var four = rules(4, "");
    assertFalse(four.next(nodes(1, 2), List.of(before), 4).quorate());
    assertFalse(three.next(nodes(1, 2), List.of(before), 4).quorate(), "one member expects four");
    var grown = four.next(nodes(1, 2, 3, 4), List.of(before), 4);
    assertEquals(4, grown.expectedVotes());
    assertTrue(three.next(nodes(1, 2), List.of(grown), 3).quorate(), "all expect three again");
  }

  @Test
  void votesLoweredByLastManStandingStayLowThroughNewMemberships() throws Exception {
    var rules = rules(5, "last_man_standing: 1");
    var all = next(rules, nodes(1, 2, 3, 4, 5), List.of());
    var three = rules.afterWindow(nodes(1, 2, 3), next(rules, nodes(1, 2, 3), List.of(all)));
    assertEquals(3, next(rules, nodes(1, 2, 3), List.of(three)).expectedVotes());
    assertEquals(3, next(rules, nodes(1, 2), List.of(three, all)).expectedVotes());
    assertEquals(4, next(rules, nodes(1, 2, 3, 4), List.of(three)).expectedVotes());
  }

  @Test
  void aSmallerPartOfALoweredPartitionCountsByTheConfigurationWithANodeThatWasLeftOut()
      throws Exception {
    var rules = rules(4, "last_man_standing: 1");
    var all = next(rules, nodes(1, 2, 3, 4), List.of());
    var three = rules.afterWindow(nodes(1, 2, 3), next(rules, nodes(1, 2, 3), List.of(all)));
    var larger = rules.next(nodes(1, 2), nodes(1, 2), List.of(three, three, three), 4, false);
    assertTrue(larger.quorate(), "two of the three that are counted");
    var fourth = next(rules, nodes(4), List.of(all));
    var smaller = rules.next(nodes(3, 4), nodes(3), List.of(three, three, fourth), 4, false);
    assertEquals(4, smaller.expectedVotes());
    assertFalse(smaller.quorate(), "the other two have it");

    var alone = rules.next(nodes(3), nodes(3), List.of(three, three), 4, false);
    assertEquals(3, alone.expectedVotes());
    assertFalse(alone.quorate());
    assertFalse(rules.next(nodes(3, 4), nodes(3), List.of(alone, alone, fourth), 4, false).quorate());
    var one = rules.next(nodes(1), nodes(1), List.of(three, three), 4, false);
    var again = rules.next(nodes(1, 3), nodes(1), List.of(one, one, alone), 4, false);
    assertTrue(again.quorate(), "both know that three are counted");
  }

  /// Each was cut off when more were counted than the next time: they are no majority of any of these, nor of all nodes.
  @Test
  void nodesThatWereLeftOutOneAfterTheOtherCountByTheConfiguration() throws Exception {
    var rules = rules(6, "last_man_standing: 1");
    var five = settled(rules, nodes(1, 2, 3, 4, 5), next(rules, nodes(1, 2, 3, 4, 5, 6), List.of()));
    var four = settled(rules, nodes(2, 3, 4, 5), five);
    var three = settled(rules, nodes(3, 4, 5), four);
    assertTrue(rules.next(nodes(4, 5), nodes(4, 5), List.of(three, three, three), 6, false).quorate());
    var first = rules.next(nodes(1), nodes(1), List.of(five, five), 6, false);
    var second = rules.next(nodes(2), nodes(2), List.of(four, four), 6, false);
    var third = rules.next(nodes(3), nodes(3), List.of(three, three), 6, false);
    assertEquals(List.of(5, 4, 3), List.of(first.expectedVotes(), second.expectedVotes(), third.expectedVotes()));
    var together = rules.next(nodes(1, 2, 3), nodes(3), List.of(third, third, second, first), 6, false);
    assertEquals(6, together.expectedVotes());
    assertFalse(together.quorate(), "the other two have it");
  }

  private static QuorumState settled(QuorumRules rules, Set<NodeId> members, QuorumState before) {
    return rules.afterWindow(members, next(rules, members, List.of(before)));
  }

  @Test
  void oneOfTwoNodesIsNotEnoughOnceAThirdIsListedSomewhere() throws Exception {
    var rules = rules(2, "two_node: 1");
    var together = rules.next(nodes(1, 2), List.of(rules.initial()), 3);
    assertTrue(together.quorate());
    assertFalse(rules.next(nodes(1), List.of(together), 3).quorate());
  }

  @Test
  void onlyNodesThatAnswerCarryTheQuorum() throws Exception {
    var rules = rules(3, "");
    var state = next(rules, nodes(1, 2, 3), List.of());
    assertTrue(rules.carries(nodes(1, 3), state));
    assertFalse(rules.carries(nodes(1), state));
  }
}
