package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;

final class RememberedConnectionsTest {
  @Test
  void aConnectionIsRememberedAsLongAsAMemberHasAHistoryOfIt() throws Exception {
    var cib =
        XmlReader.parse(
            """
            <cib><status>
              <node_state id="1" uname="node1"/>
              <node_state id="2" uname="node2"><lrm id="2"><lrm_resources>
                <lrm_resource id="far" class="ocf" provider="pacemaker" type="remote"/>
                <lrm_resource id="disk" class="ocf" provider="heartbeat" type="Filesystem"/>
              </lrm_resources></lrm></node_state>
            </status></cib>
            """);
    assertTrue(RememberedConnections.has(cib, new NodeName("far")));
    assertFalse(RememberedConnections.has(cib, new NodeName("disk")), "another resource of that name");
    assertFalse(RememberedConnections.has(cib, new NodeName("elsewhere")));
    assertFalse(RememberedConnections.has(null, new NodeName("far")));
  }
}
