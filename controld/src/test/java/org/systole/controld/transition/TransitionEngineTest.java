package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    @Override
    public State state() {
      return state;
    }

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }

    @Override
    public void quiet() {}

    @Override
    public int batchLimit(int configured) {
      return configured;
    }

    @Override
    public int jobLimit(String node) {
      return jobLimit;
    }

    @Override
    public boolean isLocal(String node) {
      return node.equals("n1");
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
    engine.nodeLost("1", "n1");
    engine.nodeLost("2", "n2");
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
}
