package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

final class TransitionEngineTest {
  private static final String GRAPH =
      """
      <transition_graph cluster-delay="60s" fencing-timeout="60s" failed-start-offset="INFINITY"
          failed-stop-offset="INFINITY" transition_id="1">
        <synapse id="0"><action_set><rsc_op id="1" operation="start" operation_key="a_start_0"
          on_node="n1" on_node_uuid="1"><primitive id="a" class="ocf" provider="p" type="D"/>
          <attributes CRM_meta_timeout="20000"/></rsc_op></action_set><inputs/></synapse>
        <synapse id="1"><action_set><rsc_op id="2" operation="monitor"
          operation_key="a_monitor_10000" on_node="n1" on_node_uuid="1">
          <primitive id="a" class="ocf" provider="p" type="D"/>
          <attributes CRM_meta_timeout="20000" CRM_meta_interval="10000"/></rsc_op></action_set>
          <inputs><trigger><rsc_op id="1"/></trigger></inputs></synapse>
        <synapse id="2"><action_set><rsc_op id="3" operation="stop" operation_key="b_stop_0"
          on_node="n2" on_node_uuid="2"><primitive id="b" class="ocf" provider="p" type="D"/>
          <attributes CRM_meta_timeout="20000"/></rsc_op></action_set><inputs/></synapse>
      </transition_graph>
      """;

  private final TestWorld world = new TestWorld();
  private final Host host = new Host();
  private final TransitionEngine engine = new TransitionEngine(world, host);

  private static final class Host implements TransitionEngine.Host {
    final List<Integer> started = new ArrayList<>();
    final List<TransitionKey> keys = new ArrayList<>();
    final List<Input> inputs = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<String> timeouts = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    final Set<Integer> barred = new HashSet<>();
    State state = State.TRANSITION_ENGINE;
    int jobLimit = 8;
    int quiet;

    @Override
    public State state() {
      return state;
    }

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }

    @Override
    public void quiet() {
      quiet++;
    }

    @Override
    public int batchLimit(int configured) {
      return configured;
    }

    @Override
    public int jobLimit(NodeName node) {
      return jobLimit;
    }

    @Override
    public boolean isLocal(NodeName node) {
      return node.equals(named("n1"));
    }

    @Override
    public void start(GraphAction action, TransitionKey key) {
      started.add(action.id());
      keys.add(key);
    }

    @Override
    public @Nullable String objection(GraphAction action) {
      return barred.contains(action.id()) ? "not there" : null;
    }

    @Override
    public void recordFailure(
        GraphAction action, TransitionKey key, ExecStatus status, String why) {
      (status == ExecStatus.TIMEOUT ? timeouts : refusals).add(action.key());
    }

    @Override
    public void countFailure(String nodeId, OperationKey operation, @Nullable String value) {
      failures.add(nodeId + " " + operation + " " + value);
    }
  }

  private void begin() {
    begin(GRAPH);
  }

  private void begin(String graph) {
    try {
      engine.begin(TransitionGraph.read(XmlReader.parse(graph)), "pe-input-1.bz2");
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
    world.settle();
  }

  private void result(String node, String key, TransitionKey transition, int rc) {
    engine.operation(
        node,
        new HistoryEntry(
            Element.of(
                HistoryEntry.ELEMENT,
                "operation_key",
                key,
                "transition-key",
                transition.toString(),
                "rc-code",
                String.valueOf(rc),
                "op-status",
                "0")));
    world.settle();
  }

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
  void aFailedStartCountsAsInfinityAndHasThePlanMadeAnew() {
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

  private static String action(int id, String operation, String key, String node, String inputs) {
    return """
    <synapse id="%d"><action_set><rsc_op id="%d" operation="%s" operation_key="%s"
      on_node="%s" on_node_uuid="%s"><primitive id="s" long-id="s:%d" class="ocf"
      provider="p" type="S"/><attributes CRM_meta_op_target_rc="%d" CRM_meta_timeout="20000"/>
      </rsc_op></action_set><inputs>%s</inputs></synapse>
    """
        .formatted(
            id,
            id,
            operation,
            key,
            node,
            node.substring(1),
            id,
            operation.equals("monitor") ? 7 : 0,
            inputs);
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
  void whatIsHeldBackIsNeitherAFailureNorAReasonToPlanAnew() {
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

  private void results(int... which) {
    for (var index : which) {
      var action = host.started.get(index);
      var key = action == 1 ? "a_start_0" : action == 3 ? "b_stop_0" : "a_monitor_10000";
      result(action == 3 ? "2" : "1", key, host.keys.get(index), 0);
    }
  }

  private List<Input> replans() {
    return host.inputs.stream().filter(Input.ScheduleNeeded.class::isInstance).toList();
  }

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
  void whatIsOnlyToldIsNotRecordedAsLost() {
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
    assertEquals(1, engine.downing("2") == null ? 0 : engine.downing("2").id());
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
  void whatFollowsIsTheGravestThatWasAskedFor() {
    begin();
    engine.abort(1, TransitionEngine.Completion.RESTART, "a failure");
    engine.abort(1, TransitionEngine.Completion.WAIT, "no device");
    results(0, 1);
    assertEquals(List.of(new Input.ScheduleNeeded("a failure")), host.inputs);
  }

  @Test
  void aTransitionThatIsHaltedIsNotPlannedAnew() {
    begin();
    engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, "no device");
    world.settle();
    results(0, 1);
    assertEquals(List.of(1, 3), host.started);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
  }

  @Test
  void anAbortLetsWhatIsMoreImportantGoOn() {
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
  void theEndIsToldToWhoPlansAlreadyThough() {
    begin();
    host.state = State.POLICY_ENGINE;
    results(0, 1, 2);
    assertEquals(1, host.quiet);
    assertEquals(List.of(), host.inputs);
  }

  // Nodes that are lost

  @Test
  void whatALostNodeWasToDoIsGivenUpAndTheRestIsWaitedFor() {
    begin();
    engine.nodeLost(id(1), named("n1"));
    world.settle();
    assertTrue(engine.busy());
    assertEquals(List.of("b_stop_0 on n2"), engine.running());
    world.pass(Duration.ofSeconds(60));
    results(1);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
    world.pass(Duration.ofMinutes(5));
    assertEquals(List.of(), host.timeouts, "what was given up is not missed as well");
  }

  @Test
  void aNodeWithNothingToDoIsNoReasonToPlanAnew() {
    begin();
    engine.nodeLost(id(9), named("n9"));
    results(0, 1, 2);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);
    engine.nodeLost(id(1), named("n1"));
    assertEquals(1, host.inputs.size(), "nor one that is lost after the end");
  }

  @Test
  void aFailureThatIsToBeIgnoredIsNotedAndTheTransitionGoesOn() {
    begin(
        GRAPH.replaceFirst(
            "CRM_meta_timeout=\"20000\"", "CRM_meta_timeout=\"20000\" CRM_meta_on_fail=\"ignore\""));
    result("1", "a_start_0", host.keys.getFirst(), 1);
    assertEquals(List.of("1 a_start_0 null"), host.failures);
    assertEquals(List.of(1, 3, 2), host.started);
  }

  @Test
  void aDegradedResourceHasStarted() {
    begin();
    result("1", "a_start_0", host.keys.getFirst(), 190);
    assertEquals(List.of(), host.failures);
    assertEquals(List.of(1, 3, 2), host.started);
  }

  @Test
  void whatNeverRanIsNoFailureOfTheResource() {
    begin();
    var key = host.keys.getFirst();
    engine.operation("1", entry("a_start_0", key.toString(), 1, ExecStatus.INVALID));
    assertEquals(List.of(), host.failures);
    results(1);
    assertFalse(engine.busy());
    assertEquals(1, replans().size());
  }

  @Test
  void whatSaysNothingChangesNothing() {
    begin();
    engine.operation("1", entry("a_start_0", host.keys.getFirst().toString(), 0, ExecStatus.PENDING));
    engine.operation(
        "1", new HistoryEntry(Element.of(HistoryEntry.ELEMENT, "operation_key", "a_start_0")));
    world.settle();
    assertEquals(List.of(1, 3), host.started);
    engine.operation("1", entry("a_start_0", "no key", 0, ExecStatus.DONE));
    results(0, 1);
    assertEquals(1, replans().size(), "a broken record is not understood: the plan is made anew");
  }

  private static HistoryEntry entry(String key, String transition, int rc, ExecStatus status) {
    return new HistoryEntry(
        Element.of(
            HistoryEntry.ELEMENT,
            "operation_key",
            key,
            "transition-key",
            transition,
            "rc-code",
            String.valueOf(rc),
            "op-status",
            String.valueOf(status.code())));
  }

  // What the CIB tells

  private static final String CANCEL =
      "<transition_graph>"
          + action(1, "cancel", "s_monitor_10000", "n1", "")
              .replace("CRM_meta_timeout", "CRM_meta_interval=\"10000\" CRM_meta_timeout")
          + "</transition_graph>";

  @Test
  void aCancellationIsOverWhenTheRecordIsGoneFromItsNode() {
    begin(CANCEL);
    engine.changed(List.of(new CibChange.OperationGone("1", "s_monitor_10000")));
    assertFalse(engine.busy());
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);

    begin(CANCEL);
    engine.changed(List.of(new CibChange.OperationGone("2", "s_monitor_10000")));
    world.settle();
    assertTrue(engine.busy(), "another node's says nothing");
    result("1", "s_monitor_10000", host.keys.getLast(), 0);
    assertEquals(1, replans().size());
  }

  @Test
  void aRecordThatIsGoneThoughNobodyAskedForItIsPlannedFor() {
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.OperationGone("1", "s_monitor_10000")));
    assertEquals(List.of(new Input.ScheduleNeeded("Resource operation removal")), host.inputs);
  }

  @Test
  void theStatusOfANodeThatIsFencedMayGo() {
    begin(
        """
        <transition_graph><synapse id="0"><action_set><crm_event id="1" operation="stonith"
          operation_key="stonith-n2" on_node="n2" on_node_uuid="2"><downed><node id="2"/></downed>
          </crm_event></action_set><inputs/></synapse></transition_graph>
        """);
    engine.changed(List.of(new CibChange.StatusGone("2", "history")));
    engine.ended(1, 1, true);
    assertEquals(List.of(new Input.TransitionDone()), host.inputs);

    host.inputs.clear();
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.StatusGone("3", "history")));
    assertEquals(List.of(new Input.ScheduleNeeded("history")), host.inputs);
  }

  @Test
  void recordsThatComeTogetherAreResultsWhileSomeAreWaitedFor() {
    begin();
    engine.changed(
        List.of(
            new CibChange.Refresh(
                "1",
                List.of(
                    new CibChange.Operation(
                        "1", entry("a_start_0", host.keys.getFirst().toString(), 0, ExecStatus.DONE))))));
    world.settle();
    assertEquals(List.of(1, 3, 2), host.started);
    results(1, 2);
    host.inputs.clear();
    host.state = State.IDLE;
    engine.changed(List.of(new CibChange.Refresh("1", List.of())));
    assertEquals(List.of(new Input.ScheduleNeeded("History refresh")), host.inputs);
  }

  // How much at a time

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
