package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class RememberedConnectionsTest {
  private static final String CIB =
      """
      <cib><status>
        <node_state id="1" uname="node1"/>
        <node_state id="2" uname="node2"><lrm id="2"><lrm_resources>
          <lrm_resource id="a" class="ocf" provider="pacemaker" type="Dummy"/>
          <lrm_resource id="host1" class="ocf" provider="pacemaker" type="remote"/>
        </lrm_resources></lrm></node_state>
      </status></cib>
      """;

  private static boolean isRemembered(String node) throws XmlException {
    return RememberedConnections.has(XmlReader.parse(CIB), new NodeName(node));
  }

  @Test
  void aConnectionIsRememberedAsLongAsAMemberHasItsHistory() throws XmlException {
    assertTrue(isRemembered("host1"));
    assertFalse(isRemembered("host2"));
    assertFalse(isRemembered("a"), "it is another resource");
    assertFalse(RememberedConnections.has(Element.of("cib"), new NodeName("host1")));
  }

  @Test
  void aNodeIsOneInAnyCaseOfLetters() throws XmlException {
    assertTrue(isRemembered("HOST1"), "crm_node -R HOST1 would not wait for it, and the node be fenced");
  }
}
