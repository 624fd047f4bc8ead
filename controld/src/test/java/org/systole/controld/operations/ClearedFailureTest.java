package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibUpdate;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

final class ClearedFailureTest {
  private static final ResourceId WEB = new ResourceId("web");

  private static Element cib(int call) {
    return TestCib.xml(
        """
        <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration>
        <status><node_state id="2" uname="node2"><lrm id="2"><lrm_resources><lrm_resource id="web">
          <lrm_rsc_op id="web_last_failure_0" operation="monitor" call-id="%d" rc-code="7" op-status="0" interval="10000" transition-key="1:2:0:a"/>
          <lrm_rsc_op id="web_last_0" operation="start" call-id="6" rc-code="0" op-status="0" interval="0" transition-key="1:3:0:a"/>
        </lrm_resource></lrm_resources></lrm></node_state></status></cib>"""
            .formatted(call));
  }

  private static @Nullable Element failure(Element read, Element cib, String node) {
    var changes = ClearedFailure.changes(read, new CibNodeId(node), WEB);
    return CibUpdate.apply(cib, changes, null).cib().find(it -> "web_last_failure_0".equals(it.id()));
  }

  @Test
  void theEntryGoesAndNothingElse() {
    var changed = CibUpdate.apply(cib(5), ClearedFailure.changes(cib(5), new CibNodeId("2"), WEB), null).cib();
    assertNull(failure(cib(5), cib(5), "2"));
    assertNotNull(changed.find(it -> "web_last_0".equals(it.id())));
  }

  @Test
  void aLaterFailureStays() {
    assertNotNull(failure(cib(5), cib(7), "2"));
  }

  @Test
  void whereNoneIsKnownNothingIsWritten() {
    assertEquals(List.of(), ClearedFailure.changes(cib(5), new CibNodeId("1"), WEB));
    assertEquals(List.of(), ClearedFailure.changes(cib(5), new CibNodeId("2"), new ResourceId("db")));
    assertEquals(List.of(), ClearedFailure.changes(null, new CibNodeId("2"), WEB));
  }
}
