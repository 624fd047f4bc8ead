package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.fsm.Input;

/// n1 looks for t1 on far1, t2 on far2 and t3 on far3, one after the other. Resource r waits for its turn, f
/// for all of that, and n3 is fenced when t2 has been looked for. u would be started where t1 is not found.
final class LookingTest extends EngineUnderTest {
  private static final int OTHER = 4;
  private static final int FENCING = 5;

  @BeforeEach
  void lookForTheFirst() throws XmlException {
    var text = new StringBuilder("<transition_graph transition_id=\"1\">");
    for (var id = 1; id <= 3; id++) {
      text.append(
          """
          <synapse id="%1$d"><action_set><rsc_op id="%1$d" operation="monitor" operation_key="t%1$d_monitor_0"
            on_node="far%1$d" on_node_uuid="far%1$d" router_node="n1">
            <primitive id="t%1$d" class="ocf" provider="p" type="D"/>
            <attributes CRM_meta_timeout="60000" CRM_meta_op_target_rc="7"/></rsc_op></action_set><inputs/></synapse>
          """
              .formatted(id));
    }
    text.append(
        """
        <synapse id="4"><action_set><rsc_op id="4" operation="start" operation_key="r_start_0"
          on_node="n1" on_node_uuid="1"><primitive id="r" class="ocf" provider="p" type="D"/>
          <attributes CRM_meta_timeout="60000"/></rsc_op></action_set><inputs/></synapse>
        <synapse id="5" priority="1000000"><action_set><crm_event id="5" operation="stonith" operation_key="stonith-n3"
          on_node="n3" on_node_uuid="3"/></action_set>
          <inputs><trigger><rsc_op id="2"/></trigger></inputs></synapse>
        <synapse id="6"><action_set><rsc_op id="6" operation="start" operation_key="u_start_0"
          on_node="n2" on_node_uuid="2"><primitive id="u" class="ocf" provider="p" type="D"/>
          <attributes CRM_meta_timeout="60000"/></rsc_op></action_set>
          <inputs><trigger><rsc_op id="1"/></trigger></inputs></synapse>
        </transition_graph>
        """);
    host.jobLimit = 1;
    engine.begin(TransitionGraph.read(XmlReader.parse(text.toString())), "");
    world.settle();
    assertEquals(List.of(1), host.started);
  }

  private void result(int number, int rc) {
    var at = host.started.indexOf(number);
    result("far" + number, "t%d_monitor_0".formatted(number), host.keys.get(at), rc);
    world.settle();
  }

  @Test
  void theOthersAreLookedForBeforeThereIsAnotherPlan() {
    result(1, 0);
    assertEquals(List.of(1, 2), host.started, "and what waits for it is not begun");
    result(2, 7);
    assertEquals(List.of(1, 2, 3, FENCING), host.started.stream().sorted().toList());
    engine.ended(engine.names().number(), FENCING, true);
    assertTrue(engine.busy());
    assertEquals(List.of(), host.inputs);

    result(3, 0);

    assertEquals(4, host.started.size(), "r is not begun by a plan that knows less");
    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void fencingBeginsMeanwhile() {
    result(1, 0);
    result(2, 0);

    assertEquals(List.of(1, 2, 3, FENCING), host.started.stream().sorted().toList());
  }

  @Test
  void whereNothingIsFoundAllElseGoesOn() {
    result(1, 7);
    result(2, 7);
    result(3, 7);

    assertTrue(host.started.contains(OTHER));
    assertTrue(host.started.contains(6));
  }

  @Test
  void theLastThatIsFoundNeedsAnotherPlanAtOnce() {
    result(1, 7);
    result(2, 7);
    result(3, 0);

    assertFalse(host.started.contains(OTHER));
    engine.ended(engine.names().number(), FENCING, true);
    var start = host.keys.get(host.started.indexOf(6));
    result("2", "u_start_0", start, 0);
    world.settle();
    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }

  @Test
  void oneThatCannotBeLookedForEndsIt() {
    result(1, 0);
    result(2, 1);

    assertFalse(host.started.contains(3));
  }

  @Test
  void whatTakesLongIsNotWaitedFor() {
    result(1, 0);
    world.pass(Duration.ofSeconds(6));
    result(2, 7);

    assertFalse(host.started.contains(3));
    engine.ended(engine.names().number(), FENCING, true);
    world.settle();
    assertFalse(engine.busy());
    assertInstanceOf(Input.ScheduleNeeded.class, host.inputs.getFirst());
  }
}
