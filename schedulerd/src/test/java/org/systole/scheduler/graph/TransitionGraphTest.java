package org.systole.scheduler.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

class TransitionGraphTest {
  private static final String GRAPH =
      """
      <transition_graph cluster-delay="60s" batch-limit="0" transition_id="4">
        <synapse id="0" priority="1000000">
          <action_set>
            <rsc_op id="8" operation="start" operation_key="x_start_0" on_node="a" on_node_uuid="1">
              <primitive id="x" class="ocf" provider="pacemaker" type="Dummy"/>
              <attributes CRM_meta_start_delay="500" CRM_meta_timeout="20000" fake="1">
                <param name="1st" value="v"/>
              </attributes>
            </rsc_op>
          </action_set>
          <inputs>
            <trigger>
              <crm_event id="3" operation="stonith" operation_key="stonith-b-reboot"/>
            </trigger>
          </inputs>
        </synapse>
        <synapse id="1">
          <action_set>
            <crm_event id="3" operation="stonith" operation_key="stonith-b-reboot">
              <attributes/>
              <downed>
                <node id="2"/>
              </downed>
            </crm_event>
          </action_set>
          <inputs/>
        </synapse>
      </transition_graph>
      """;

  private static TransitionGraph graph() throws XmlException {
    return TransitionGraph.of(XmlReader.parse(GRAPH));
  }

  @Test
  void whatIsReadIsWrittenAgain() throws XmlException {
    assertEquals(XmlReader.parse(GRAPH), graph().toXml());
  }

  @Test
  void anActionSaysWhatItIs() throws XmlException {
    var start = graph().synapses().getFirst().actions().getFirst();
    assertEquals(GraphAction.Kind.RESOURCE, start.kind());
    assertEquals("a", start.onNode());
    assertNull(start.routerNode());
    assertEquals(20_500, start.timeout());
    assertEquals("1", start.attributes().get("fake"));
    assertEquals("v", start.attributes().get("1st"));
    var fencing = graph().synapses().getLast().actions().getFirst();
    assertEquals(GraphAction.Kind.CLUSTER, fencing.kind());
    assertEquals(List.of("2"), fencing.downed());
  }

  @Test
  void aGraphGetsAnotherNumber() throws XmlException {
    assertEquals(4, graph().id());
    assertEquals(17, graph().withId(17).id());
    assertEquals(2, graph().actionCount());
  }

  @Test
  void somethingElseIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> TransitionGraph.of(Element.of("cib")));
    assertThrows(
        IllegalArgumentException.class, () -> GraphAction.of(Element.of("lrm_op", "id", "1")));
    assertThrows(
        IllegalArgumentException.class, () -> GraphAction.of(Element.of("rsc_op", "id", "x")));
  }

  @Test
  void aGraphWithoutAnythingToDoIsEmpty() {
    var empty = new TransitionGraph(Map.of("transition_id", "1"), List.of());
    assertEquals(Element.of("transition_graph", "transition_id", "1"), empty.toXml());
  }
}
