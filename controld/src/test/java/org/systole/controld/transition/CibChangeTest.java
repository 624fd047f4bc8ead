package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.systole.controld.TestNodes.inCib;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class CibChangeTest {
  private static final String OPERATION = "<lrm_rsc_op id='a_last_0' rc-code='%d'/>";

  private static Element cib(String configuration, String status) throws XmlException {
    return XmlReader.parse(
        "<cib><configuration>%s</configuration><status>%s</status></cib>"
            .formatted(configuration, status));
  }

  private static String node(String attributes, String operations) {
    return "<node_state id='1' crmd='%s'><lrm id='1'><lrm_resources>%s</lrm_resources></lrm></node_state>"
        .formatted(attributes, operations);
  }

  private static String resource(String id, String operations) {
    return "<lrm_resource id='%s'>%s</lrm_resource>".formatted(id, operations);
  }

  @Test
  void aNodesOwnStateIsNoNews() throws XmlException {
    var before = cib("", node("0", ""));
    var after = cib("", node("17", ""));

    assertEquals(List.of(), CibChange.between(before, after));
  }

  private static String attributes(String... pairs) {
    var set = new StringBuilder("<node_state id='1'><transient_attributes id='1'>");
    set.append("<instance_attributes id='status-1'>");
    for (var at = 0; at < pairs.length; at += 2) {
      set.append("<nvpair id='status-1-%1$s' name='%1$s' value='%2$s'/>".formatted(pairs[at], pairs[at + 1]));
    }
    return set.append("</instance_attributes></transient_attributes></node_state>").toString();
  }

  @Test
  void aNodesFeatureSetIsNoNewsOtherAttributesAre() throws XmlException {
    var without = cib("", "<node_state id='1'/>");
    var plain = cib("", attributes("#feature-set", "3.20.5"));
    var more = cib("", attributes("#feature-set", "3.20.5", "color", "red"));

    assertEquals(List.of(), CibChange.between(without, plain));
    assertEquals(
        List.of(new CibChange.Plan("Transient attribute change")),
        CibChange.between(plain, more));
    assertEquals(
        List.of(new CibChange.Plan("Transient attribute change")),
        CibChange.between(more, plain));
  }

  @Test
  void aChangedConfigurationIs() throws XmlException {
    assertEquals(
        List.of(new CibChange.Plan("Configuration change")),
        CibChange.between(cib("", ""), cib("<nodes/>", "")));
  }

  @Test
  void thatARemoteNodeIsConnectedComesBeforeTheResultOfItsConnectionsStart() throws XmlException {
    var far = "<node_state id='far' remote_node='true' in_ccm='%d'><lrm id='far'><lrm_resources/></lrm></node_state>";
    var before = cib("", node("0", resource("far", OPERATION.formatted(7))) + far.formatted(0));
    var after = cib("", node("0", resource("far", OPERATION.formatted(0))) + far.formatted(17));

    var changes = CibChange.between(before, after);

    assertEquals(new CibChange.Connected(inCib("far"), "Remote node connected"), changes.getFirst());
    assertInstanceOf(CibChange.Operation.class, changes.getLast());
  }

  @Test
  void theLossOfAConnectionThatHostHaLooksAfterIsToldOnce() throws XmlException {
    var far = "<node_state id='far' remote_node='true' in_ccm='7' host_ha='SUSPECT' host_ha_lost='%s'/>";
    var there = cib("", far.formatted("0"));
    var lost = cib("", far.formatted("1"));
    assertEquals(List.of(new CibChange.ConnectionLost(inCib("far"))), CibChange.between(there, lost));
    assertEquals(List.of(), CibChange.between(lost, cib("", far.formatted("1").replace("/>", " crmd='x'/>"))));
    assertEquals(List.of(), CibChange.between(lost, there));
  }

  @Test
  void thatAnotherMemberHasAConnectionIsTold() throws XmlException {
    var far = "<node_state id='far' remote_node='true' in_ccm='7' connection='%s'/>";
    var first = cib("", far.formatted("n1"));
    var then = cib("", far.formatted("n2"));
    assertEquals(List.of(new CibChange.Moved(inCib("far"))), CibChange.between(first, then));
    assertEquals(List.of(), CibChange.between(then, cib("", far.formatted("n2").replace("/>", " crmd='x'/>"))));
    assertEquals(List.of(), CibChange.between(then, cib("", "<node_state id='far' remote_node='true' in_ccm='7'/>")));
  }

  @Test
  void aNewResultIsTold() throws XmlException {
    var before = cib("", node("0", resource("a", OPERATION.formatted(0))));
    var after = cib("", node("0", resource("a", OPERATION.formatted(1))));

    var change =
        assertInstanceOf(CibChange.Operation.class, CibChange.between(before, after).getFirst());

    assertEquals(inCib("1"), change.node());
    assertEquals("1", change.operation().xml().get("rc-code"));
  }

  @Test
  void aNodeStateThatNamesNoNodeVoidsThePlan() throws XmlException {
    var before = cib("", "<node_state crmd='0'/>");
    var after = cib("", "<node_state crmd='17'/>");

    assertEquals(
        List.of(new CibChange.Plan("Change of a node state that names no node")),
        CibChange.between(before, after));
  }

  @Test
  void manyResourcesAtOnceAreARefresh() throws XmlException {
    var operation = OPERATION.formatted(0);
    var after = cib("", node("0", resource("a", operation) + resource("b", operation)));

    var changes = CibChange.between(cib("", node("0", "")), after);

    assertEquals(1, changes.size());
    assertInstanceOf(CibChange.Refresh.class, changes.getFirst());
  }

  @Test
  void aDeletedRecordOfARecurringOperationIsTold() throws XmlException {
    var before = cib("", node("0", resource("a", "<lrm_rsc_op id='a_monitor_10'/>")));
    var after = cib("", node("0", resource("a", "")));

    assertEquals(
        List.of(new CibChange.OperationGone(inCib("1"), "a_monitor_10")),
        CibChange.between(before, after));
  }

  @Test
  void aForgottenResourceIsStatusGone() throws XmlException {
    var before = cib("", node("0", resource("a", OPERATION.formatted(0))));

    assertEquals(
        List.of(new CibChange.StatusGone(inCib("1"), "Resource state removal")),
        CibChange.between(before, cib("", node("0", ""))));
  }
}
