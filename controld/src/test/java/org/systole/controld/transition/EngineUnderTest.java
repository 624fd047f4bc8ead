package org.systole.controld.transition;

import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.inCib;
import static org.systole.controld.TestNodes.named;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// The engine of a DC on n1; the test is the nodes that carry actions out.
abstract class EngineUnderTest {
  static final String GRAPH =
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

  final TestWorld world = new TestWorld();
  final Host host = new Host();
  final TransitionEngine engine = new TransitionEngine(world, host);

  static final class Host implements TransitionEngine.Host {
    final List<Integer> started = new ArrayList<>();
    final List<Integer> noted = new ArrayList<>();
    final List<TransitionKey> keys = new ArrayList<>();
    final List<Input> inputs = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<String> timeouts = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    final Set<Integer> barred = new HashSet<>();
    final List<Integer> givenUp = new ArrayList<>();
    final Set<Integer> askedOfAnother = new HashSet<>(); // than who has that connection by now
    final Set<Integer> elsewhere = new HashSet<>(); // whose remote node has another connection by now
    @Nullable NodeId lost; // who was asked for all of it
    State state = State.TRANSITION_ENGINE;
    int jobLimit = 8;
    int batchLimit; // of busy members
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
    public void note(GraphAction pseudo) {
      noted.add(pseudo.id());
    }

    @Override
    public void quiet() {
      quiet++;
    }

    @Override
    public int batchLimit(int configured) {
      return batchLimit > 0 ? batchLimit : configured;
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
    public boolean startElsewhere(GraphAction action, TransitionKey key) {
      var moved = elsewhere.remove(Integer.valueOf(action.id()));
      if (moved) {
        start(action, key);
      }
      return moved;
    }

    @Override
    public void giveUp(GraphAction action, TransitionKey key) {
      givenUp.add(action.id());
    }

    @Override
    public boolean isAskedOfAnother(GraphAction action, long transition) {
      return askedOfAnother.contains(action.id()) && keys.getLast().transition() == transition;
    }

    @Override
    public boolean isAskedOf(GraphAction action, NodeId member, long transition) {
      return member.equals(lost) && keys.getLast().transition() == transition;
    }

    @Override
    public boolean isConnected(GraphAction action, CibNodeId member) {
      return member.equals(inCib("1"));
    }

    @Override
    public boolean isDoneBy(GraphAction action, NodeName member) {
      return member.equals(action.executor());
    }

    @Override
    public @Nullable String objection(GraphAction action, GraphRun run) {
      return barred.contains(action.id()) ? "not there" : null;
    }

    @Override
    public void recordFailure(
        GraphAction action, TransitionKey key, ExecStatus status, String why) {
      (status == ExecStatus.TIMEOUT ? timeouts : refusals).add(action.key());
    }

    @Override
    public void countFailure(CibNodeId node, OperationKey operation, @Nullable String value) {
      failures.add(node + " " + operation + " " + value);
    }
  }

  void begin() {
    begin(GRAPH);
  }

  void begin(String graph) {
    try {
      engine.begin(TransitionGraph.read(XmlReader.parse(graph)), "pe-input-1.bz2");
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
    world.settle();
  }

  void result(String node, String key, TransitionKey transition, int rc) {
    engine.operation(
        inCib(node),
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

  static String action(int id, String operation, String key, String node, String inputs) {
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

  void results(int... which) {
    for (var index : which) {
      var action = host.started.get(index);
      var key = action == 1 ? "a_start_0" : action == 3 ? "b_stop_0" : "a_monitor_10000";
      result(action == 3 ? "2" : "1", key, host.keys.get(index), 0);
    }
  }

  List<Input> replans() {
    return host.inputs.stream().filter(Input.ScheduleNeeded.class::isInstance).toList();
  }

  static HistoryEntry entry(String key, String transition, int rc, ExecStatus status) {
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

  static final String CANCEL =
      "<transition_graph>"
          + action(1, "cancel", "s_monitor_10000", "n1", "")
              .replace("CRM_meta_timeout", "CRM_meta_interval=\"10000\" CRM_meta_timeout")
          + "</transition_graph>";
}
