package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

final class RemoteRecordsTest {
  private static Element cib() throws Exception {
    return XmlReader.parse(
        """
        <cib><configuration><resources>
          <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
          <group id="g"><primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain">
            <meta_attributes id="m"><nvpair id="n" name="remote-node" value="inside"/>
            </meta_attributes></primitive></group>
          <bundle id="box"><podman image="local/web"/><primitive id="web"/></bundle>
        </resources></configuration><status>
          <node_state id="old" uname="old" remote_node="true"/><node_state id="1" uname="node1"/>
        </status></cib>
        """);
  }

  private static boolean isRemote(String name) throws Exception {
    return RemoteRecords.isRemote(cib(), new NodeName(name));
  }

  @Test
  void aNodeIsRemoteByItsConnectionByWhatRunsItOrByItsState() throws Exception {
    assertTrue(isRemote("far"));
    assertTrue(isRemote("inside"));
    assertTrue(isRemote("box-0"));
    assertTrue(isRemote("box-12"));
    assertTrue(isRemote("old"));
  }

  @Test
  void otherNamesAreThoseOfMembers() throws Exception {
    assertFalse(isRemote("node1"));
    assertFalse(isRemote("vm"));
    assertFalse(isRemote("box"));
    assertFalse(isRemote("box-"));
    assertFalse(isRemote("box-1a"));
    assertFalse(isRemote("boxes-1"));
  }
}
