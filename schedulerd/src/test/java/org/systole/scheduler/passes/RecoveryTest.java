package org.systole.scheduler.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.values.CibNodeId;

class RecoveryTest {
  private static final String MONITOR =
      "<operations><op id='m' name='monitor' interval='10s' timeout='30s'/></operations>";

  @Test
  void aResourceIsLookedForEverywhereBeforeItIsStarted() {
    var plan = TestCluster.ofTwo().dummy("x", MONITOR).online("a").online("b").plan();
    var start = "x_start_0 " + plan.nodeOf("x");
    assertTrue(plan.inputs(start).contains("x_monitor_0 a"));
    assertTrue(plan.inputs(start).contains("x_monitor_0 b"));
    var monitor = plan.action("x_monitor_10000 " + plan.nodeOf("x"));
    assertEquals(30_000, monitor.timeout().toMillis());
    assertEquals(10_000, monitor.intervalMillis());
  }

  @Test
  void aLostNodeIsFencedBeforeItsResourcesAreRecovered() {
    var plan =
        TestCluster.ofTwo()
            .dummy("x")
            .online("a", TestCluster.absent("x"))
            .lost("b", TestCluster.running("x"))
            .plan();
    assertTrue(plan.has("stonith-b-reboot b"));
    assertTrue(plan.inputs("x_start_0 a").contains("stonith-b-reboot b"));
    assertEquals(new CibNodeId("id-b"), plan.action("stonith-b-reboot b").downed().getFirst());
  }

  @Test
  void withoutFencingALostNodesResourcesAreTakenOverAtOnce() {
    var plan =
        new TestCluster()
            .node("a")
            .node("b")
            .option("fencing-enabled", "false")
            .dummy("x")
            .online("a", TestCluster.absent("x"))
            .lost("b", TestCluster.running("x"))
            .plan();
    assertEquals("a", plan.nodeOf("x"));
    assertTrue(plan.has("x_start_0 a"));
  }

  @Test
  void withoutQuorumEverythingIsStopped() {
    var plan =
        TestCluster.ofTwo()
            .withoutQuorum()
            .dummy("x")
            .online("a", TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .plan();
    assertTrue(plan.has("x_stop_0 a"));
    assertFalse(plan.has("x_start_0 a"));
  }

  @Test
  void aFrozenPartitionKeepsWhatItHasAndStartsNothing() {
    var plan =
        TestCluster.ofTwo()
            .withoutQuorum()
            .option("no-quorum-policy", "freeze")
            .dummy("x")
            .dummy("y")
            .constraint("<rsc_location id='l' rsc='x' node='a' score='10'/>")
            .online("a", TestCluster.running("x"), TestCluster.absent("y"))
            .online("b", TestCluster.absent("x"), TestCluster.absent("y"))
            .plan();
    assertFalse(plan.has("x_stop_0 a"));
    assertTrue(plan.actions().stream().noneMatch(name -> name.startsWith("y_start_0")));
  }

  @Test
  void aNodeThatShutsDownIsEmptiedFirst() {
    var plan =
        TestCluster.ofTwo()
            .dummy("x")
            .state(
                "a",
                "in_ccm='true' crmd='online' join='member' expected='down'",
                TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .plan();
    assertEquals("b", plan.nodeOf("x"));
  }

  @Test
  void anUnmanagedResourceIsLeftAlone() {
    var cluster = TestCluster.ofTwo();
    var plan =
        cluster
            .dummy("x", cluster.meta("is-managed", "false"))
            .constraint("<rsc_location id='l' rsc='x' node='a' score='-INFINITY'/>")
            .online("a", TestCluster.running("x"))
            .online("b", TestCluster.absent("x"))
            .plan();
    assertFalse(plan.has("x_stop_0 a"));
    assertEquals("a", plan.nodeOf("x"));
  }

  @Test
  void whatIsConfiguredNoMoreIsStoppedAndForgotten() {
    var plan = TestCluster.ofTwo().online("a", TestCluster.running("gone")).online("b").plan();
    assertTrue(plan.has("gone_stop_0 a"));
    assertTrue(plan.inputs("gone_delete_0 a").contains("gone_stop_0 a"));
  }

  @Test
  void aFailedMonitorMeansARestart() {
    var failed =
        TestCluster.history("x", "start", 0, 0)
            .replace(
                "</lrm_resource>",
                "<lrm_rsc_op id='x_last_failure_0' operation_key='x_monitor_10000'"
                    + " operation='monitor' interval='10000' call-id='6' op-status='0' rc-code='7'"
                    + " transition-key='3:2:0:00000000-0000-0000-0000-000000000000'"
                    + " transition-magic='0:7;3:2:0:00000000-0000-0000-0000-000000000000'"
                    + " last-rc-change='1699999990'/></lrm_resource>");
    var plan =
        TestCluster.ofTwo()
            .dummy("x", MONITOR)
            .constraint("<rsc_location id='l' rsc='x' node='a' score='100'/>")
            .online("a", failed)
            .online("b", TestCluster.absent("x"))
            .plan();
    assertTrue(plan.inputs("x_start_0 a").contains("x_stop_0 a"));
  }

  @Test
  void theSamePictureGivesTheSamePlan() {
    var cluster =
        TestCluster.ofTwo()
            .dummy("x", MONITOR)
            .dummy("y")
            .constraint("<rsc_order id='o' first='x' then='y'/>")
            .online("a")
            .online("b");
    assertEquals(
        cluster.plan().transition().graph().toXml(), cluster.plan().transition().graph().toXml());
  }
}
