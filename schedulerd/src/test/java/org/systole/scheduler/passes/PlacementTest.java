package org.systole.scheduler.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.ScoreLine;

class PlacementTest {
  private static TestCluster twoOnline() {
    return TestCluster.ofTwo().online("a").online("b");
  }

  @Test
  void resourcesAreSpreadOverNodesThatAreAsGood() {
    var plan = twoOnline().dummy("x").dummy("y").plan();
    assertNotEquals(plan.nodeOf("x"), plan.nodeOf("y"));
  }

  @Test
  void aLocationConstraintDecidesAndIsNotedAsTheCause() {
    var plan =
        twoOnline()
            .dummy("x")
            .constraint("<rsc_location id='prefers-b' rsc='x' node='b' score='50'/>")
            .plan(ClusterFlag.EXPLAIN);
    assertEquals("b", plan.nodeOf("x"));
    assertTrue(
        plan.transition().cluster().scoreCauses().stream()
            .anyMatch(
                cause ->
                    cause.source().equals("prefers-b")
                        && cause.score() == 50
                        && cause.node().name().equals("b")));
  }

  @Test
  void aPatternThatCouldBeTriedForeverIsPlannedForAtOnce() {
    var cluster =
        twoOnline()
            .dummy("fencing-n1")
            .constraint(
                "<rsc_location id='l' rsc-pattern='^((.|.|.|.|.|.|.|.|.|.)+)+=$' node='a'"
                    + " score='-INFINITY'/>")
            .constraint(
                "<rsc_location id='m' rsc-pattern='^fencing-(n[0-9]+)$' node='a'"
                    + " score='-INFINITY'/>");
    var plan = assertTimeoutPreemptively(Duration.ofSeconds(5), () -> cluster.plan());
    assertEquals("b", plan.nodeOf("fencing-n1"));
  }

  @Test
  void stickinessKeepsAResourceWhereItIs() {
    var cluster = TestCluster.ofTwo();
    var plan =
        cluster
            .dummy("x", cluster.meta("resource-stickiness", "100"))
            .online("a", TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .constraint("<rsc_location id='l' rsc='x' node='b' score='50'/>")
            .plan();
    assertEquals("a", plan.nodeOf("x"));
  }

  @Test
  void aStrongerPreferenceMovesIt() {
    var cluster = TestCluster.ofTwo();
    var plan =
        cluster
            .dummy("x", cluster.meta("resource-stickiness", "100"))
            .online("a", TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .constraint("<rsc_location id='l' rsc='x' node='b' score='150'/>")
            .plan();
    assertTrue(plan.has("x_stop_0 a"));
    assertTrue(plan.inputs("x_start_0 b").contains("x_stop_0 a"));
  }

  @Test
  void colocatedResourcesGoTogether() {
    var plan =
        twoOnline()
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_location id='l' rsc='x' node='b' score='10'/>")
            .constraint("<rsc_colocation id='c' rsc='y' with-rsc='x' score='INFINITY'/>")
            .plan();
    assertEquals("b", plan.nodeOf("x"));
    assertEquals("b", plan.nodeOf("y"));
  }

  @Test
  void whatMustNotBeTogetherIsNot() {
    var plan =
        twoOnline()
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_location id='l' rsc='x' node='b' score='10'/>")
            .constraint("<rsc_location id='m' rsc='y' node='b' score='10'/>")
            .constraint("<rsc_colocation id='c' rsc='y' with-rsc='x' score='-INFINITY'/>")
            .plan();
    assertEquals("b", plan.nodeOf("x"));
    assertEquals("a", plan.nodeOf("y"));
  }

  @Test
  void theDependentsWishesMoveThePrimary() {
    var plan =
        twoOnline()
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_location id='l' rsc='y' node='b' score='10'/>")
            .constraint("<rsc_colocation id='c' rsc='y' with-rsc='x' score='INFINITY'/>")
            .plan();
    assertEquals("b", plan.nodeOf("x"));
  }

  @Test
  void aPatternMeansAllResourcesThatMatch() {
    var plan =
        twoOnline()
            .dummy("db-1")
            .dummy("db-2")
            .dummy("web")
            .constraint(
                "<rsc_location id='l' rsc-pattern='^db-[[:digit:]]$' node='b' score='100'/>")
            .plan();
    assertEquals("b", plan.nodeOf("db-1"));
    assertEquals("b", plan.nodeOf("db-2"));
  }

  @Test
  void anOptInClusterRunsOnlyWhatIsAllowedSomewhere() {
    var plan =
        twoOnline()
            .option("symmetric-cluster", "false")
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_location id='l' rsc='x' node='b' score='1'/>")
            .plan();
    assertEquals("b", plan.nodeOf("x"));
    assertEquals("", plan.nodeOf("y"));
  }

  @Test
  void utilizationIsNotExceeded() {
    var cluster = new TestCluster().option("fencing-enabled", "false");
    cluster.option("placement-strategy", "utilization").node("a").online("a");
    for (var id : new String[] {"x", "y"}) {
      cluster.dummy(
          id,
          "<utilization id='u-"
              + id
              + "'><nvpair id='c-"
              + id
              + "' name='cpu' value='2'/></utilization>");
    }
    var plan = cluster.plan();
    assertEquals("", plan.nodeOf("x") + plan.nodeOf("y"));
  }

  @Test
  void scoresAreNotedOnlyIfAskedFor() {
    var cluster = twoOnline().dummy("x");
    assertTrue(cluster.plan().transition().cluster().scoreLines().isEmpty());
    var lines = cluster.plan(ClusterFlag.OUTPUT_SCORES).transition().cluster().scoreLines();
    assertTrue(lines.contains(new ScoreLine.Allocation("pcmk__primitive_assign", "x", "a", 0)));
  }

  @Test
  void aMinusInfiniteScoreOutweighsAnInfiniteOne() {
    var plan =
        twoOnline()
            .dummy("x")
            .constraint("<rsc_location id='l' rsc='x' node='a' score='INFINITY'/>")
            .constraint("<rsc_location id='m' rsc='x' node='a' score='-INFINITY'/>")
            .plan();
    assertEquals("b", plan.nodeOf("x"));
    var node = plan.transition().cluster().node("a");
    assertTrue(node != null);
    var entry = plan.resource("x").allowed().get(node);
    assertTrue(entry != null && entry.score() == -Score.INFINITY);
  }
}
