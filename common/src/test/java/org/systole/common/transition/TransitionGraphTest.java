package org.systole.common.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
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
    assertEquals(new NodeName("a"), start.node());
    assertFalse(start.isRouted());
    assertEquals(Duration.ofMillis(20_500), start.timeout());
    assertEquals("1", start.parameters().get("fake"));
    assertEquals("v", start.parameters().get("1st"));
    var fencing = graph().synapses().getLast().actions().getFirst();
    assertEquals(GraphAction.Kind.CLUSTER, fencing.kind());
    assertEquals(List.of(new CibNodeId("2")), fencing.downed());
  }

  private static GraphAction action(String attributes, String content) throws XmlException {
    var xml = "<rsc_op id='1' operation='start' operation_key='x_start_0' %s>%s</rsc_op>";
    return GraphAction.read(XmlReader.parse(xml.formatted(attributes, content)));
  }

  @Test
  void anActionIsCarriedOutByItsNodeOrTheOneThatHoldsTheConnection() throws XmlException {
    var remote = action("on_node='r1' on_node_uuid='r1' router_node='a'", "<primitive id='x'/>");
    assertEquals(new NodeName("r1"), remote.node());
    assertEquals(new CibNodeId("r1"), remote.nodeId());
    assertEquals(new NodeName("a"), remote.executor());
    assertEquals(new ResourceId("x"), remote.resource());
    assertEquals("x_start_0 on r1 (action 1)", remote.toString());
    var local = action("on_node='a' on_node_uuid='1'", "");
    assertEquals(new NodeName("a"), local.executor());
    assertNull(local.resource());
  }

  @Test
  void anActionThatNamesNothingHasNoNodeAndNoResource() throws XmlException {
    for (var attributes : List.of("", "on_node='' on_node_uuid=''", "on_node='a&#10;b'")) {
      var none = action(attributes, "<primitive id=''/><downed><node/><node id='2'/></downed>");
      assertNull(none.node(), attributes);
      assertNull(none.nodeId(), attributes);
      assertNull(none.executor(), attributes);
      assertNull(none.resource(), attributes);
      assertEquals(List.of(new CibNodeId("2")), none.downed());
      assertEquals("x_start_0 (action 1)", none.toString());
    }
    assertNull(action("on_node='a' router_node=''", "").executor(), "not the remote node itself");
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

  @Test
  void aRequestIsReadFromTheGraph() {
    var attributes =
        Element.of(
            "attributes",
            "CRM_meta_interval",
            "10000",
            "CRM_meta_op_target_rc",
            "7",
            "state",
            "/tmp/x");
    var action =
        Element.builder("rsc_op")
            .attr("id", 1)
            .attr("operation", "monitor")
            .add(
                Element.of(
                    "primitive",
                    "id",
                    "web",
                    "class",
                    "ocf",
                    "provider",
                    "pacemaker",
                    "type",
                    "Dummy"))
            .add(attributes.plus(Element.of("param", "name", "1st", "value", "v")))
            .build();

    var request = GraphAction.of(action).request("key");

    assertEquals("web_monitor_10000", request.key());
    assertEquals(new AgentName("ocf", "pacemaker", "Dummy"), request.agent());
    assertEquals(10_000, request.timeoutMillis());
    assertNull(request.metaValue("op_target_rc"));
    assertEquals(Map.of("state", "/tmp/x", "1st", "v"), request.ownParameters());
    assertNull(GraphAction.of(Element.of("rsc_op", "id", "2")).request("key"));
  }

  @Test
  void whatSomebodyElseWroteIsRefusedWithoutHarmIfItIsNoGraph() {
    assertThrows(
        XmlException.class,
        () ->
            TransitionGraph.read(
                XmlReader.parse("<transition_graph><synapse/></transition_graph>")));
    assertThrows(
        XmlException.class, () -> GraphAction.read(XmlReader.parse("<rsc_op id=\"one\"/>")));
  }

  @Test
  void whatAGraphDoesNotSayHasADefault() {
    var graph = TransitionGraph.EMPTY;

    assertEquals(Duration.ofSeconds(60), graph.clusterDelay());
    assertEquals(Duration.ofSeconds(60), graph.fencingTimeout());
    assertEquals(0, graph.batchLimit());
    assertEquals(-1, graph.migrationLimit());
    assertEquals(0, graph.recheckBy());
  }
}
