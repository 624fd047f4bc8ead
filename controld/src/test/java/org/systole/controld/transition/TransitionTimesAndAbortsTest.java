package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.inCib;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// When an action counts as lost, and how a transition ends before it is done.
final class TransitionTimesAndAbortsTest extends EngineUnderTest {
  @Test
  void anActionHasItsOwnTimeAndThatOfTheCluster() {
    begin();
    world.pass(Duration.ofSeconds(79));
    assertEquals(List.of(), host.timeouts);
    results(0); // just in time: the monitor begins
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("b_stop_0"), host.timeouts, "the monitor has time of its own");
    assertTrue(engine.busy(), "what runs is waited for");
    results(2);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
  }

  @Test
  void anActionWithoutATimeoutHasTwiceThatOfTheCluster() {
    begin(GRAPH.replace("<attributes CRM_meta_timeout=\"20000\"/>", "<attributes/>"));
    world.pass(Duration.ofSeconds(119));
    assertEquals(List.of(), host.timeouts);
    world.pass(Duration.ofSeconds(2));
    assertEquals(2, host.timeouts.size());
  }

  @Test
  void aResultThatComesAfterItsTimeIsNoNews() {
    begin();
    world.pass(Duration.ofSeconds(81));
    var asked = host.inputs.size();
    host.state = State.POLICY_ENGINE;
    results(0);
    assertEquals(List.of(1, 3), host.started);
    assertEquals(asked, host.inputs.size());
    assertEquals(List.of(), host.failures, "the record of the timeout counts, not this");
  }

  @Test
  void aLostNotificationIsNotRecordedAsAFailure() {
    for (var operation : List.of("cancel", "delete", "notify", "start")) {
      begin(
          "<transition_graph cluster-delay=\"1s\">"
              + action(1, operation, "s_" + operation + "_0", "n1", "")
              + "</transition_graph>");
      world.pass(Duration.ofMinutes(2));
      assertFalse(engine.busy());
    }
    assertEquals(List.of("s_start_0"), host.timeouts);
    assertEquals(4, replans().size());
  }

  private static final String MIGRATION =
      "<transition_graph cluster-delay=\"60s\">"
          + action(1, "migrate_to", "s_migrate_to_0", "n1", "")
          + action(2, "migrate_from", "s_migrate_from_0", "n2", "<trigger><rsc_op id=\"1\"/></trigger>")
          + "</transition_graph>";

  @Test
  void aMigrationIsEndedByThePlanThatBeganItUnlessAnotherSideMayHaveTheWord() {
    begin(MIGRATION);
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Configuration change");
    world.settle();
    engine.ended(1, 1, true);
    assertEquals(List.of(1, 2), host.started, "with the parameters of this plan");
    assertTrue(engine.busy());
    engine.ended(1, 2, true);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());

    begin(MIGRATION);
    engine.breakOff("Quorum lost");
    world.settle();
    engine.ended(2, 1, true);
    assertFalse(engine.busy());

    begin(MIGRATION);
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, "this node is not DC any more");
    world.settle();
    engine.ended(3, 1, true);
    assertFalse(engine.busy());

    begin(MIGRATION);
    engine.nodeLost(id(3), named("n3"));
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Node failure");
    world.settle();
    engine.ended(4, 1, true);
    assertFalse(engine.busy(), "who is lost is fenced first");
    assertEquals(List.of(1, 2, 1, 1, 1), host.started);
  }

  @Test
  void aFencingHasNoTimeOfTheTransitionsOwn() {
    begin(
        """
        <transition_graph cluster-delay="1s"><synapse id="0"><action_set><crm_event id="1"
          operation="stonith" operation_key="stonith-n2" on_node="n2" on_node_uuid="2">
          <downed><node id="2"/></downed></crm_event></action_set><inputs/></synapse>
        </transition_graph>
        """);
    world.pass(Duration.ofHours(1));
    assertTrue(engine.busy(), "the fencer says when it is over");
    var downing = engine.downing(inCib("2"));
    assertEquals(1, downing == null ? 0 : downing.id());
    engine.nodeLost(id(2), named("n2"));
    world.settle();
    assertTrue(engine.busy(), "its target does not carry it out");
    engine.ended(1, 1, true);
    assertFalse(engine.busy());
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
  }

  @Test
  void anEndOfAnEarlierTransitionIsNotTakenForOneOfThis() {
    begin();
    begin();
    engine.ended(1, 1, true);
    world.settle();
    assertEquals(List.of(1, 3, 1, 3), host.started);
    engine.ended(2, 1, true);
    world.settle();
    assertEquals(List.of(1, 3, 1, 3, 2), host.started);
  }

  @Test
  void aTransitionThatWasDroppedStartsNothingAndMissesNothing() {
    begin();
    engine.drop();
    results(0, 1);
    engine.ended(1, 1, true);
    world.pass(Duration.ofHours(1));
    assertEquals(List.of(1, 3), host.started);
    assertEquals(List.of(), host.timeouts);
    assertFalse(engine.busy());
  }

  @Test
  void resultsOfAnEarlierTermAreForeign() {
    begin();
    engine.newTerm();
    host.state = State.IDLE;
    results(0);
    assertEquals(List.of(new Input.ScheduleNeeded("Foreign event")), host.inputs);
  }

  @Test
  void anAbortOutsideAnyTransitionAsksForAPlanOnlyWhereOneIsMade() {
    for (var state : State.values()) {
      host.state = state;
      host.inputs.clear();
      engine.abort(1, TransitionEngine.Completion.RESTART, "something");
      var asks =
          switch (state) {
            case IDLE, POLICY_ENGINE, TRANSITION_ENGINE -> 1;
            default -> 0;
          };
      assertEquals(asks, host.inputs.size(), state.toString());
    }
    host.state = State.IDLE;
    host.inputs.clear();
    engine.abort(1, TransitionEngine.Completion.WAIT, "something");
    assertEquals(List.of(), host.inputs);
  }

  @Test
  void anAbortWhileTheNextPlanIsMadeAsksForAnotherAtOnce() {
    begin();
    host.state = State.POLICY_ENGINE;
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "node lost");
    assertEquals(List.of(new Input.ScheduleNeeded("node lost")), host.inputs);
  }

  @Test
  void theGravestCompletionRequestedCounts() {
    begin();
    engine.abort(1, TransitionEngine.Completion.RESTART, "a failure");
    engine.abort(1, TransitionEngine.Completion.WAIT, "no device");
    results(0, 1);
    assertEquals(List.of(new Input.ScheduleNeeded("a failure")), host.inputs);
  }

  @Test
  void aHaltedTransitionCausesNoOtherPlan() {
    begin();
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, "no device");
    world.settle();
    results(0, 1);
    assertEquals(List.of(1, 3), host.started);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
  }

  @Test
  void anAbortLetsActionsOfHigherPriorityGoOn() {
    begin(
        "<transition_graph>"
            + action(1, "start", "s_start_0", "n1", "")
            + action(2, "stop", "s_stop_0", "n2", "<trigger><rsc_op id=\"1\"/></trigger>")
                .replace("<synapse id=\"2\"", "<synapse id=\"2\" priority=\"1000000\"")
            + action(3, "start", "s_start_0", "n2", "<trigger><rsc_op id=\"1\"/></trigger>")
            + "</transition_graph>");
    engine.abort(1000, TransitionEngine.Completion.RESTART, "a failure");
    result("1", "s_start_0", host.keys.getFirst(), 0);
    assertEquals(List.of(1, 2), host.started);
  }

  @Test
  void aDelayGathersReasonsForAPlan() {
    engine.transitionDelay(Duration.ofSeconds(2));
    host.state = State.IDLE;
    engine.abort(1, TransitionEngine.Completion.RESTART, "one");
    world.pass(Duration.ofSeconds(1));
    engine.abort(1, TransitionEngine.Completion.RESTART, "two");
    world.pass(Duration.ofMillis(1900));
    assertEquals(List.of(), host.inputs);
    world.pass(Duration.ofMillis(200));
    assertEquals(List.of(new Input.ScheduleNeeded("two")), host.inputs);
    engine.abort(1, TransitionEngine.Completion.RESTART, "three");
    engine.drop();
    world.pass(Duration.ofSeconds(10));
    assertEquals(1, host.inputs.size(), "this node is not DC any more");
  }

  @Test
  void eventsThatGoOnPutAPlanOffForAFewDelaysOnly() {
    engine.transitionDelay(Duration.ofSeconds(2));
    host.state = State.IDLE;
    for (var second = 0; second < 10; second++) {
      assertEquals(List.of(), host.inputs);
      engine.abort(1, TransitionEngine.Completion.RESTART, "again");
      world.pass(Duration.ofSeconds(1));
    }
    world.pass(Duration.ofMillis(100));
    assertEquals(List.of(new Input.ScheduleNeeded("again")), host.inputs);
  }

  @Test
  void plansOfWhichTheFirstActionFailsAtOnceAreNotMadeWithoutAnyPause() {
    for (var plan = 0; plan < 20; plan++) {
      failAtOnce();
      assertEquals(plan + 1, replans().size());
    }
    failAtOnce();
    assertEquals(20, replans().size());
    world.pass(Duration.ofMillis(30));
    assertEquals(21, replans().size());
    for (var plan = 0; plan < 12; plan++) {
      failAtOnce();
      world.pass(Duration.ofSeconds(1));
    }
    assertTrue(replans().size() < 33, "they wait longer");
    failAtOnce();
    var before = replans().size();
    engine.abort(1, TransitionEngine.Completion.RESTART, "something changed");
    assertEquals(before + 1, replans().size(), "what changes is planned for at once");
  }

  private void failAtOnce() {
    begin();
    var last = host.keys.size() - 2;
    result("1", "a_start_0", host.keys.get(last), 1);
    result("2", "b_stop_0", host.keys.get(last + 1), 0);
  }

  @Test
  void thePlannerIsToldOfTheEndThoughItPlansAlready() {
    begin();
    host.state = State.POLICY_ENGINE;
    results(0, 1, 2);
    assertEquals(1, host.quiet);
    assertEquals(List.of(), host.inputs);
  }
}
