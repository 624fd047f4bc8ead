package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.output.Rc;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.TestCib;

/// What a member records of the remote node `far` that it has given away, before and after another has it.
final class GivenAwayTest {
  private static final NodeName FAR = new NodeName("far");
  private static final NodeName ME = new NodeName("node1");

  private static Element cib(String connection) {
    return TestCib.xml(
        """
        <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration>
          <crm_config/><nodes/><resources/><constraints/></configuration><status>
          <node_state id="1" uname="node1" in_ccm="1600" crmd="1600"><lrm id="1"><lrm_resources><lrm_resource id="far">
            <lrm_rsc_op id="far_migrate_to_0"/></lrm_resource></lrm_resources></lrm></node_state>
          <node_state id="far" uname="far" remote_node="true" in_ccm="1700" connection="%s"><lrm id="far">
            <lrm_resources><lrm_resource id="a"><lrm_rsc_op id="a_last_0" rc-code="0"/></lrm_resource></lrm_resources></lrm>
          </node_state></status></cib>
        """
            .formatted(connection));
  }

  private static Element entry(String node, String resource, String operation) {
    return TestCib.xml(
        """
        <node_state id="%s" uname="%s"><lrm id="%s"><lrm_resources><lrm_resource id="%s">
          <lrm_rsc_op id="%s" rc-code="1"/></lrm_resource></lrm_resources></lrm></node_state>
        """
            .formatted(node, node, node, resource, operation));
  }

  /// It is made where this member has the node still, and else finds nothing.
  private static void isMadeWhereItIsStillThere(CibOp change, String operation) {
    var made = CibUpdate.apply(cib("node1"), List.of(change), null);
    assertEquals(Rc.OK, made.rc());
    var found = made.cib().find(it -> it.is("lrm_rsc_op") && operation.equals(it.id()));
    assertNotNull(found);
    assertEquals("1", found.get("rc-code"));
    assertNotNull(made.cib().find(it -> "far_migrate_to_0".equals(it.id())), "the rest stays");

    assertNotEquals(Rc.OK, CibUpdate.apply(cib("node2"), List.of(change), null).rc());
  }

  @Test
  void whatWasUnderWayHasFailedWhereNobodyElseHasTheNode() {
    isMadeWhereItIsStillThere(GivenAway.failed(FAR, ME, entry("far", "a", "a_last_0")), "a_last_0");
  }

  @Test
  void theConnectionHasFailedWhereNobodyElseHasTheNode() {
    var failure = entry("1", "far", "far_last_failure_0");
    isMadeWhereItIsStillThere(GivenAway.connectionFailed(FAR, ME, new CibNodeId("1"), failure), "far_last_failure_0");
  }

  /// Another member makes the connection while one is said to have it that was cut off. What is over stays, as does what the maker has.
  @Test
  void whoMakesTheConnectionHasIt() {
    var history = "<lrm_resource id=\"far\"><lrm_rsc_op id=\"far_last_0\" operation=\"%s\" interval=\"0\" rc-code=\"%d\"/></lrm_resource>";
    for (var each : List.of("start 0 gone", "monitor 0 gone", "stop 0 stays", "monitor 7 stays", "start 1 stays")) {
      var words = each.split(" ");
      var rc = Integer.parseInt(words[1]);
      var has = history.formatted(words[0], rc);
      var cib =
          TestCib.xml(
              """
              <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration>
                <crm_config/><nodes/><resources/><constraints/></configuration><status>
                <node_state id="1" uname="node1"><lrm id="1"><lrm_resources>%s<lrm_resource id="b"/></lrm_resources></lrm></node_state>
                <node_state id="2" uname="node2"><lrm id="2"><lrm_resources>%s</lrm_resources></lrm></node_state></status></cib>
              """
                  .formatted(has, has));
      var made = CibUpdate.apply(cib, List.of(GivenAway.madeElsewhere(FAR, new CibNodeId("2"))), null);
      assertEquals(Rc.OK, made.rc());
      var left = XmlWriter.compact(made.cib()).split("<lrm_resource id=\"far\"").length - 1;
      assertEquals(words[2].equals("gone") ? 1 : 2, left, each);
      assertNotNull(made.cib().find(it -> "b".equals(it.id())));
    }
  }
}
