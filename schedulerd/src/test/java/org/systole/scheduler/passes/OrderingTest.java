package org.systole.scheduler.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.scheduler.sim.DotGraph;

class OrderingTest {
  private static TestCluster one() {
    return new TestCluster().option("fencing-enabled", "false").node("a");
  }

  @Test
  void whatComesThenWaitsForWhatComesFirst() {
    var plan =
        one()
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_order id='o' first='x' then='y'/>")
            .online("a")
            .plan();
    assertTrue(plan.inputs("y_start_0 a").contains("x_start_0 a"));
  }

  @Test
  void theWayBackIsTheOtherWayRound() {
    var plan =
        one()
            .option("stop-all-resources", "true")
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_order id='o' first='x' then='y'/>")
            .online("a", TestCluster.running("x"), TestCluster.running("y"))
            .plan();
    assertTrue(plan.inputs("x_stop_0 a").contains("y_stop_0 a"));
    assertFalse(plan.inputs("y_stop_0 a").contains("x_stop_0 a"));
  }

  @Test
  void whoCannotStartKeepsOthersFromStarting() {
    var cluster = one();
    var plan =
        cluster
            .dummy("x", cluster.meta("target-role", "Stopped"))
            .dummy("y")
            .constraint("<rsc_order id='o' first='x' then='y'/>")
            .online("a")
            .plan();
    assertFalse(plan.has("y_start_0 a"));
  }

  @Test
  void anOptionalOrderHoldsOnlyIfBothHappen() {
    var cluster = one();
    var plan =
        cluster
            .dummy("x", cluster.meta("target-role", "Stopped"))
            .dummy("y")
            .constraint("<rsc_order id='o' first='x' then='y' kind='Optional'/>")
            .online("a")
            .plan();
    assertTrue(plan.has("y_start_0 a"));
  }

  @Test
  void ofASetOneIsEnoughIfNotAllAreRequired() {
    var cluster = one();
    var plan =
        cluster
            .dummy("x", cluster.meta("target-role", "Stopped"))
            .dummy("y")
            .dummy("z")
            .constraint(
                "<rsc_order id='o'><resource_set id='s1' sequential='false' require-all='false'>"
                    + "<resource_ref id='x'/><resource_ref id='y'/></resource_set>"
                    + "<resource_set id='s2'><resource_ref id='z'/></resource_set></rsc_order>")
            .online("a")
            .plan();
    assertTrue(plan.inputs("z_start_0 a").contains("one-or-more:s1"));
  }

  @Test
  void groupMembersComeOneAfterTheOther() {
    var plan =
        one()
            .resource(
                "<group id='g'>"
                    + TestCluster.dummyXml("x")
                    + TestCluster.dummyXml("y")
                    + "</group>")
            .online("a")
            .plan();
    assertTrue(plan.inputs("y_start_0 a").contains("x_start_0 a"));
    assertTrue(plan.inputs("g_running_0").contains("y_start_0 a"));
  }

  @Test
  void aCloneIsStartedOnEveryNode() {
    var plan =
        TestCluster.ofTwo()
            .resource("<clone id='c'>" + TestCluster.dummyXml("x") + "</clone>")
            .online("a")
            .online("b")
            .plan();
    assertEquals(
        2, plan.actions().stream().filter(name -> name.matches("x:[01]_start_0 [ab]")).count());
  }

  @Test
  void anInstanceWithAPromotionScoreIsPromoted() {
    var cluster = TestCluster.ofTwo();
    var plan =
        cluster
            .resource(
                "<clone id='c'>"
                    + cluster.meta("promotable", "true")
                    + TestCluster.dummyXml("x")
                    + "</clone>")
            .constraint(
                "<rsc_location id='l' rsc='c'><rule id='r' role='Promoted' score='100'><expression"
                    + " id='e' attribute='#uname' operation='eq' value='b'/></rule></rsc_location>")
            .online("a")
            .online("b")
            .plan();
    var promotions =
        plan.actions().stream().filter(name -> name.matches("x:[01]_promote_0 .*")).toList();
    assertEquals(1, promotions.size());
    assertTrue(promotions.getFirst().endsWith(" b"));
    var start = promotions.getFirst().replace("promote", "start");
    assertTrue(plan.inputs(promotions.getFirst()).contains(start));
  }

  @Test
  void instancesThatWantToKnowAreTold() {
    var cluster = TestCluster.ofTwo();
    var plan =
        cluster
            .resource(
                "<clone id='c'>"
                    + cluster.meta("notify", "true")
                    + TestCluster.dummyXml("x")
                    + "</clone>")
            .online("a", TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .plan();
    var told = plan.action("x_pre_notify_start_0 a");
    assertEquals("b", told.meta("notify_start_uname"));
    assertEquals("a", told.meta("notify_active_uname"));
  }

  @Test
  void aDrawingShowsWhatIsPlanned() {
    var plan = one().dummy("x").online("a", TestCluster.absent("x")).plan();
    var dot = DotGraph.draw(plan.transition().cluster(), false, false);
    assertTrue(dot.startsWith(" digraph \"g\" {\n"));
    assertTrue(dot.contains("\"x_start_0 a\" [ style=bold color=\"green\" fontcolor=\"black\"]\n"));
  }
}
