package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.cluster.ClusterConfig;

class NodeConfigTest {
  private static NodeConfig file(long token, String quorum, int... ids) throws Exception {
    var config = QuorumRulesTest.config(token, quorum, ids);
    return NodeConfig.of(config, config.nodes().getFirst());
  }

  private static NodeConfig file(String text) throws Exception {
    var config = ClusterConfig.parse("corosync.conf", text);
    return NodeConfig.of(config, config.nodes().getFirst());
  }

  private static String node(int id, String name, int votes) {
    return "node {\nring0_addr: 10.0.0.%d\nname: %s\nnodeid: %d\nquorum_votes: %d\n}\n"
        .formatted(id, name, id, votes);
  }

  @Test
  void ofTheSameFileNothingDiffers() throws Exception {
    assertEquals(List.of(), file(1000, "", 1, 2, 3).differences(file(1000, "", 1, 2, 3)));
  }

  @Test
  void theNodesThatOneOfTheListsLacksAreNamed() throws Exception {
    var three = file(1000, "expected_votes: 3", 1, 2, 3);
    var other = file(1000, "expected_votes: 3", 1, 3, 4);
    assertEquals(
        List.of("it lists node 4 (node4), this one does not", "it does not list node 2 (node2)"),
        three.differences(other));
  }

  @Test
  void namesAndVotesAreCompared() throws Exception {
    var here = file("nodelist {\n" + node(1, "a", 1) + node(2, "b", 1) + "}\n");
    var there = file("nodelist {\n" + node(1, "a", 2) + node(2, "c", 0) + "}\n");
    assertEquals(
        List.of(
            "node 1 is a with 2 votes there, a with 1 here",
            "node 2 is c with 0 votes there, b with 1 here"),
        here.differences(there));
  }

  /// Others count by the shortest token time of all.
  @Test
  void aFileWithoutATokenTimeIsNone() throws Exception {
    var own = file(200, "", 1, 2);
    for (var token : new long[] {0, -1, 199, Long.MAX_VALUE}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new NodeConfig(own.name(), token, own.nodes(), own.quorum(), own.device()));
    }
  }

  @Test
  void tokensAreCompared() throws Exception {
    assertEquals(
        List.of("its token is 3000 ms, here 1000 ms"),
        file(1000, "", 1, 2).differences(file(3000, "", 1, 2)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expected_votes: 5 | its expected_votes is 5, here 3",
        "wait_for_all: 1 | its wait_for_all is true, here false",
        "last_man_standing: 1 | its last_man_standing is true, here false",
        "last_man_standing_window: 77 | its last_man_standing_window is 77, here 10000",
        "auto_tie_breaker: 1 | its auto_tie_breaker is true, here false",
        "auto_tie_breaker_node: highest | its auto_tie_breaker_node is highest, here lowest",
        "auto_tie_breaker_node: 3 2 | its auto_tie_breaker_node is [3, 2], here lowest"
      })
  void everyQuorumOptionIsCompared(String option, String difference) throws Exception {
    assertEquals(
        List.of(difference), file(1000, "", 1, 2, 3).differences(file(1000, option, 1, 2, 3)));
  }

  @Test
  void twoNodeIsCompared() throws Exception {
    var difference =
        file(1000, "wait_for_all: 1", 1, 2).differences(file(1000, "two_node: 1", 1, 2));
    assertEquals(List.of("its two_node is true, here false"), difference);
  }

  @Test
  void theNodesAreSortedByTheirIds() throws Exception {
    assertEquals(
        List.of(1, 2, 9),
        file(1000, "", 9, 1, 2).nodes().stream().map(it -> it.id().number()).toList());
  }

  @Test
  void filesThatAgreeAndExpectAllTheyListAreSettled() throws Exception {
    var one = file(1000, "", 1, 2, 3);
    assertTrue(NodeConfig.settled(List.of(one, file(1000, "", 1, 2, 3))));
    assertTrue(NodeConfig.settled(List.of(file(1000, "expected_votes: 4", 1, 2, 3))));
    assertFalse(NodeConfig.settled(List.of(one, file(1000, "", 1, 2, 3, 4))));
    assertFalse(NodeConfig.settled(List.of(one, file(2000, "", 1, 2, 3))));
    assertFalse(NodeConfig.settled(List.of(file(1000, "expected_votes: 2", 1, 2, 3))));
    assertFalse(NodeConfig.settled(List.of()));
  }
}
