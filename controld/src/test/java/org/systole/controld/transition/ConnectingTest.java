package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.inCib;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;

/// Three remote nodes are connected one after the other by n1, which also has a resource to start.
final class ConnectingTest extends EngineUnderTest {
  @BeforeEach
  void connectTheFirst() throws XmlException {
    var text = new StringBuilder("<transition_graph transition_id=\"1\" batch-limit=\"1\">");
    for (var id = 1; id <= 4; id++) {
      var name = id == 2 ? "a" : "far" + id;
      var agent = id == 2 ? "type=\"D\"" : "type=\"remote\"";
      text.append(start(id, name, agent));
    }
    engine.begin(TransitionGraph.read(XmlReader.parse(text + "</transition_graph>")), "");
    world.settle();
    assertEquals(List.of(1), host.started);
  }

  /// A node that boots is waited for up to the timeout of its connection's start.
  @Test
  void whereMembersAreBusyAConnectionThatIsWaitedForTakesNobodysPlace() throws XmlException {
    var text = new StringBuilder("<transition_graph transition_id=\"2\">");
    for (var id = 1; id <= 4; id++) {
      var agent = id % 2 == 0 ? "type=\"D\"" : "type=\"remote\"";
      text.append(start(id, "r" + id, agent));
    }
    host.started.clear();
    host.jobLimit = 1;
    host.batchLimit = 1;
    engine.begin(TransitionGraph.read(XmlReader.parse(text + "</transition_graph>")), "");
    world.settle();
    assertEquals(List.of(1, 2), host.started, "one connection, and one that is work");
    result("1", "r2_start_0", host.keys.getLast(), 0);
    world.settle();
    assertEquals(List.of(1, 2, 4), host.started);
  }

  /// A member knows at once which connections it has.
  @Test
  void allAreLookedForAtOnceBesideWhatIsWork() throws XmlException {
    var text = new StringBuilder("<transition_graph transition_id=\"2\">");
    for (var id = 1; id <= 6; id++) {
      text.append(probe(id, "r" + id, id <= 4 ? "type=\"remote\"" : "type=\"D\""));
    }
    host.started.clear();
    host.jobLimit = 1;
    host.batchLimit = 1;
    engine.begin(TransitionGraph.read(XmlReader.parse(text + "</transition_graph>")), "");
    world.settle();
    assertEquals(List.of(1, 2, 3, 4, 5), host.started);
  }

  private static String probe(int id, String name, String agent) {
    return """
        <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="monitor" operation_key="%2$s_monitor_0"
          on_node="n1" on_node_uuid="1"><primitive id="%2$s" class="ocf" provider="pacemaker" %3$s/>
          <attributes CRM_meta_timeout="60000" CRM_meta_op_target_rc="7"/></rsc_op></action_set><inputs/></synapse>
        """
        .formatted(id, name, agent);
  }

  private static String start(int id, String name, String agent) {
    return """
        <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="start" operation_key="%2$s_start_0"
          on_node="n1" on_node_uuid="1"><primitive id="%2$s" class="ocf" provider="pacemaker" %3$s/>
          <attributes CRM_meta_timeout="60000"/></rsc_op></action_set><inputs/></synapse>
        """
        .formatted(id, name, agent);
  }

  /// What has been begun, looking whether they are connected, is all that there is to begin when the first one is.
  @Test
  void thoseThatAreStillLookedForAreConnectedByTheSamePlan() throws XmlException {
    var probe = probe(3, "far6", "type=\"remote\"");
    var after = start(4, "far6", "type=\"remote\"").replace("<inputs/>", "<inputs><trigger><rsc_op id=\"3\"/></trigger></inputs>");
    var text = "<transition_graph transition_id=\"2\">" + start(1, "far5", "type=\"remote\"") + probe + after;
    host.started.clear();
    engine.begin(TransitionGraph.read(XmlReader.parse(text + "</transition_graph>")), "");
    world.settle();
    assertEquals(List.of(1, 3), host.started);
    var looked = host.keys.getLast();

    engine.changed(List.of(new CibChange.Connected(inCib("far"), "Remote node connected")));
    result("1", "far5_start_0", host.keys.get(host.keys.size() - 2), 0);
    result("1", "far6_monitor_0", looked, 7);
    world.settle();

    assertEquals(List.of(1, 3, 4), host.started);
    assertEquals(List.of(), host.inputs);
  }

  private void connected(int number) {
    engine.changed(List.of(new CibChange.Connected(inCib("far"), "Remote node connected")));
    result("1", "far%d_start_0".formatted(number), host.keys.getLast(), 0);
    world.settle();
  }

  @Test
  void theOthersAreConnectedBeforeThereIsAnotherPlan() {
    connected(1);
    assertEquals(List.of(1, 3), host.started, "and not the resource");
    connected(3);
    assertEquals(List.of(1, 3, 4), host.started);
    assertEquals(List.of(), host.inputs);

    connected(4);

    assertEquals(List.of(1, 3, 4), host.started);
    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void whatTakesLongIsNotWaitedFor() {
    connected(1);
    world.pass(Duration.ofSeconds(6));
    result("1", "far3_start_0", host.keys.getLast(), 0);
    world.settle();

    assertEquals(List.of(1, 3), host.started);
    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void anythingElseThatHappensEndsIt() {
    connected(1);
    engine.changed(List.of(new CibChange.Plan("Configuration change")));
    result("1", "far3_start_0", host.keys.getLast(), 0);
    world.settle();

    assertEquals(List.of(1, 3), host.started);
    assertFalse(engine.busy());
  }

  @Test
  void oneThatFailsEndsItToo() {
    connected(1);
    assertTrue(engine.busy());
    result("1", "far3_start_0", host.keys.getLast(), 1);
    world.settle();

    assertEquals(List.of(1, 3), host.started);
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  private void monitorOf(String key, int rc) {
    var mine = host.keys.getFirst();
    var another = new TransitionKey(7, mine.transition() + 50, 0, mine.engine());
    result("1", key, another, rc);
  }

  @Test
  void resultsThatAreToldAgainDoNotEndItAndFailuresDo() {
    connected(1);
    monitorOf("b_monitor_10000", 0);
    result("1", "far3_start_0", host.keys.getLast(), 0);
    assertEquals(List.of(1, 3, 4), host.started);
    monitorOf("c_monitor_10000", 7);
    result("1", "far4_start_0", host.keys.getLast(), 0);

    assertEquals(List.of("1 c_monitor_10000 value++"), host.failures);
    assertFalse(engine.busy());
  }
}
