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
  static QuorumRules rules(int nodes, String quorum) throws Exception {
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

  static Set<NodeId> nodes(int... ids) {
    return IntStream.of(ids).mapToObj(NodeId::new).collect(Collectors.toSet());
  }

  private static boolean quorate(QuorumRules rules, int... members) {
    return next(rules, nodes(members), List.of(rules.initial())).quorate();
  }

  /// All members' files are the same.
  private static QuorumState next(
      QuorumRules rules, Set<NodeId> members, List<QuorumState> before) {
    return rules.next(
        members, Electorate.ALL, before, rules.initial().configuredVotes(), false);
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
    assertTrue(named.carries(nodes(2, 3), state, Electorate.ALL, false));
    assertFalse(named.carries(nodes(1, 2), state, Electorate.ALL, false));
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
  void theFlagsShowTheOptionsAndTheQuorum() throws Exception {
    var rules = rules(2, "two_node: 1");
    assertEquals(List.of("2Node", "WaitForAll"), rules.flags(rules.initial(), false, false, false));
    var other = rules(3, "last_man_standing: 1\nauto_tie_breaker: 1");
    assertEquals(
        List.of("Quorate", "LastManStanding", "AutoTieBreaker", "VotesWait", "FileWaits"),
        other.flags(other.initial(), true, true, true));
  }

  @Test
  void theLargestNumberThatAMemberExpectsCounts() throws Exception {
    var three = rules(3, "");
    var before = three.next(nodes(1, 2, 3), Electorate.ALL, List.of(three.initial()), 3, false);
    var four = rules(4, "");
    assertFalse(four.next(nodes(1, 2), Electorate.ALL, List.of(before), 4, false).quorate());
    assertFalse(three.next(nodes(1, 2), Electorate.ALL, List.of(before), 4, false).quorate(), "one member expects four");
    var grown = four.next(nodes(1, 2, 3, 4), Electorate.ALL, List.of(before), 4, false);
    assertEquals(4, grown.expectedVotes());
    assertTrue(three.next(nodes(1, 2), Electorate.ALL, List.of(grown), 3, false).quorate(), "all expect three again");
  }

  @Test
  void oneOfTwoNodesIsNotEnoughOnceAThirdIsListedSomewhere() throws Exception {
    var rules = rules(2, "two_node: 1");
    var together = rules.next(nodes(1, 2), Electorate.ALL, List.of(rules.initial()), 3, false);
    assertTrue(together.quorate());
    assertFalse(rules.next(nodes(1), Electorate.ALL, List.of(together), 3, false).quorate());
  }

  @Test
  void onlyNodesThatAnswerCarryTheQuorum() throws Exception {
    var rules = rules(3, "");
    var state = next(rules, nodes(1, 2, 3), List.of());
    assertTrue(rules.carries(nodes(1, 3), state, Electorate.ALL, false));
    assertFalse(rules.carries(nodes(1), state, Electorate.ALL, false));
  }
}
