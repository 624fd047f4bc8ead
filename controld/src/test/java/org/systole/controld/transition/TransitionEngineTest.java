package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.inCib;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// A transition from its beginning to its end: what is begun when, and what is held back.
final class TransitionEngineTest extends EngineUnderTest {
  @Test
  void aTransitionIsDoneWhenAllItsResultsAreIn() {
    begin();
    assertEquals(List.of(1, 3), host.started);

    result("1", "a_start_0", host.keys.get(0), 0);
    assertEquals(List.of(1, 3, 2), host.started);
    result("2", "b_stop_0", host.keys.get(1), 0);
    result("1", "a_monitor_10000", host.keys.get(2), 0);

    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
    assertFalse(engine.busy());
  }

  @Test
  void whatWasNotDoneAndIsAskedOfAnotherMemberHasNotFailed() {
    begin();
    host.elsewhere.add(1);
    var notDone = entry("a_start_0", host.keys.getFirst().toString(), 1, ExecStatus.INVALID);
    engine.operation(inCib("1"), notDone);
    assertEquals(List.of(1, 3, 1), host.started);
    assertEquals(host.keys.getFirst(), host.keys.getLast());
    engine.operation(inCib("1"), notDone);
    result("2", "b_stop_0", host.keys.get(1), 0);
    assertEquals(List.of(1, 3, 1), host.started);
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst(), "nobody has done it");
  }

  @Test
  void whatWasNotDoneIsNotBegunAnywhereOnceAnotherPlanIsToCome() {
    begin();
    host.elsewhere.add(1);
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "the configuration has changed");
    engine.operation(inCib("1"), entry("a_start_0", host.keys.getFirst().toString(), 1, ExecStatus.INVALID));
    world.settle();
    assertEquals(List.of(1, 3), host.started);
  }

  @Test
  void aFailedStartCountsAsInfinityAndCausesAnotherPlan() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 1);
    assertEquals(List.of("1 a_start_0 INFINITY"), host.failures);
    assertEquals(List.of(), host.inputs, "what runs is waited for");

    result("2", "b_stop_0", host.keys.get(1), 0);

    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
    assertEquals(List.of(1, 3), host.started, "the monitor must not start");
  }

  @Test
  void anAbortLetsWhatRunsFinish() {
    begin();
    engine.changed(List.of(new CibChange.Plan("Configuration change")));
    world.settle();
    assertEquals(
        List.of(), host.inputs.stream().filter(Input.TransitionDone.class::isInstance).toList());
    assertTrue(engine.busy());

    result("1", "a_start_0", host.keys.get(0), 0);
    result("2", "b_stop_0", host.keys.get(1), 0);

    assertFalse(engine.busy());
    assertEquals(List.of(1, 3), host.started);
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getLast());
  }

  @Test
  void noResultInTimeIsAFailure() {
    begin();
    world.pass(Duration.ofSeconds(81));

    assertEquals(List.of("a_start_0", "b_stop_0"), host.timeouts);
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void aRecurringOperationThatFailsLaterIsCounted() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 0);
    result("2", "b_stop_0", host.keys.get(1), 0);
    result("1", "a_monitor_10000", host.keys.get(2), 0);
    host.inputs.clear();
    host.state = State.IDLE;

    result("1", "a_monitor_10000", host.keys.get(2), 7);

    assertEquals(List.of("1 a_monitor_10000 value++"), host.failures);
    assertEquals(List.of(new Input.ScheduleNeeded("Change in recurring result")), host.inputs);
  }

  /// Else nobody would hear of it before something else makes a new plan.
  @Test
  void aRecurringOperationThatFailsWhileItsTransitionGoesOnIsCounted() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 0);
    var monitor = host.keys.getLast();
    result("1", "a_monitor_10000", monitor, 0);
    assertTrue(engine.busy(), "b is being stopped");
    host.inputs.clear();

    result("1", "a_monitor_10000", monitor, 1);
    result("1", "a_monitor_10000", monitor, 1);
    assertEquals(List.of("1 a_monitor_10000 value++"), host.failures);
    result("2", "b_stop_0", host.keys.get(1), 0);
    assertEquals(List.of(new Input.ScheduleNeeded("Change in recurring result")), host.inputs);
  }

  @Test
  void anAwaitedFailureOfARecurringOperationThatIsReadAgainCountsOnce() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 0);
    var monitor = host.keys.getLast();
    result("1", "a_monitor_10000", monitor, 1);
    result("1", "a_monitor_10000", monitor, 1);
    assertEquals(List.of("1 a_monitor_10000 value++"), host.failures);
  }

  @Test
  void aResultOfAnotherDcIsNotMistaken() {
    begin();
    result("1", "a_start_0", new TransitionKey(1, 1, 0, "00000000-0000-0000-0000-000000000000"), 0);

    assertEquals(List.of(1, 3), host.started, "the monitor still waits");
    assertTrue(engine.busy());
  }

  @Test
  void theSameResultTwiceIsNoNews() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 1);
    result("1", "a_start_0", host.keys.get(0), 1);

    assertEquals(1, host.failures.size());
  }

  @Test
  void aNodeThatIsGoneIsNotWaitedFor() {
    begin();
    result("1", "a_start_0", host.keys.get(0), 0);
    engine.nodeLost(id(1), named("n1"));
    engine.nodeLost(id(2), named("n2"));
    world.settle();

    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void aNodesJobLimitHolds() {
    host.jobLimit = 0;
    begin();

    assertEquals(List.of(), host.started);
  }

  @Test
  void theLocalShutdownComesLast() throws XmlException {
    engine.begin(
        TransitionGraph.read(
            XmlReader.parse(
                """
                <transition_graph cluster-delay="60s" transition_id="1">
                  <synapse id="0"><action_set><crm_event id="1" operation="do_shutdown"
                    operation_key="do_shutdown-n1" on_node="n1" on_node_uuid="1">
                    <attributes CRM_meta_op_no_wait="true"/><downed><node id="1"/></downed>
                    </crm_event></action_set><inputs/></synapse>
                </transition_graph>
                """)),
        "");
    world.settle();

    assertEquals(List.of(), host.started);
    assertInstanceOf(Input.StopNow.class, host.inputs.getFirst());
  }

  @Test
  void nothingIsPromotedWhileANodeThatCameBackIsStillAskedForIt() {
    begin(
        "<transition_graph>"
            + action(1, "promote", "s_promote_0", "n1", "")
            + action(2, "monitor", "s_monitor_0", "n2", "")
            + "</transition_graph>");
    assertEquals(List.of(2), host.started);

    result("2", "s_monitor_0", host.keys.getFirst(), 8);
    assertEquals(List.of(2), host.started, "it is promoted there");
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void aPromotionGoesOnOnceTheResourceIsNotFound() {
    begin(
        "<transition_graph>"
            + action(1, "promote", "s_promote_0", "n1", "")
            + action(2, "monitor", "s_monitor_0", "n2", "")
            + "</transition_graph>");
    result("2", "s_monitor_0", host.keys.getFirst(), 7);
    assertEquals(List.of(2, 1), host.started);
  }

  @Test
  void aProbeThatWaitsForAPromotionDoesNotHoldItUp() {
    begin(
        "<transition_graph>"
            + action(1, "promote", "s_promote_0", "n1", "")
            + action(2, "monitor", "s_monitor_0", "n2", "<trigger><rsc_op id=\"1\"/></trigger>")
            + "</transition_graph>");
    assertEquals(List.of(1), host.started);
  }

  @Test
  void aNodeIsNotLetGoBeforeItHasToldWhatRunsThere() {
    begin(
        "<transition_graph>"
            + """
            <synapse id="1"><action_set><crm_event id="1" operation="do_shutdown"
              operation_key="do_shutdown-n2" on_node="n2" on_node_uuid="2"/></action_set><inputs/>
            </synapse>
            """
            + action(2, "monitor", "s_monitor_0", "n2", "")
            + "</transition_graph>");
    assertEquals(List.of(2), host.started);

    result("2", "s_monitor_0", host.keys.getFirst(), 0);
    assertEquals(List.of(2), host.started, "it runs there, and has to be stopped first");
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void anActionHeldBackIsNeitherAFailureNorAReasonToPlanAgain() {
    host.barred.add(1);
    begin();

    assertEquals(List.of(3), host.started); // the rest is carried out

    result("2", "b_stop_0", host.keys.getFirst(), 0);
    world.settle();

    assertEquals(1, host.inputs.size());
    assertInstanceOf(Input.TransitionDone.class, host.inputs.getFirst());
    assertEquals(List.of(), host.failures);
    assertEquals(List.of(), host.refusals);
    assertFalse(engine.busy());
  }

  @Test
  void aMigrationToWhereNothingMayBeBroughtFailsSoThatTheResourceIsStopped() {
    host.barred.add(1);
    begin(
        """
        <transition_graph><synapse id="0"><action_set><rsc_op id="1" operation="migrate_to"
          operation_key="a_migrate_to_0" on_node="n1" on_node_uuid="1">
          <primitive id="a" class="ocf" provider="p" type="D"/><attributes
          CRM_meta_migrate_source="n1" CRM_meta_migrate_target="n2" CRM_meta_timeout="20000"/>
          </rsc_op></action_set><inputs/></synapse></transition_graph>
        """);

    assertEquals(List.of(), host.started);
    assertEquals(List.of("a_migrate_to_0"), host.refusals);
    assertEquals(1, host.inputs.size());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void aMigrationCountsOnBothItsNodesAndHasALimitOfItsOwn() {
    var migrate =
        """
        <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="migrate_to"
          operation_key="r%1$d_migrate_to_0" on_node="n%2$d" on_node_uuid="%2$d">
          <primitive id="r%1$d"/><attributes CRM_meta_migrate_source="n%2$d"
          CRM_meta_migrate_target="n%3$d" CRM_meta_timeout="20000"/></rsc_op></action_set><inputs/>
        </synapse>
        """;
    var all =
        migrate.formatted(1, 1, 2) + migrate.formatted(2, 3, 2) + migrate.formatted(3, 3, 4);
    begin("<transition_graph migration-limit=\"1\">" + all + "</transition_graph>");
    assertEquals(List.of(1, 3), host.started, "node 2 takes one at a time");
    result("1", "r1_migrate_to_0", host.keys.getFirst(), 0);
    assertEquals(List.of(1, 3), host.started, "node 3 too");
    result("3", "r3_migrate_to_0", host.keys.get(1), 0);
    assertEquals(List.of(1, 3, 2), host.started);

    host.started.clear();
    begin("<transition_graph>" + all + "</transition_graph>");
    assertEquals(List.of(1, 2, 3), host.started);
    host.started.clear();
    host.jobLimit = 1;
    begin("<transition_graph>" + all + "</transition_graph>");
    assertEquals(List.of(1, 3), host.started);
  }

  @Test
  void onlySoManyActionsRunOnANode() {
    host.jobLimit = 2;
    begin(
        "<transition_graph>"
            + action(1, "monitor", "s_monitor_0", "n1", "")
            + action(2, "monitor", "s_monitor_0", "n1", "")
            + action(3, "monitor", "s_monitor_0", "n1", "")
            + action(4, "monitor", "s_monitor_0", "n2", "")
            + "</transition_graph>");
    assertEquals(List.of(1, 2, 4), host.started);
    result("1", "s_monitor_0", host.keys.getFirst(), 7);
    assertEquals(List.of(1, 2, 4, 3), host.started);
  }
}
